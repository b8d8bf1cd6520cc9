import {execFile} from 'node:child_process';
import {once} from 'node:events';
// @module-tag slow
import {chmodSync, readFileSync, statSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {promisify} from 'node:util';
import {expect, test, type TestContext, vi} from 'vitest';
import {
	sandboxSettings,
	toolsetSettings,
	toolsetsWithout,
} from '../../../source/config/toolset-settings.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createRunEgress} from '../../../source/tools/terminal/run-egress.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {need} from '../../helpers/need.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {openCodeHost, token} from '../forge-broker/open-code-host.ts';
import {type Opening, openToolset} from '../open-toolset.ts';

async function openTerminal(given: Opening, context?: Pick<TestContext, 'skip'>) {
	const opened = await openToolset('terminal', given, context);
	return {
		...opened,
		tool: opened.toolOf('terminal'),
		run: async (args: JsonObject, signal = new AbortController().signal) =>
			opened.call('terminal', args, {signal}),
	};
}

async function openLocalWeb() {
	const server = createServer(({url}, response) => {
		response.end(`arrived at ${url}\n`);
	});
	server.listen({host: '127.0.0.1', port: 0});
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

test('a command of several lines gives its exit code and both of its outputs in their order', async context => {
	await using terminal = await openTerminal({}, context);

	expect(
		await terminal.run({command: 'echo one\necho two >&2\necho "$HOME"\npwd\nexit 3'}),
	).toEqual({
		text: `exit code 3\none\ntwo\n${terminal.home.file('person')}\n${terminal.home.file('svc/work')}\n`,
	});
	expect(statSync(terminal.home.file('svc/work')).mode & 0o777).toBe(0o700);
});

const places: ReadonlyArray<readonly [string, Parameters<typeof openTerminal>[0]]> = [
	['in the sandbox', {sandbox: {read: ['~']}}],
	['without one', {path: '/nowhere', sandbox: {required: false}}],
];

test.for(places)('no startup file of the person is run, %s', async ([, options], context) => {
	await using terminal = await openTerminal(
		options,
		options.path === undefined ? context : undefined,
	);
	await terminal.home.write('person/.bashrc', 'echo started\n');

	expect(await terminal.run({command: 'test -e ~/.bashrc && echo there'})).toEqual({
		text: 'exit code 0\nthere\n',
	});
});

test('a command writes into the working folder, and starts in a folder of it', async context => {
	await using terminal = await openTerminal({}, context);

	await terminal.run({command: 'mkdir -p sub && echo x > sub/made'});
	expect(await terminal.run({command: 'cat made; pwd', workdir: 'sub'})).toEqual({
		text: `exit code 0\nx\n${terminal.home.file('svc/work/sub')}\n`,
	});
	expect(readFileSync(terminal.home.file('svc/work/sub/made'), 'utf8')).toBe('x\n');
	for (const workdir of ['/etc', '..', 'sub/../..', `${terminal.home.file('svc/work')}-other`]) {
		expect((await terminal.run({command: 'pwd', workdir})).text).toContain('does not lie in');
	}
});

test('a working folder that became a link is followed inside of the sandbox alone', async context => {
	await using terminal = await openTerminal({}, context);
	await terminal.run({command: `ln -s ${terminal.home.path} out`});

	const {text} = await terminal.run({command: 'cat .env; pwd', workdir: 'out'});

	expect(text).not.toContain('canary');
	expect(text).toContain('out');
});

test('the time limit is the smaller one, and keeps the output up to it', async context => {
	await using terminal = await openTerminal({terminal: {timeout_seconds: 0.5}}, context);

	for (const seconds of [{}, {timeout_seconds: 1000}, {timeout_seconds: 0.4}]) {
		const {text} = await terminal.run({command: 'echo before; sleep 1000', ...seconds});

		expect(text).toMatch(/^time limit reached after 0\.[45] s; the output up to it:\nbefore\n$/);
	}
});

test('a long output is cut in its middle', async context => {
	await using terminal = await openTerminal({}, context);

	const {text} = await terminal.run({
		command: 'echo start; head -c 300000 /dev/zero | tr "\\0" x; echo end',
	});

	expect(text).toMatch(/^exit code 0\nstart\nx+\n\[… 200010 bytes left out …\]\nx+end\n$/);
	expect(text.length).toBeLessThan(100_100);
});

test('a long output that is no UTF-8 is cut where it is cut', async context => {
	await using terminal = await openTerminal({}, context);

	const {text} = await terminal.run({
		command: 'head -c 60000 /dev/zero | tr "\\0" "\\377"; head -c 60000 /dev/zero | tr "\\0" x',
	});

	expect(text).toBe(
		`exit code 0\n${'\uFFFD'.repeat(50_000)}\n[… 20000 bytes left out …]\n${'x'.repeat(50_000)}`,
	);
});

test('what ends a run ends its command', async context => {
	await using terminal = await openTerminal({}, context);
	const ended = new AbortController();
	const result = terminal.run({command: 'sleep 1000'}, ended.signal);

	ended.abort(new Error('the run ended'));

	await expect(result).rejects.toThrow('the run ended');
});

const refused: ReadonlyArray<readonly [string, JsonObject]> = [
	['is no text', {}],
	['is no text', {command: ''}],
	['is no text', {command: 'echo \0'}],
	['is longer than', {command: 'x'.repeat(100_001)}],
	['no number above 0', {command: 'true', timeout_seconds: 0}],
	['no number above 0', {command: 'true', timeout_seconds: '5'}],
	['"workdir" is no text', {command: 'true', workdir: 5}],
];

test.for(refused)('arguments are refused: %s', async ([reason, args], context) => {
	await using terminal = await openTerminal({}, context);

	expect(await terminal.run(args)).toMatchObject({
		isError: true,
		text: expect.stringContaining(reason),
	});
});

test('a person is asked, unless the settings allow commands and a sandbox keeps them in', async context => {
	await using asking = await openTerminal({}, context);
	await using allowing = await openTerminal({terminal: {approval: 'allow'}}, context);

	expect(asking.tool).toMatchObject({needsApproval: true, readOnly: false});
	expect(asking.tool?.asked).toMatchObject({
		from: {kind: 'built-in'},
		tool: 'terminal',
		claims: {},
	});
	expect(asking.tool?.asked?.why).toBeUndefined();
	expect(asking.tool?.description).toContain(asking.home.file('svc/work'));
	expect(allowing.tool?.needsApproval).toBe(false);

	// In a run that is under way, too.
	allowing.change({terminal: {approval: 'ask'}});
	expect(allowing.tool?.needsApproval).toBe(true);
});

test('a run whose working folder is another one by now works in neither of both, by no toolset', async context => {
	await using tools = await openToolset(['terminal', 'file'], {}, context);
	const old = tools.home.file('svc/work');
	const workdir = tools.home.file('person/other');
	tools.change({terminal: {workdir}, file: {workdir}});

	const answers = [
		await tools.call('terminal', {command: 'touch made'}),
		await tools.call('write_file', {path: 'made', content: 'x'}),
		await tools.call('read_file', {path: '.'}),
	];

	for (const answer of answers) {
		expect(answer).toEqual({
			isError: true,
			text: expect.stringMatching(/^Cannot .*: its working folder, .* start a new run$/),
		});
	}

	expect([...(await readdir(old)), ...(await readdir(workdir))]).toEqual([]);
});

test('a listed host is reached through the proxy, and another one is a note in the run', async context => {
	need('curl', context);
	await using web = await openLocalWeb();
	const {port} = web;
	await using terminal = await openTerminal({sandbox: {hosts: [`127.0.0.1:${port}`]}}, context);

	const {text} = await terminal.run({
		command: [
			`curl -sS http://127.0.0.1:${port}/page`,
			'curl -sS http://other.example:81/',
			'curl -sS --noproxy "*" http://192.0.2.1/ || echo closed',
			'env | grep -c SVC_ ; exit 7',
		].join('\n'),
	});

	expect(text).toMatch(/^exit code 7\narrived at \/page\n/);
	expect(text).toContain('Cannot reach "other.example:81" from the sandbox');
	expect(text).toContain('closed');
	expect(terminal.notes).toEqual([
		expect.stringMatching(/^The sandbox did not reach "other\.example:81": .*sandbox\.hosts/),
	]);
});

test('nothing of the way out can be changed from inside, and it ends with the run', async context => {
	await using home = await temporaryHome();
	vi.stubEnv('TMPDIR', home.path);
	const terminal = await openTerminal({sandbox: {hosts: ['example.com']}}, context);
	const outside = async () =>
		(await readdir(home.path, {recursive: true})).filter(name => name.endsWith('.sock'));

	const {text} = await terminal.run({
		command:
			'cd /run/svc; for f in *; do rm -f $f; chmod 777 $f; mv $f x; : > $f; done 2>/dev/null; ls; stat -c %a proxy.sock',
	});

	expect(text).toMatch(/^exit code 0\nforward\.mts\nnode\nproxy\.sock\n600\n$/);
	expect(await outside()).toEqual([
		expect.stringMatching(/^svc-\w+\/svc\/run\/out\/\d+-\w+\/proxy\.sock$/),
	]);
	await terminal[Symbol.asyncDispose]();
	expect(await outside()).toEqual([]);
	vi.unstubAllEnvs();
});

test('`forge: read`: the real gh and git read the repository of the event, without the token', async context => {
	need('gh', context);
	need('git', context);
	await using repository = await temporaryHome({'work/a.txt': 'one\n'});
	const git = async (...args: readonly string[]) =>
		promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
			cwd: repository.file('work'),
		});
	await git('init', '-q', '-b', 'main');
	await git('add', '.');
	await git('commit', '-qm', 'one');
	await git('clone', '-q', '--bare', '.', repository.file('acme/shop.git'));
	await using host = await openCodeHost(repository.path);
	await using terminal = await openTerminal(
		{
			terminal: {forge: 'read'},
			forge: {cli: 'gh', host: 'github.com', repository: 'acme/shop', token: async () => token},
			askCodeHost: host.send,
		},
		context,
	);

	const read = await terminal.run({
		command: [
			'gh pr view 7 --repo acme/shop --json number --jq .number',
			'git clone -q https://github.com/acme/shop.git && cat shop/a.txt',
			'git clone -q git@github.com:acme/shop.git again && cat again/a.txt',
			'gh pr view 7 --json number --jq .number',
			'cd shop && gh pr view 7 --json number --jq .number && gh pr checks 7',
		].join('\n'),
	});
	const others = await terminal.run({
		command: [
			'gh api user',
			'git ls-remote https://github.com/acme/other.git',
			'cd shop && git push -q origin main:x',
			'env; grep -r "" /run/svc/forge; gh auth token',
		].join('\n'),
	});

	expect(read).toEqual({
		text: expect.stringMatching(/^exit code 0\n7\none\none\n7\n7\nbuild\tpass\t/),
	});
	expect(others.text).toContain('it is not below /repos/acme/shop');
	expect(others.text).toContain('it is not acme/shop');
	expect(others.text).toContain('placeholder');
	expect(`${read.text}${others.text}`).not.toContain(token);
	expect(terminal.notes).toEqual([
		expect.stringContaining('did not send "GET /user": '),
		expect.stringContaining('did not send "GET /acme/other.git/'),
		expect.stringContaining('did not send "GET /acme/shop.git/info/refs?service=git-receive-pack'),
	]);
});

