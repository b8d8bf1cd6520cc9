// @module-tag slow
import {existsSync} from 'node:fs';
import {expect, test} from 'vitest';
import {command} from '../cli/command.ts';
import {gatewayHome, testConfig} from '../helpers/gateway.ts';
import {officialProgram} from '../helpers/official-program.ts';
import {post} from '../helpers/post.ts';
import {openPty, type Pty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';

const [node, script] = svcCommand;
const filesystem = officialProgram('filesystem');

/** The interface at 80 × 24 with an untrusted server, and an event whose run wants to write a file by it. */
async function openWaiting() {
	await using stack = new AsyncDisposableStack();
	const home = stack.use(await gatewayHome());
	const config = {
		mcp_servers: {
			files: {command: node, args: [filesystem, home.path], trust: 'untrusted'},
		},
	};
	await home.write('config.yaml', testConfig(config));
	const file = home.file('note.txt');
	const call = JSON.stringify({path: file, content: 'hello'});
	const prompt = `/tool mcp__files__write_file ${call}`;
	await home.write(
		'webhook_subscriptions.json',
		JSON.stringify({write: {prompt, secret: 'INSECURE_NO_AUTH'}}),
	);
	const pty = stack.use(
		openPty(node, [script], {columns: 80, rows: 24, env: svcEnvironment({home: home.path})}),
	);
	await pty.waitForText(/● :\d+/);
	const {stdout} = await command(['gateway', 'status', '--json'], {home: home.path});
	await post(`${JSON.parse(stdout).webhook.url}/webhooks/write`, {payload: {}});
	await pty.waitForText(/! files wants write_file for run #1 · denies in .* · ! to review/);
	const owned = stack.move();
	return {home, pty, file, [Symbol.asyncDispose]: async () => owned.disposeAsync()};
}

/** Waits until the rule over the sheet names nothing that locks the keys. */
const armed = async (pty: Pty) =>
	pty.waitFor(rows => rows.some(row => /── Approval 1 of 1 ── denies in \d:\d\d ─+$/.test(row)));

test('a request is seen, opened, and allowed by the name of its tool; then its run goes on and ends', async () => {
	await using waiting = await openWaiting();
	const {pty, file} = waiting;
	pty.press('!');
	await pty.waitForText('write_file  on files (untrusted, stdio');
	await pty.waitForText(`"${file}"`);
	await armed(pty);
	pty.press('a');
	await pty.waitForText("type the tool's name, then enter");
	await armed(pty);
	pty.press(...Array.from('write_file'));
	await pty.waitForText('> write_file');
	expect(existsSync(file)).toBe(false);
	pty.press('enter');
	await pty.waitForText('write_file: allowed');
	pty.press('7');
	await pty.waitForText(/write .* ✓ /);

	expect(await waiting.home.read('note.txt')).toBe('hello');
	pty.press('6');
	await pty.waitForText(/✓ allowed .*files .*write_file/);
	expect(pty.foreign()).toEqual([]);
});

test('"allow keys work only after the arming delay": what was typed until then allows nothing', async () => {
	await using waiting = await openWaiting();
	const {pty, file, home} = waiting;
	// In one read, then key by key: a person who types on while the sheet opens.
	pty.write('!a\r');
	await pty.waitForText(/── Approval 1 of 1 ──/);
	pty.press('a', 'r', 'enter');
	pty.write('\u001B[200~a\rwrite_file\r\u001B[201~');
	await pty.waitForText('Too early');
	await armed(pty);

	const {stdout} = await command(['approvals', 'list', '--json'], {home: home.path});
	expect(JSON.parse(stdout)).toMatchObject([{tool: 'write_file', server: 'files', run: 1}]);
	pty.press('d');
	await pty.waitForText('write_file: denied');
	pty.press('7');
	await pty.waitForText(/write .* ✓ /);
	expect(existsSync(file)).toBe(false);
});
