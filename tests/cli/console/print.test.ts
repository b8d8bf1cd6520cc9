import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {printJson} from '../../../source/cli/console/print.ts';
import {attackCorpus} from '../../helpers/attack-corpus.ts';

const printed = (value: unknown): string => {
	const stream = new PassThrough();
	printJson({stdout: stream as unknown as NodeJS.WriteStream}, value);
	return String(stream.read());
};

test('JSON for a terminal holds no character that the terminal obeys or hides', () => {
	// oxlint-disable-next-line no-control-regex -- control characters are what must not be there
	const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u;

	expect(printed(attackCorpus)).not.toMatch(obeyed);
});

test('JSON for a terminal is the same value', () => {
	const value = {
		text: 'a\u009b31m\u202e\u{e0041}\u007f日本',
		list: attackCorpus.map(text => text.toWellFormed()),
	};

	expect(JSON.parse(printed(value))).toEqual(value);
});