test('`forge: read`: the client that is first on the PATH of the gateway is the one inside', async context => {
	await using folder = await temporaryHome({
		'bin/hub-of-ours': '#!/bin/sh\necho "ours $GH_HOST"\n',
	});
	chmodSync(folder.file('bin/hub-of-ours'), 0o755);
	await using terminal = await openTerminal(
		{
			terminal: {forge: 'read'},
			forge: {cli: 'hub-of-ours', host: 'git.acme.example', token: async () => ''},
			path: `${folder.file('bin')}:${process.env['PATH']}`,
		},
		context,
	);

	expect(await terminal.run({command: 'hub-of-ours; command -v hub-of-ours'})).toEqual({
		text: 'exit code 0\nours git.acme.example\n/run/svc/bin/hub-of-ours\n',
	});
});

test('`forge: read`: an event about no repository gets 403, and a client without a login is a note', async context => {
	need('curl', context);
	const curl = 'curl -s --unix-socket /run/svc/forge.sock http://api.github.com/repos/acme/shop';
	await using none = await openTerminal({terminal: {forge: 'read'}}, context);
	await using loggedOut = await openTerminal(
		{
			terminal: {forge: 'read'},
			forge: {
				cli: 'gh',
				host: 'github.com',
				repository: 'acme/shop',
				token: async () => {
					throw new Error('Cannot get the token of "gh": log in');
				},
			},
		},
		context,
	);

	expect((await none.run({command: curl})).text).toContain('the event is about no repository');
	expect(none.notes).toHaveLength(1);
	expect(await loggedOut.run({command: 'echo goes on; ls /run/svc 2>&1'})).toMatchObject({
		text: expect.stringMatching(/^exit code 2\ngoes on\n/),
	});
	await loggedOut.run({command: 'true'});
	expect(loggedOut.notes).toEqual([
		'The code host cannot be read from the sandbox: Cannot get the token of "gh": log in',
	]);
});

