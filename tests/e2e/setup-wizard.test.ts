// @module-tag slow
import {readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {openPty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const [node, script] = svcCommand;

test('"svc gateway setup" is a wizard: it asks, takes Enter for what holds, asks again after nonsense, and prints the first key', async () => {
	await using home = await temporaryHome();
	await using pty = openPty(node, [script, 'gateway', 'setup'], {
		env: svcEnvironment({home: home.path, env: {API_ENABLED: 'true'}}),
	});
	await pty.waitForText('Receive webhooks?');
	pty.write('\r');
	await pty.waitForText('Address to listen on');
	pty.write('\r');
	await pty.waitForText('Port [8644]');
	pty.write('a port\r');
	await pty.waitFor(lines => lines.filter(line => line.startsWith('Port [8644]')).length === 2);
	pty.write('8700\r');
	await pty.waitForText('Secret for routes');
	pty.write('random\r');

	expect((await pty.exited).exitCode).toBe(0);
	const config = await readFile(home.file('config.yaml'), 'utf8');
	expect(config).toMatch(/enabled: true\n(?:.*\n)*\s+host: 127\.0\.0\.1\n\s+port: 8700\n/);
	expect(config).toMatch(/^\s+secret: [\w-]{43}$/m);
	expect(pty.lines().filter(line => /^svc_live_[0-9A-Za-z]{36}$/.test(line))).toHaveLength(1);
});

test('Ctrl-C in the wizard leaves everything untouched', async () => {
	await using home = await temporaryHome();
	await using pty = openPty(node, [script, 'gateway', 'setup'], {
		env: svcEnvironment({home: home.path}),
	});
	await pty.waitForText('Receive webhooks?');
	pty.write('\u0003');

	await pty.exited;
	await expect(readFile(home.file('config.yaml'), 'utf8')).rejects.toThrow('ENOENT');
});
