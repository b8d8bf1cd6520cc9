// @module-tag slow
import {chmod} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';
import {openPty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';

const [node, script] = svcCommand;

test('a subscription is edited in a terminal: typed, pasted, opened in $EDITOR, shown as a diff, written', async () => {
	await using home = await gatewayHome({subscriptions: {hook: {prompt: 'Look'}}});
	await home.write(
		'append.sh',
		'#!/bin/sh\nsed -i \'s/"prompt"/"description": "by hand", "prompt"/\' "$1"\n',
	);
	await chmod(home.file('append.sh'), 0o700);
	await using pty = openPty(node, [script], {
		columns: 80,
		rows: 24,
		env: {...svcEnvironment({home: home.path}), EDITOR: home.file('append.sh')},
	});
	await pty.waitForText(/● :\d+/);
	pty.press('5');
	await pty.waitForText('── Routes ── 1');
	pty.press('e');
	await pty.waitForText('✓ valid');

	pty.press(...Array.from('jjj'), 'enter');
	await pty.waitForText('Look█');
	pty.press(...Array.from(' at'), 'enter');
	pty.write('\u001B[200~two\r\nw w\u001B[31m\u001B[201~');
	await pty.waitForText('w w');
	pty.press('esc');
	await pty.waitForText('1 not saved');
	pty.press('E');
	await pty.waitForText('2 not saved');
	expect(JSON.parse(await home.read('webhook_subscriptions.json'))).toEqual({
		hook: {secret: hookSecret, prompt: 'Look'},
	});

	pty.press('a');
	await pty.waitForText('+    "description": "by hand",');
	pty.press('a');
	await pty.waitForText('Saved hook');
	const {hook} = JSON.parse(await home.read('webhook_subscriptions.json'));
	expect(hook).toMatchObject({description: 'by hand', secret: hookSecret});
	expect(hook.prompt).toMatch(/^Look at\ntwo\nw w/);
	expect(pty.lines().join('\n')).not.toContain(hookSecret);
	expect(pty.foreign()).toEqual([]);
});