test('`forge: read`: a client that gives no token is asked once a minute, and nothing is opened for it', async () => {
	await using home = await temporaryHome();
	vi.stubEnv('TMPDIR', home.path);
	const clock = createFakeClock();
	let asked = 0;
	const notes: string[] = [];
	await using stack = new AsyncDisposableStack();
	const ways = createRunEgress(
		{
			id: 1,
			signal: new AbortController().signal,
			profile: {
				name: 'default',
				home: home.path,
				svcHome: home.path,
				userHome: home.path,
				environment: {},
			},
			isUnsigned: false,
			forge: {
				cli: 'gh',
				host: 'github.com',
				repository: 'acme/shop',
				async token() {
					asked += 1;
					throw new Error('log in');
				},
			},
			note: text => notes.push(text),
		},
		{
			clock,
			redact: text => text,
			log: silentLogger,
			settings: () => ({
				...toolsetsWithout(),
				terminal: toolsetSettings.terminal.read({forge: 'read'}),
			}),
			sandbox: () => sandboxSettings.read({}),
		},
		stack,
	);
	const plan = {cwd: '/', mounts: [], secrets: [], sockets: [], env: {}, prelude: []};

	await Promise.all([ways(plan), ways(plan)]);
	clock.advance(59_999);
	expect(await ways(plan)).toBe(plan);
	expect({asked, notes: notes.length}).toEqual({asked: 1, notes: 1});

	clock.advance(1);
	await ways(plan);
	expect({asked, notes: notes.length}).toEqual({asked: 2, notes: 1});
	expect(await readdir(home.path)).toEqual([]);
	vi.unstubAllEnvs();
});

