// @module-tag slow
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {sleep, systemClock} from '../../source/core/clock.ts';
import {bundleProgram} from '../helpers/bundle-program.ts';
import {openPty, type PtyOptions} from '../helpers/pty.ts';

const program = await bundleProgram(join(import.meta.dirname, 'run-tui-program.tsx'));
const escape = '\u001B';
const white = `${escape}]11;rgb:fafa/fafa/fafa${escape}\\`;
const attributes = `${escape}[?64;1;22c`;
/** The titles of the light theme. */
const lightTitle = `${escape}[38;5;25m`;

async function open(onQuestion: PtyOptions['onQuestion'], env: PtyOptions['env'] = {}) {
	const pty = openPty(process.execPath, [program], {
		columns: 80,
		rows: 24,
		env: {FORCE_COLOR: '2', NODE_ENV: 'production', ...env},
		...(onQuestion && {onQuestion}),
	});
	await pty.waitForText('── Traffic ──');
	return pty;
}

/** Nothing was typed into the interface: the pane is the first, no filter, no dialog, and what is typed now is all that a field holds. */
async function untouched(pty: Awaited<ReturnType<typeof open>>): Promise<void> {
	await pty.waitForText(/^ r replay/);
	expect(pty.lines()[1]).toContain('[1Traf');
	pty.press('/', 'x');
	await pty.waitForText(/── x ── \d+ of 40/);
}

test('a light terminal gets the light theme, even if it answers byte by byte, and is asked once', async () => {
	let said = Promise.resolve();
	const bytes = async (text: string, reply: (text: string) => void) => {
		for (const byte of text) {
			reply(byte);
			await sleep(systemClock, 0);
		}
	};
	await using pty = await open((question, reply) => {
		const text = question === 'background' ? white : attributes;
		said = said.then(async () => bytes(text, reply));
	});
	await pty.waitFor(() => pty.written().includes(lightTitle));
	await said;
	pty.press('ctrl+l');
	await pty.waitFor(() => pty.written().split(`${escape}[?1049h`).length > 2);

	await untouched(pty);
	expect(pty.written().split(`${escape}]11;?`)).toHaveLength(2);
	expect(pty.foreign()).toEqual([]);
});

test('what a terminal answers too late changes and types nothing', async () => {
	await using pty = await open(() => {});
	await sleep(systemClock, 250);
	pty.write(white.slice(0, 9));
	await sleep(systemClock, 300);
	pty.write(white.slice(9, 15));
	await sleep(systemClock, 100);
	pty.write(white.slice(15) + attributes);

	await untouched(pty);
	expect(pty.written()).not.toContain(lightTitle);
});

test.for([{SVC_TEST_THEME: 'dark'}, {NO_COLOR: '1'}])(
	'nothing is asked that a person has said: %j',
	async env => {
		await using pty = await open(undefined, env);
		expect(pty.written()).not.toContain(']11;?');
	},
);
