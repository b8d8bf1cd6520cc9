import {isDeepStrictEqual} from 'node:util';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {approvalMessage, mintCode} from '../../source/conversations/approval-message.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {makeShownTool, makeToolApproval} from '../helpers/make-approval.ts';

const written = (args: JsonObject, rest: Parameters<typeof makeToolApproval>[0] = {}) =>
	approvalMessage(makeToolApproval({tool: makeShownTool({server: 'crm'}), args, ...rest}), {
		code: 'K7QF',
		whose: 'gh-review',
		until: '14:05 UTC',
		redact: text => text.replaceAll('hunter2', '[redacted]'),
	});

test('the request with its arguments whole, until when, and how it is answered', () => {
	expect(written({title: 'Bug', labels: ['a']})).toEqual({
		canAllow: true,
		text: [
			'Approval K7QF: crm\\/create\\_issue',
			'```json',
			'{',
			'  "title": "Bug",',
			'  "labels": [',
			'    "a"',
			'  ]',
			'}',
			'```',
			'gh\\-review\\, until 14\\:05 UTC',
			'Answer: approve K7QF or deny K7QF',
		].join('\n'),
	});
});

test.each([
	['arguments that do not fit', {a: 'x'.repeat(900)}, {}],
	['a secret that has to be hidden', {a: 'hunter2'}, {}],
	['a tool that wants its name typed', {}, {mustTypeName: true}],
] as const)('%s: it can only be denied', (_, args, rest) => {
	const {text, canAllow} = written(args, rest);
	expect(canAllow).toBe(false);
	expect(text).toMatch(/only be denied|only be denied\./);
	expect(text).toContain('Answer: deny K7QF');
	expect(text).not.toContain('approve K7QF');
	expect(text).not.toContain('hunter2');
});

test('what can be allowed shows every character of its arguments, and reads back as them', () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string({unit: 'binary'}), fc.jsonValue()), args => {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is JSON
			const {text, canAllow} = written(args as JsonObject);
			const json = /```json\n(.*)\n```/s.exec(text)?.[1];
			const isWhole =
				json !== undefined &&
				isDeepStrictEqual(JSON.parse(json), JSON.parse(JSON.stringify(args))) &&
				!/(?!\n)\p{C}|\u2028|\u2029|\u00a0|\u3000|\u200b|\u200c|\u200e|\ufe0f/u.test(json);
			expect(isWhole).toBe(canAllow);
		}),
	);
});

test('a code has no look-alikes, and is none that is taken', () => {
	const taken = new Set(['AAAA']);
	const draws = [0, 0, 0, 0, 1, 2, 30, 29];
	expect(mintCode(taken, below => (draws.shift() ?? 0) % below)).toBe('BC98');
});
