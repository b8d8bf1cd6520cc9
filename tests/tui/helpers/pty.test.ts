import {expect, test} from 'vitest';
import {openPty} from '../../helpers/pty.ts';

const echo = `
process.stdin.setRawMode(true);
process.stdout.write('\\x1b[?1049h\\x1b[?2004hsize ' + process.stdout.columns + 'x' + process.stdout.rows + ' CI=' + process.env.CI);
process.stdout.on('resize', () => process.stdout.write(' now ' + process.stdout.columns));
process.stdin.on('data', data => {
	if (String(data) === 'q') { process.stdout.write('\\x1b[?1049lbye'); process.exitCode = 7; process.stdin.destroy(); return; }
	process.stdout.write(' ' + JSON.stringify(String(data)));
});
`;

test('a program in a pseudo terminal is typed to, seen, resized and ended', async () => {
	await using pty = openPty(process.execPath, ['-e', echo], {columns: 60, rows: 5});
	await pty.waitForText('size 60x5 CI=false');
	expect(pty.isAlternateScreen()).toBe(true);
	expect(pty.isBracketedPaste()).toBe(true);
	pty.press('up');
	await pty.waitForText(String.raw`"\u001b[A"`);
	pty.resize(70, 6);
	await pty.waitForText('now 70');
	pty.press('q');
	expect(await pty.exited).toEqual({exitCode: 7, signal: 0});
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.lines()[0]).toBe('bye');
	expect(pty.foreign()).toEqual([]);
});

test('waiting for what never comes fails with the screen', async () => {
	await using pty = openPty(process.execPath, ['-e', 'console.log("only this")']);
	await expect(pty.waitForText('something else')).rejects.toThrow('only this');
});

test('a program that goes on is killed at the end', async () => {
	const pty = openPty(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)']);
	await pty.waitForText('up');
	await pty[Symbol.asyncDispose]();
	expect(() => process.kill(pty.pid, 0)).toThrow('ESRCH');
});