test('without a sandbox the toolset is not offered, and the reason is said', async () => {
	await using terminal = await openTerminal({path: '/nowhere'});

	expect(terminal.tool).toBeUndefined();
	expect(terminal.dropped).toMatch(/^no sandbox works here: /);
});

test('`required: false`: without a sandbox each call asks, whatever is allowed, and says why', async () => {
	await using terminal = await openTerminal({
		path: '/nowhere',
		sandbox: {required: false},
		terminal: {approval: 'allow'},
	});

	expect(terminal.dropped).toBeUndefined();
	expect(terminal.tool?.needsApproval).toBe(true);
	expect(terminal.tool?.asked?.why).toMatch(
		/^no sandbox works here: .*; it runs with all rights of the gateway$/,
	);
	expect(await terminal.run({command: 'echo ran; echo "[$TOKEN]"'})).toEqual({
		text: 'exit code 0\nran\n[]\n',
	});
});

test('`required: false`: the limits hold for the command itself, too, and for what it starts first', async () => {
	await using terminal = await openTerminal({
		path: '/nowhere',
		sandbox: {required: false},
		terminal: {max_memory_mb: 40, max_processes: 4, timeout_seconds: 8},
	});
	const holds = `/usr/bin/python3 -c "import time; x = bytearray(60 * 2**20); x[::4096] = b'x' * len(x[::4096]); time.sleep(1000)"`;
	const sleeps = '/bin/sleep 1000 & /bin/sleep 1000 & /bin/sleep 1000 & /bin/sleep 1000 &';

	const ends = [holds, `${holds}; true`, `true; (${holds}; true); true`, `${sleeps} wait`].map(
		async command => (await terminal.run({command})).text.split(';')[0],
	);

	expect(await Promise.all(ends)).toEqual([
		'ended: more than 40 MB of memory',
		'ended: more than 40 MB of memory',
		'ended: more than 40 MB of memory',
		'ended: more than 4 processes at once',
	]);
});

