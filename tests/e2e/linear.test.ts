// @module-tag slow
import {expect, test} from 'vitest';
import {gatewayHome} from '../helpers/gateway.ts';
import {openPty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';

const [node, script] = svcCommand;

test('on a dumb terminal the panes are read without a single escape sequence, and Ctrl-D leaves', async () => {
	await using home = await gatewayHome();
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
	await pty.waitForText('svc traffic>');
	await say('panes', '8. Logs');
	await say('8', 'svc logs>');
	await say('pains', 'Did you mean "panes"?');
	pty.press('ctrl+c');
	await pty.waitForText('quit or stay>');
	await say('stay', /svc logs> $|svc logs>$/);
	pty.press('ctrl+d');
	const {exitCode} = await pty.exited;

	expect(exitCode).toBe(0);
	expect(pty.written()).not.toContain('\u001B');
	expect(pty.written()).toContain('The gateway ends');
});
