// @module-tag slow
import {existsSync} from 'node:fs';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {constants, tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {sleep, systemClock} from '../../source/core/clock.ts';
import {bundleProgram} from '../helpers/bundle-program.ts';
import {processAt, until} from '../helpers/processes.ts';
import {openPty} from '../helpers/pty.ts';

const program = await bundleProgram(join(import.meta.dirname, 'run-tui-program.tsx'));
/** A shell around the program: says its process, in a row that goes on, and afterwards whether the terminal echoes. */
const shellAround = 'exec 3<&0; "$@" <&3 & printf "pid $! "; wait $!; stty -a | grep -o " -*echo "';

async function open(editorScript = 'exit 0', {inShell = false, columns = 120, rows = 30} = {}) {
	const folder = await mkdtemp(join(tmpdir(), 'svc-tui-'));
	await writeFile(join(folder, 'ed'), `#!/bin/sh\n${editorScript}\n`, {mode: 0o755});
	const command = [
		...(inShell ? ['sh', '-c', shellAround, 'sh'] : []),
		process.execPath,
		program,
	] as const;
	const [first, ...rest] = command;
	const pty = openPty(first, rest, {
		columns,
		rows,
		env: {
			SVC_TEST_DIRECTORY: folder,
			EDITOR: join(folder, 'ed'),
			PAGER: join(folder, 'ed'),
			NODE_ENV: 'production',
		},
	});
	await pty.waitForText('── Traffic ──');
	await pty.waitFor(() => pty.isBracketedPaste());
	return {
		pty,
		folder,
		async [Symbol.asyncDispose]() {
			await pty[Symbol.asyncDispose]();
			await rm(folder, {recursive: true, force: true});
		},
	};
}

test('leaving gives the terminal back as it was, and hands over what is to be kept; it echoes nothing from before the first frame, and again after the last', async () => {
	await using setup = await open();
	const {pty} = setup;
	expect(pty.isAlternateScreen()).toBe(true);
	pty.press('7', 'q');
	await pty.waitForText('again to quit');
	pty.press('q');

	expect(await pty.exited).toEqual({exitCode: 0, signal: 0});
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.isBracketedPaste()).toBe(false);
	expect(pty.lines()[0]).toContain('left: quit {"pane":"runs","filters":{');
	expect(pty.lines().join('')).toContain('"runs":"state:done"');
	expect(pty.lines().join('')).not.toContain('gone');
	expect(pty.lines().join('\n')).toContain('before the first frame: -echo, now: echo');
	expect(pty.foreign()).toEqual([]);
});

test('a process that ends on the spot gives title and echo back', async () => {
	await using setup = await open('exit 0', {inShell: true});
	const {pty} = setup;
	// Wherever the cursor was (what is typed too early is echoed by the shell), the first frame starts in the first column.
	expect(pty.lines()[0]).toMatch(/^svc 1\.0/);
	process.kill(Number(/pid (\d+)/.exec(pty.written())?.[1]), 'SIGINT');
	await pty.exited;

	expect(pty.written().split('\u001B[22;2t')).toHaveLength(2);
	expect(pty.written().split('\u001B[22;2t')[1]).toContain('\u001B[23;2t');
	expect(pty.lines()[0]?.trim()).toMatch(/^pid \d+$/);
	expect(pty.lines()[1]?.trim()).toBe('echo');
});

type Setup = Awaited<ReturnType<typeof open>>;

/** Waits for the interface to stand whole on the screen again. */
async function untilBack({pty}: Setup): Promise<void> {
	await pty.waitFor(
		([head = '', ...rows]) =>
			pty.isAlternateScreen() &&
			head.startsWith('svc 1.0') &&
			rows.some(row => row.includes('── Traffic ──')),
	);
}

/** A process that is told to go on before it has stopped stops all the same. */
async function untilStopped(pid: number): Promise<void> {
	await until(() => processAt(pid)?.state === 'T');
}

const endless =
	'trap "echo caught" INT; echo editing; until read answer; do :; done; printf "a row that goes on"; exit 0';

