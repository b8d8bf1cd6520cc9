// @module-tag slow
import {readdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {processes, until} from '../helpers/processes.ts';
import {openPty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const [node, script] = svcCommand;

test('the demo says what it is, shows a day, and leaves nothing', async () => {
	await using outside = await temporaryHome();
	await using pty = openPty(node, [script, '--demo', '--still'], {
		columns: 80,
		rows: 24,
		env: svcEnvironment({home: outside.path, env: {TMPDIR: outside.path}}),
	});
	// Before the day has passed, which takes its time on a machine that is busy.
	await pty.waitForText('the last 24 hours are being played');
	await pty.waitForText(/^svc \S+ demo /);
	await pty.waitForText('the last 24 hours were played', 50_000);
	const [folder = ''] = readdirSync(outside.path);
	expect(folder).toMatch(/^svc-demo-/);

	pty.press('enter');
	await pty.waitForText('ignored:filter');
	pty.press('3');
	await pty.waitForText(/tracker.*● connected/);
	await pty.waitForText(/^svc \S+ demo /);

	// As its card says: a code, and a call that waits from the first.
	pty.press('4', 'j', 'l');
	await pty.waitForText(/[A-Z]{4}-[A-Z]{4}/);
	pty.press('!');
	await pty.waitForText('allow this one call');
	pty.press('esc');
	await pty.waitForText('── Logins ──');
	pty.press('q');
	await pty.waitForText('Quit?');
	// It would go on in the background.
	pty.press('b');
	pty.press('q');
	expect(await pty.exited).toMatchObject({exitCode: 0});
	await until(() => processes().every(({args}) => !args.includes(folder)));
	expect(readdirSync(outside.path)).toEqual([]);
});

test('a signal ends the demo as q does', async () => {
	await using outside = await temporaryHome();
	await using pty = openPty(node, [script, '--demo'], {
		env: svcEnvironment({home: outside.path, env: {TMPDIR: outside.path}}),
	});
	// Before its day has passed.
	await pty.waitForText('the last 24 hours are being played');
	pty.kill('SIGTERM');
	await pty.exited;

	expect(readdirSync(outside.path)).toEqual([]);
});
