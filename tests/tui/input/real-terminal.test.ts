// @module-tag slow
import {mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {bundleProgram} from '../../helpers/bundle-program.ts';
import {openPty, type Pty} from '../../helpers/pty.ts';

const program = await bundleProgram(join(import.meta.dirname, 'keys-program.tsx'));
/** Modes are set right after the first frame. */
const ready = async (pty: Pty) =>
	pty.waitFor(lines => lines.includes('ready') && pty.isBracketedPaste());

async function open(editorScript = 'exit 0') {
	const folder = await mkdtemp(join(tmpdir(), 'svc-pty-'));
	await writeFile(join(folder, 'ed'), `#!/bin/sh\n${editorScript}\n`, {mode: 0o755});
	const pty = openPty(process.execPath, [program], {
		columns: 60,
		rows: 8,
		env: {SVC_TEST_DIRECTORY: folder, EDITOR: join(folder, 'ed'), NODE_ENV: 'production'},
	});
	return {
		folder,
		pty,
		async [Symbol.asyncDispose]() {
			await pty[Symbol.asyncDispose]();
			await rm(folder, {recursive: true, force: true});
		},
	};
}

test('in a real terminal keys arrive one by one, pastes apart, and everything is put back at the end', async () => {
	await using setup = await open();
	const {pty} = setup;
	await ready(pty);
	expect(pty.isAlternateScreen()).toBe(true);
	pty.write('abc\r');
	await pty.waitForText('a b c enter');
	pty.press('esc');
	await pty.waitForText('enter esc');
	pty.press('up', 'ctrl+c');
	await pty.waitForText('up ctrl+c');
	pty.write('\u001B[200~x\u001B[201~');
	await pty.waitForText('pasted:x');
	pty.press('q');
	expect(await pty.exited).toEqual({exitCode: 0, signal: 0});
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.isBracketedPaste()).toBe(false);
	expect(pty.lines()[0]).toBe('left');
	expect(pty.written()).toContain('\u001B[?1006l\u001B[?1000l\u001B[23;2t');
	expect(pty.foreign()).toEqual([]);
});

test('the editor has the terminal for itself, then the screen is as it was', async () => {
	await using setup = await open('echo editing; read answer; printf "%s" "$answer" > "$1"');
	const {pty, folder} = setup;
	await ready(pty);
	pty.press('a');
	await pty.waitForText(/^a$/);
	pty.press('e');
	await pty.waitForText('editing');
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.isBracketedPaste()).toBe(false);
	pty.write('jjq new\r');
	await pty.waitForText('a edited:jjq new');
	expect(pty.isAlternateScreen()).toBe(true);
	pty.press('z');
	await pty.waitForText('edited:jjq new z');
	pty.press('q');
	expect((await pty.exited).exitCode).toBe(0);
	expect((await readdir(folder)).filter(name => name.startsWith('open-'))).toEqual([]);
	expect(pty.foreign()).toEqual([]);
});

test('an exit without warning leaves no mode on', async () => {
	await using setup = await open();
	const {pty} = setup;
	await ready(pty);
	pty.press('!');
	expect((await pty.exited).exitCode).toBe(9);
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.isBracketedPaste()).toBe(false);
	expect(pty.written()).toContain('\u001B[0m\u001B[?25h\u001B[23;2t');
	expect(pty.foreign()).toEqual([]);
});

test('a hang-up ends the program', async () => {
	await using setup = await open();
	const {pty} = setup;
	await ready(pty);
	pty.kill('SIGHUP');
	await pty.exited;
	expect(() => process.kill(pty.pid, 0)).toThrow('ESRCH');
});
