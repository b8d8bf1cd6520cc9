// @module-tag slow
import {expect, test} from 'vitest';
import {gatewayHome} from '../helpers/gateway.ts';
import {openPty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';

const [node, script] = svcCommand;

test('on a dumb terminal the prompt runs commands over the gateway of its own process without a single escape sequence, and Ctrl-D leaves', async () => {
	await using home = await gatewayHome({subscriptions: {gh: {prompt: 'Say it'}}});
	await using pty = openPty('env', ['TERM=dumb', node, script, '--linear'], {
		env: svcEnvironment({home: home.path}),
	});
	const say = async (line: string, answer: string | RegExp) => {
		for (const letter of line) {
			pty.write(letter);
		}

		pty.press('enter');
		await pty.waitForText(answer);
	};
	const prompted = async () =>
		pty.waitFor(
			lines =>
				lines
					.findLast(line => line !== '')
					?.trimEnd()
					.endsWith('svc>') === true,
		);
	await prompted();
	await say('webhook list', /^name gh, /);
	await prompted();
	await say('logs --follow', 'Listening');
	pty.press('ctrl+c');
	await prompted();
	await say('gateway status', /^webhook/);
	await prompted();
	await say('svc webhok list', 'unknown command');
	await prompted();
	await say('runs show \u202Eabc', 'runs show \\u{202e}abc');
	await prompted();
	await say('--linear', 'svc is open here');
	await prompted();
	pty.press('ctrl+c');
	await pty.waitForText('Ctrl-C once more leaves');
	pty.press('ctrl+d');
	const {exitCode} = await pty.exited;

	expect(exitCode).toBe(0);
	expect(pty.written()).not.toContain('\u001B');
	expect(pty.written()).not.toContain('\u202E');
	expect(pty.written()).toContain('The gateway ends');
});