test('routes with INSECURE_NO_AUTH do not get it', async () => {
	await using terminal = await openTerminal({isUnsigned: true});

	expect(terminal.dropped).toContain('INSECURE_NO_AUTH');
});

const slips: ReadonlyArray<readonly [string, Parameters<typeof openTerminal>[0], string]> = [
	['a list that cannot be read', {broken: 'sandbox.read: 5 is no list'}, 'sandbox.read'],
	['a key of the person', {sandbox: {read: ['~/.ssh']}}, 'sandbox.read: "'],
	['what is not there', {sandbox: {read: ['/nowhere/at/all']}}, 'is not there'],
	['the folder of svc', {sandbox: {write: ['~/../svc']}}, 'is out of reach'],
	['everything', {sandbox: {read: ['/']}}, 'never opened whole'],
	['the home, to write', {sandbox: {write: ['~']}}, 'sandbox.write: "'],
	['the system, to write', {sandbox: {write: ['/usr/local']}}, 'belongs to the system'],
	['other processes', {sandbox: {read: ['/proc/1']}}, 'belongs to the system'],
];

test.for(slips)(
	'a slip in the lists takes the toolset out, and is named: %s',
	async ([, given, said]) => {
		await using terminal = await openTerminal(given);

		expect(terminal.tool).toBeUndefined();
		expect(terminal.dropped).toContain(said);
	},
);

test('a person is shown the command in its lines, where it runs and for how long', async context => {
	await using terminal = await openTerminal({}, context);
	const signal = new AbortController().signal;

	expect(
		await terminal.tool?.preview?.({command: 'one\n\ttwo \u202e', timeout_seconds: 9000}, {signal}),
	).toEqual({
		preview: {
			title: 'command',
			facts: [
				{name: 'workdir', value: terminal.home.file('svc/work')},
				{name: 'time limit', value: '120 s'},
			],
			lines: ['one', '\ttwo \u202e'],
		},
	});
	expect(
		await terminal.tool?.preview?.({command: 'x\n'.repeat(3000)}, {signal}),
	).not.toHaveProperty('preview.lines');
	expect(await terminal.tool?.preview?.({command: ''}, {signal})).toEqual({
		problem: expect.stringContaining('is no text'),
	});
});

test('a command that begins with a dash is a command', async context => {
	await using terminal = await openTerminal({}, context);

	expect(await terminal.run({command: '-c "echo as an option"'})).toMatchObject({
		text: expect.stringMatching(/^exit code 127\n.*-c: command not found/s),
	});
});
