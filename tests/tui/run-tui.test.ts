import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {processAt, until} from '../helpers/processes.ts';
import {openPty} from '../helpers/pty.ts';

const program = join(import.meta.dirname, 'run-tui-program.tsx');

/** A shell around the program: says its process, and afterwards whether the terminal echoes. */
const shellAround = 'exec 3<&0; "$@" <&3 & echo "pid $!"; wait $!; stty -a | grep -o " -*echo "';

async function open(editorScript = 'exit 0', {inShell = false} = {}) {
	const folder = await mkdtemp(join(tmpdir(), 'svc-tui-'));
	await writeFile(join(folder, 'ed'), `#!/bin/sh\n${editorScript}\n`, {mode: 0o755});
	const command = [
		...(inShell ? ['sh', '-c', shellAround, 'sh'] : []),
		process.execPath,
		'--import',
		'tsx',
		program,
	] as const;
	const [first, ...rest] = command;
	const pty = openPty(first, rest, {
		columns: 120,
		rows: 30,
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
		async [Symbol.asyncDispose]() {
			await pty[Symbol.asyncDispose]();
			await rm(folder, {recursive: true, force: true});
		},
	};
}

test('leaving gives the terminal back as it was, and hands over what is to be kept', async () => {
	await using setup = await open();
	const {pty} = setup;
	expect(pty.isAlternateScreen()).toBe(true);
	pty.press('7', 'q');
	await pty.waitForText('again to quit');
	pty.press('q');

	expect(await pty.exited).toEqual({exitCode: 0, signal: 0});
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.isBracketedPaste()).toBe(false);
	expect(pty.lines()[0]).toContain('left: quit {"pane":"runs","theme":"dark"');
	expect(pty.lines().join('')).toContain('"runs":"state:done"');
	expect(pty.lines().join('')).not.toContain('gone');
	expect(pty.foreign()).toEqual([]);
});

test('the terminal echoes nothing from before the first frame, and echoes again after the last', async () => {
	await using setup = await open();
	const {pty} = setup;
	pty.press('ctrl+c', 'ctrl+c');
	await pty.exited;

	expect(pty.lines().join('\n')).toContain('before the first frame: -echo, now: echo');
});

test('a process that ends on the spot gives title and echo back', async () => {
	await using setup = await open('exit 0', {inShell: true});
	const {pty} = setup;
	process.kill(Number(/pid (\d+)/.exec(pty.written())?.[1]), 'SIGINT');
	await pty.exited;

	expect(pty.written().split('\u001B[22;2t')).toHaveLength(2);
	expect(pty.written().split('\u001B[22;2t')[1]).toContain('\u001B[23;2t');
	expect(pty.lines().map(line => line.trim())).toContain('echo');
});

test('an aborted signal leaves in the same way', async () => {
	await using setup = await open();
	const {pty} = setup;
	pty.kill('SIGTERM');

	expect(await pty.exited).toEqual({exitCode: 0, signal: 0});
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.lines()[0]).toContain('left: aborted');
});

test('what cannot be drawn ends in an error on the terminal that was', async () => {
	await using setup = await open();
	const {pty} = setup;
	pty.kill('SIGUSR2');

	expect(await pty.exited).toEqual({exitCode: 1, signal: 0});
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.lines().slice(0, 2)).toEqual(['failed: TypeError', 'now: echo']);
});

test('a Ctrl-C in the editor is the editor’s, and the screen comes back', async () => {
	await using setup = await open(
		'trap "echo caught" INT; echo editing; until read answer; do :; done; exit 0',
	);
	const {pty} = setup;
	pty.press('e');
	await pty.waitForText('editing');
	expect(pty.isAlternateScreen()).toBe(false);
	pty.press('ctrl+c');
	await pty.waitForText('caught');
	pty.write('done\r');
	await pty.waitForText('── Traffic ──');
	await pty.waitFor(() => pty.isAlternateScreen());
	pty.press('ctrl+c', 'ctrl+c');

	expect(await pty.exited).toEqual({exitCode: 0, signal: 0});
});

/** A process that is told to go on before it has stopped stops all the same. */
async function untilStopped(pid: number): Promise<void> {
	await until(() => processAt(pid)?.state === 'T');
}

test('SIGTSTP gives the terminal to the shell, SIGCONT takes it again', async () => {
	await using setup = await open();
	const {pty} = setup;
	pty.kill('SIGTSTP');
	await pty.waitFor(() => !pty.isAlternateScreen());
	await untilStopped(pty.pid);
	pty.kill('SIGCONT');
	await pty.waitFor(() => pty.isAlternateScreen());

	expect(await pty.waitForText('── Traffic ──')).toHaveLength(30);
});

test('after any resize the screen is whole', async () => {
	await using setup = await open();
	const {pty} = setup;
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
				now[1]?.includes('1 Traf') === true,
		);
		expect(lines[0]).toMatch(/^svc 1\.0/);
		expect(lines.slice(4, -1).every(line => /^[> ] {2}\d\d:\d\d:\d\d/.test(line))).toBe(true);
	}
});