/** Ways to end, each with what goes before it: a start is most of what a case costs. */
const lives: ReadonlyArray<{
	readonly name: string;
	readonly editor?: string;
	readonly size?: {readonly columns: number; readonly rows: number};
	readonly before?: (setup: Setup) => Promise<void>;
	readonly signal: string;
	readonly exit: {readonly exitCode: number; readonly signal: number};
	/** Starts of the rows that are left on the terminal. */
	readonly said?: readonly string[];
}> = [
	{
		name: 'an aborted signal leaves as a person does; after any resize the screen is whole',
		before: sizeAnew,
		signal: 'SIGTERM',
		exit: {exitCode: 0, signal: 0},
		said: ['left: aborted'],
	},
	{
		name: 'what cannot be drawn ends in an error on the terminal that was; SIGTSTP gives the terminal to the shell, SIGCONT takes it again',
		async before(setup) {
			setup.pty.kill('SIGTSTP');
			await setup.pty.waitFor(() => !setup.pty.isAlternateScreen());
			await untilStopped(setup.pty.pid);
			setup.pty.kill('SIGCONT');
			await untilBack(setup);
		},
		signal: 'SIGUSR2',
		exit: {exitCode: 1, signal: 0},
		said: ['failed: TypeError', 'now: echo'],
	},
	{
		name: 'an error in a timer is said; a Ctrl-C in the editor is the editor’s, and the screen comes back',
		editor: endless,
		async before(setup) {
			const {pty} = setup;
			pty.press('e');
			await pty.waitForText('editing');
			expect(pty.isAlternateScreen()).toBe(false);
			pty.press('ctrl+c');
			await pty.waitForText('caught');
			pty.write('done\r');
			await untilBack(setup);
		},
		signal: 'SIGALRM',
		exit: {exitCode: 1, signal: 0},
		said: ['Error: thrown in a timer'],
	},
	{
		name: 'a rejection that is not handled is said; a Ctrl-Z in the editor stops both, and both go on',
		editor: 'echo editing; read answer; exit 0',
		async before(setup) {
			const {pty} = setup;
			pty.press('e');
			await pty.waitForText('editing');
			// The terminal sends it to all that stand in its foreground.
			pty.press('ctrl+z');
			await untilStopped(pty.pid);
			process.kill(-pty.pid, 'SIGCONT');
			pty.write('done\r');
			await untilBack(setup);
		},
		signal: 'SIGVTALRM',
		exit: {exitCode: 1, signal: 0},
		said: ['Error: rejected and unheard'],
	},
	{
		name: 'SIGQUIT ends it; a terminal that does not read holds nothing up, after the editor either',
		size: {columns: 250, rows: 60},
		async before(setup) {
			const {pty, folder} = setup;
			await readNothing(setup);
			pty.press('1', 'e');
			// The editor is gone in no time.
			await pty.waitFor(() => pty.written().split('\u001B[?1049h').length === 3);
			await rm(join(folder, 'alive'));
			await readNothing(setup);
		},
		signal: 'SIGQUIT',
		exit: {exitCode: 0, signal: constants.signals.SIGQUIT},
	},
	{
		name: 'SIGABRT ends it',
		signal: 'SIGABRT',
		exit: {exitCode: 0, signal: constants.signals.SIGABRT},
	},
];

test.for(lives)(
	'$name: the terminal is left in order',
	async ({editor, size, before, signal, exit, said = []}) => {
		await using setup = await open(editor, size);
		const {pty} = setup;
		await before?.(setup);
		pty.kill(signal);

		expect(await pty.exited).toEqual(exit);
		expect(pty.isAlternateScreen()).toBe(false);
		expect(pty.isBracketedPaste()).toBe(false);
		const rows = pty.lines();
		for (const text of said) {
			expect(rows.filter(row => row.startsWith(text))).toHaveLength(1);
		}
	},
);

async function readNothing({pty, folder}: Setup): Promise<void> {
	pty.pause();
	// Each draws all of the screen, which is more than a terminal takes that does not read.
	for (let frame = 0; frame < 30; frame++) {
		pty.press(frame % 2 === 0 ? '1' : '7');
		// oxlint-disable-next-line no-await-in-loop -- a frame for each
		await sleep(systemClock, 20);
	}

	process.kill(pty.pid, 'SIGURG');
	await until(() => existsSync(join(folder, 'alive')));
	pty.resume();
	expect(await pty.waitForText('── Runs ──')).toHaveLength(60);
	// Behind all that waited.
	pty.press('8');
	await pty.waitForText('── Logs ──');
}

async function sizeAnew({pty}: Setup): Promise<void> {
	for (const [columns, rows] of [
		[80, 24],
		[120, 36],
		[60, 16],
		[73, 30],
		[140, 20],
	] as const) {
		pty.resize(columns, rows);
		// oxlint-disable-next-line no-await-in-loop -- one size after the other
		const lines = await pty.waitFor(
			now =>
				now.at(-1)?.startsWith(' r replay') === true &&
				now[2]?.length === columns &&
				/1 ?Traf/.test(now[1] ?? ''),
		);
		expect(lines[0]).toMatch(/^svc 1\.0/);
		expect(lines.slice(4, -1).every(line => /^[> ] {2}\d\d:\d\d:\d\d/.test(line))).toBe(true);
	}
}
