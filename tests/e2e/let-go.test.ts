// @module-tag slow
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readlinkSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {expect, test} from 'vitest';
import {command} from '../cli/command.ts';
import {gatewayHome, testConfig} from '../helpers/gateway.ts';
import {officialProgram} from '../helpers/official-program.ts';
import {post} from '../helpers/post.ts';
import {isGone, processAt, until} from '../helpers/processes.ts';
import {openPty, type Pty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';
import {startAuthorizationServer} from '../mcp/servers/authorization-server.ts';
import {answerCode} from '../mcp/servers/surf.ts';

const [node, script] = svcCommand;
const launcher = resolve('build/svc');
const filesystem = officialProgram('filesystem');

const environmentOf = (home: TemporaryHome) =>
	svcEnvironment({
		home: home.path,
		env: {PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, BROWSER: 'false'},
	});

/** What a person starts, in a shell that says how it ended. */
const openInShell = (home: TemporaryHome, ...starts: readonly string[]): Pty =>
	openPty(
		'/bin/sh',
		[
			'-c',
			['trap : INT\n', ...starts.map(words => `'${launcher}' ${words}; echo "code $?"\n`)].join(''),
		],
		{
			columns: 80,
			rows: 24,
			env: environmentOf(home),
		},
	);

const attach = (home: TemporaryHome): Pty =>
	openPty(node, [script], {columns: 80, rows: 24, env: environmentOf(home)});

const jsonOf = async (home: TemporaryHome, words: readonly string[]) =>
	JSON.parse((await command([...words, '--json'], {home: home.path})).stdout);

const statusOf = async (home: TemporaryHome) => jsonOf(home, ['gateway', 'status']);

/** Ends what a test has left in the background. */
const ending = (home: TemporaryHome): AsyncDisposable => ({
	async [Symbol.asyncDispose]() {
		const pid = Number(await home.read('run/gateway.pid').catch(() => '0'));
		if (pid > 0 && !isGone(pid)) {
			process.kill(pid, 'SIGKILL');
			await until(() => isGone(pid));
		}
	},
});

/** Files, terminals and sockets that a process has open. Linux. */
const openFiles = (pid: number): readonly string[] =>
	readdirSync(`/proc/${pid}/fd`).map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`));

test('a line that drops ends nothing: the approval waits, the login completes, two faces attach and one answers', async () => {
	await using site = await startAuthorizationServer();
	await using home = await gatewayHome();
	await using _ = ending(home);
	const file = home.file('note.txt');
	const call = JSON.stringify({path: file, content: 'hello'});
	await home.write(
		'config.yaml',
		testConfig({
			mcp_servers: {
				files: {command: node, args: [filesystem, home.path], trust: 'untrusted'},
				crm: {url: site.url, auth: 'oauth', trust: 'full', oauth: {flow: 'device'}},
			},
		}),
	);
	await home.write(
		'webhook_subscriptions.json',
		JSON.stringify({
			write: {prompt: `/tool mcp__files__write_file ${call}`, secret: 'INSECURE_NO_AUTH'},
		}),
	);

	await using pty = openInShell(home, '');
	await pty.waitForText(/● :\d+/);
	const {pid, webhook, seat} = await statusOf(home);
	expect(seat).toBe('interface');
	await post(`${webhook.url}/webhooks/write`, {payload: {}});
	await pty.waitForText('wants write_file for run #1');
	pty.press('4');
	await pty.waitForText(/! 1 login\b|needs login/);
	pty.press('j', 'd');
	const screen = await pty.waitForText(/2 type [A-Z]{4}-[A-Z]{4}/);
	const [, code = ''] = /2 type ([A-Z]{4}-[A-Z]{4})/.exec(screen.join('\n')) ?? [];
	const before = await jsonOf(home, ['approvals', 'list']);

	const {parent} = processAt(pid) ?? {};
	pty.hangUp();
	await until(() => isGone(parent ?? 0));
	process.kill(pid, 'SIGHUP');
	expect(await statusOf(home)).toMatchObject({pid, seat: 'background', runs: {active: 1}});
	expect(await jsonOf(home, ['approvals', 'list'])).toEqual(before);
	expect(JSON.parse(await home.read('tui-state.json'))).toMatchObject({pane: 'logins'});

	await answerCode(`${site.issuer}/device?user_code=${code}`);
	await expect
		.poll(async () => (await statusOf(home)).servers, {timeout: 20_000})
		.toContainEqual(expect.objectContaining({name: 'crm', status: 'connected'}));

	await using other = attach(home);
	await using face = attach(home);
	await Promise.all([
		face.waitForText('wants write_file for run #1'),
		other.waitForText('wants write_file for run #1'),
	]);
	other.press('!');
	face.press('!');
	const armed = /── Approval 1 of 1 ── denies in \d:\d\d ─+$/;
	await Promise.all([face.waitForText(armed), other.waitForText(armed)]);
	face.press('a');
	await face.waitForText("type the tool's name, then enter");
	await face.waitForText(armed);
	face.press(...Array.from('write_file'));
	await face.waitForText('> write_file');
	face.press('enter');
	await face.waitForText('write_file: allowed');
	await other.waitFor(rows => !rows.some(row => row.includes('Approval 1 of 1')));
	face.press('7');
	await face.waitForText(/write .* ✓ /);
	expect(await home.read('note.txt')).toBe('hello');

	process.kill(pid, 'SIGTERM');
	await until(() => isGone(pid));
	expect(existsSync(home.file('run/gateway.pid'))).toBe(false);
	await face.waitForText('does not answer');
	face.hangUp();
	await until(() => isGone(face.pid));
}, 60_000);

test('by key the shell has its prompt back, and the gateway serves until it is stopped', async () => {
	await using home = await gatewayHome();
	await using _ = ending(home);
	await using pty = openInShell(home, '');
	await pty.waitForText(/● :\d+/);
	const {pid, webhook} = await statusOf(home);

	// A line that stalls takes less than this: what is drawn waits, and nothing else does.
	pty.pause();
	for (let turn = 0; turn < 40; turn++) {
		pty.press('8', '5', '3', '1');
		// oxlint-disable-next-line no-await-in-loop -- between the keys, so that each is drawn
		expect((await fetch(`${webhook.url}/health`)).status).toBe(200);
	}

	pty.resume();
	pty.press('6');
	await pty.waitForText(/\[6 ?Appr/);

	pty.press('B');
	await pty.waitForText('code 0');
	await pty.exited;
	expect(pty.isAlternateScreen()).toBe(false);
	expect(pty.lines().join('')).toContain(
		`The gateway goes on, process ${pid}: "svc" attaches, "svc gateway stop" ends it`,
	);
	expect(openFiles(pid).filter(path => path.startsWith('/dev/pts/'))).toEqual([]);
	expect((await fetch(`${webhook.url}/health`)).status).toBe(200);
	const {stdout} = await command(['gateway', 'status'], {home: home.path});
	expect(stdout).toContain('in the background');
	expect((await command(['gateway', 'stop'], {home: home.path})).code).toBe(0);
	await until(() => isGone(pid));
});

test('whatever ends svc, the shell hears it from the launcher, on a terminal in order; lines let go, too', async () => {
	await using home = await gatewayHome();
	await using _ = ending(home);
	await using pty = openInShell(home, '', '-p default', '--output compact', '--output=compact');
	const started = async (ends: number) => {
		await pty.waitFor(() => pty.written().split(/code \d/).length === ends + 1);
		await expect.poll(async () => (await statusOf(home)).running, {timeout: 20_000}).toBe(true);
		const {pid} = await statusOf(home);
		return {pid, launched: processAt(pid)?.parent ?? 0};
	};

	const killed = await started(0);
	await pty.waitForText(/● :\d+/);
	process.kill(killed.pid, 'SIGKILL');
	await pty.waitForText('code 137');
	expect(pty.isBracketedPaste()).toBe(false);

	const asked = await started(1);
	await pty.waitForText(/● :\d+/);
	process.kill(asked.launched, 'SIGTERM');
	await pty.waitForText('code 0');
	expect(isGone(asked.pid)).toBe(true);
	expect(pty.isAlternateScreen()).toBe(false);

	await started(2);
	await pty.waitForText('listening on');
	pty.press('ctrl+c');
	await pty.waitFor(() => pty.written().split('code 0').length === 3);

	const dropped = await started(3);
	pty.hangUp();
	await until(() => isGone(dropped.launched));
	expect(await statusOf(home)).toMatchObject({pid: dropped.pid, seat: 'background'});
	expect((await command(['gateway', 'stop'], {home: home.path})).code).toBe(0);
	await until(() => isGone(dropped.pid));
	expect(await home.read('logs/gateway.out')).toBe('');
}, 60_000);

test('an output that cannot be written is said, and ends nothing', async () => {
	await using home = await gatewayHome();
	await using _ = ending(home);
	mkdirSync(home.file('logs/gateway.out'), {recursive: true});
	await using pty = openInShell(home, '');
	await pty.waitForText(/● :\d+/);
	const {pid} = await statusOf(home);
	pty.press('B');
	await pty.waitForText('code 0');
	expect(pty.lines().join('')).toContain('gateway.out');
	await pty.exited;
	expect(await statusOf(home)).toMatchObject({running: true, pid, seat: 'background'});
	expect((await command(['gateway', 'stop'], {home: home.path})).code).toBe(0);
	await until(() => isGone(pid));
});

test.for(['a folder', 'a pipe'])(
	'where the state of the interface can be neither read nor kept it opens, and the gateway goes on all the same: %s',
	async kind => {
		await using home = await gatewayHome();
		await using _ = ending(home);
		await home.write('config.yaml', testConfig({}));
		if (kind === 'a pipe') {
			execFileSync('mkfifo', [home.file('tui-state.json')]);
		} else {
			mkdirSync(home.file('tui-state.json'));
		}

		await using pty = openInShell(home, '');
		await pty.waitForText(/● :\d+/);
		const {pid} = await statusOf(home);
		const {parent} = processAt(pid) ?? {};
		pty.hangUp();
		await until(() => isGone(parent ?? 0));
		expect(await statusOf(home)).toMatchObject({pid, seat: 'background'});
	},
);
