import {expect, test} from 'vitest';
import {escapeLineCounting} from '../../../source/core/untrusted.ts';
import {createClipboard} from '../../../source/terminal/clipboard.ts';
import {createTerminalModes} from '../../../source/terminal/modes.ts';
import {attackCorpus} from '../../helpers/attack-corpus.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {showShell} from '../../helpers/show-shell.tsx';

/** What a terminal obeys, and what turns the direction of a text; tabs and line breaks do no harm. */
const harmful =
	// oxlint-disable-next-line no-control-regex -- they are the subject
	/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

test('every text of the corpus that a terminal would obey is flagged', () => {
	const attacks = attackCorpus.filter(text => harmful.test(text.slice(0, 900)));
	expect(attackCorpus.length).toBeGreaterThanOrEqual(300);
	expect(attacks.length).toBeGreaterThan(300);
	expect(attacks.filter(text => escapeLineCounting(text).flags === 0)).toEqual([]);
});

test('no text of the corpus gets out of the title of the window', () => {
	const written: string[] = [];
	const modes = createTerminalModes(sequence => {
		written.push(sequence);
	});
	for (const text of attackCorpus) {
		modes.setTitle(text);
	}

	expect(written.length).toBeGreaterThan(300);
	expect(foreignSequences(written.join(''))).toEqual([]);
	expect(written.filter(sequence => sequence.split('\u0007').length !== 2)).toEqual([]);
});

test('no text of the corpus gets out of what is copied, nor does it do anything where it is pasted', async () => {
	for (let from = 0; from < attackCorpus.length; from += 50) {
		const written: string[] = [];
		const clipboard = createClipboard(
			{
				write: sequence => {
					written.push(sequence);
				},
				clock: createFakeClock(),
			},
			{environment: {SSH_TTY: '/dev/pts/1'}, directory: '/nowhere', isTty: true, platform: 'linux'},
		);
		const attacks = attackCorpus.slice(from, from + 50).map(text => text.slice(0, 200));
		// oxlint-disable-next-line no-await-in-loop -- one copy after the other
		expect(await clipboard.copy(attacks.join('\n'))).toMatchObject({way: 'terminal'});
		expect(foreignSequences(written.join(''))).toEqual([]);
		const [, copied = ''] = /52;c;([A-Za-z0-9+/=]*)/.exec(written.join('')) ?? [];
		expect(Buffer.from(copied, 'base64').toString('utf8')).not.toMatch(harmful);
	}
});

/** So many are told at once that a toast has room for them. */
const atOnce = 3;

test('no reason of a failure gets out of its toast', async () => {
	await using shown = await showShell(createFakePort(), {columns: 120, rows: 16});
	// Every third: they differ in how they end, most of all.
	const attacks = attackCorpus.filter((_, index) => index % 3 === 0);
	const missing: string[] = [];
	for (let from = 0; from < attacks.length; from += atOnce) {
		const some = attacks.slice(from, from + atOnce).map(text => text.slice(0, 30));
		shown.shell.attempt(async () => {
			throw new Error(`cannot ${some.join(' ')} at all`);
		});
		// oxlint-disable-next-line no-await-in-loop -- one toast after the other
		await shown.pass(0);
		missing.push(...(shown.text().includes('cannot ') ? [] : some));
		expect(shown.screen.lines()).toHaveLength(16);
	}

	expect(missing).toEqual([]);
	expect(foreignSequences(shown.screen.written())).toEqual([]);
});
