// @module-tag slow
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	closeSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {afterAll, beforeAll, expect, test, type TestContext} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {createFileHelper} from '../../../source/tools/file/helper-process.ts';
import {sandboxPlan, type SandboxLists} from '../../../source/tools/sandbox/plan.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {runInSandbox, sandboxLaunch} from '../../../source/tools/sandbox/run-in-sandbox.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';

/**
 * Each canary is a command that gets out where nothing keeps it in: it is run without a sandbox first and has to succeed there, so that
 * a canary that is dead cannot pass. `@NAME` in a command is a place of the world below.
 */
const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-canary-')));
const place = (name: string) => join(root, name);
const home = place('person');
const work = place('work');
const secret = 'canary-secret-4711';

const probe = await probeSandbox(process.env);

const needSandbox = ({skip}: Pick<TestContext, 'skip'>): string => {
	if (!probe.works) {
		return skip(`no sandbox works here: ${probe.reason}`);
	}

	return probe.bwrap;
};

const write = (path: string, text: string) => {
	mkdirSync(join(path, '..'), {recursive: true});
	writeFileSync(path, text);
};

beforeAll(() => {
	for (const folder of [home, work, place('outside'), place('read'), place('svc')]) {
		mkdirSync(folder, {recursive: true});
	}

	write(join(home, '.ssh/id_ed25519'), secret);
	write(join(home, '.config/gh/hosts.yml'), secret);
	write(join(home, '.netrc'), secret);
	write(join(home, 'notes/open.txt'), 'notes');
	write(place('svc/.env'), secret);
	write(place('svc/run/note'), secret);
	write(place('svc/profiles/other/.env'), secret);
	write(place('outside/file'), secret);
	write(place('read/open.txt'), 'read');
	symlinkSync(place('outside'), join(work, 'absolute'));
	symlinkSync('../outside', join(work, 'relative'));
	symlinkSync('../outside/new', join(work, 'dangling'));
	symlinkSync('../outside', join(work, `quotes "'$(id)`));
});

afterAll(() => {
	rmSync(root, {recursive: true, force: true});
});

const world = systemWorld({
	userHome: home,
	svcHome: place('svc'),
	profileHome: place('svc'),
	environment: process.env,
});

function planFor(lists: Partial<SandboxLists> = {}) {
	const planned = sandboxPlan(
		{workdir: work, read: [place('read')], write: [], memoryBytes: 2 ** 26, ...lists},
		world,
	);
	if (planned.kind === 'problem') {
		throw new Error(JSON.stringify(planned.problem));
	}

	return planned.plan;
}

async function inside(
	context: Pick<TestContext, 'skip'>,
	command: string,
	{
		lists,
		limits = {maxProcesses: 64, maxMemoryBytes: 2 ** 28},
		timeoutMs = 20_000,
	}: {
		readonly lists?: Partial<SandboxLists>;
		readonly limits?: {readonly maxProcesses: number; readonly maxMemoryBytes: number};
		readonly timeoutMs?: number;
	} = {},
) {
	return runInSandbox(
		['/bin/bash', '-c', `exec 2>&1; ${command}`],
		{
			bwrap: needSandbox(context),
			plan: planFor(lists),
			signal: new AbortController().signal,
			timeoutMs,
			limits,
			outputBytes: 20_000,
		},
		{clock: systemClock},
	);
}

const outputOf = (exit: Awaited<ReturnType<typeof inside>>): string =>
	exit.kind === 'not-started' ? exit.reason : exit.output;

const outside = (command: string) =>
	spawnSync('/bin/bash', ['-c', `exec 2>&1; ${command}`], {cwd: work, encoding: 'utf8'}).stdout;

/** What is read without a sandbox, and with one is not. */
const reads: ReadonlyArray<readonly [string, string, control?: string]> = [
	['a key of the person', `cat ${home}/.ssh/id_ed25519`],
	['the token of the forge client', `cat ${home}/.config/gh/hosts.yml`],
	['passwords of hosts', `cat ${home}/.netrc`],
	['the secrets of svc', `cat ${place('svc/.env')}`],
	['the secrets of another profile', `cat ${place('svc/profiles/other/.env')}`],
	['a file that is not listed', `cat ${place('outside/file')}`],
	['that file through an absolute link', 'cat absolute/file'],
	['that file through a relative link', 'cat relative/file'],
	['that file through /proc/self/root', `cat /proc/self/root${place('outside/file')}`],
	[
		'that file through /proc/1/root',
		`cat /proc/1/root${place('outside/file')}`,
		`cat /proc/$PPID/root${place('outside/file')}`,
	],
	['that file through the working folder of others', `cat /proc/[0-9]*/cwd/../outside/file`],
	['that file through the roots of others', `cat /proc/[0-9]*/root${place('outside/file')}`],
];

test.for(reads)('%s cannot be read', async ([, command, control = command], context) => {
	expect(outside(control)).toContain(secret);

	const exit = await inside(context, `${command}; echo ran`);

	expect(outputOf(exit)).toContain('ran');
	expect(outputOf(exit)).not.toContain(secret);
});

/** What `read_file` of a run may be asked for; without the sandbox each has the secret. */
const paths: ReadonlyArray<readonly [string, string]> = [
	['a key of the person', join(home, '.ssh/id_ed25519')],
	['the secrets of svc', place('svc/.env')],
	['the secrets of another profile', place('svc/profiles/other/.env')],
	['a file that is not listed', place('outside/file')],
	['that file by way of the working folder', join(work, '../outside/file')],
	['that file through an absolute link', 'absolute/file'],
	['that file through a relative link', 'relative/file'],
	['that file through /proc/self/root', `/proc/self/root${place('outside/file')}`],
	['that file through a name with quotes', `quotes "'$(id)/file`],
];

test.for(paths)('the tools for files do not reach %s', async ([, path], context) => {
	const real = isAbsolute(path) ? path : join(work, path);
	expect(readFileSync(real, 'utf8')).toBe(secret);

	const inSandbox = {kind: 'sandbox', bwrap: needSandbox(context), plan: planFor()} as const;
	const signal = new AbortController().signal;
	await using helper = createFileHelper({clock: systemClock});
	const ask = async (call: Parameters<typeof helper.ask>[0]) => helper.ask(call, inSandbox, signal);

	// It runs: a listed file is read.
	const listed = place('read/open.txt');
	expect(await ask({act: 'read', path: listed, offset: 1, limit: 1})).toMatchObject({text: 'read'});
	for (const call of [
		{act: 'read', path, offset: 1, limit: 10},
		{act: 'search', path, pattern: 'canary'},
		{act: 'preview', change: {kind: 'edit', path, oldText: secret, newText: 'x'}},
		{act: 'change', change: {kind: 'edit', path, oldText: secret, newText: 'x'}},
		{act: 'change', change: {kind: 'write', path, content: 'x'}},
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one helper takes one call
		expect(JSON.stringify(await ask(call))).not.toContain(secret);
	}

	expect(readFileSync(real, 'utf8')).toBe(secret);
});

test('the tools for files write nothing through a dangling link, nor into what is read-only', async context => {
	const inSandbox = {kind: 'sandbox', bwrap: needSandbox(context), plan: planFor()} as const;
	await using helper = createFileHelper({clock: systemClock});
	const put = async (path: string) =>
		helper.ask(
			{act: 'change', change: {kind: 'write', path, content: 'x'}},
			inSandbox,
			new AbortController().signal,
		);

	expect(await put('dangling')).toMatchObject({
		isError: true,
		text: expect.stringContaining('a link'),
	});
	expect(await put(place('read/new'))).toMatchObject({isError: true});
	expect(await put('own')).not.toHaveProperty('isError');
	expect(existsSync(place('outside/new'))).toBe(false);
	expect(existsSync(place('read/new'))).toBe(false);
	expect(readFileSync(join(work, 'own'), 'utf8')).toBe('x');
});

test('listed folders are there as they are listed', async context => {
	const exit = await inside(
		context,
		`cat ${place('read/open.txt')}; echo x > made && cat made; : > ${place('read/new')}; pwd`,
	);

	expect(outputOf(exit)).toContain('read');
	expect(outputOf(exit)).toContain('Read-only file system');
	expect(readFileSync(join(work, 'made'), 'utf8')).toBe('x\n');
	expect(outputOf(exit).trimEnd().endsWith(work)).toBe(true);
});

test('keys in a folder that is listed are covered, by an empty place', async context => {
	const command = `cat ${home}/.ssh/id_ed25519 ${home}/.netrc ${home}/.config/gh/hosts.yml; cat ${home}/notes/open.txt; : > ${home}/.ssh/authorized_keys; ls -A ${home}/.ssh`;
	expect(outside(command)).toContain(secret);
	rmSync(join(home, '.ssh/authorized_keys'));

	const exit = await inside(context, command, {lists: {read: [home]}});

	expect(outputOf(exit)).toContain('notes');
	expect(outputOf(exit)).not.toContain(secret);
	expect(existsSync(join(home, '.ssh/authorized_keys'))).toBe(false);
	expect(readdirSync(join(home, '.ssh'))).toEqual(['id_ed25519']);
});

/** What is written without a sandbox, and with one is not. */
const writes: ReadonlyArray<readonly [string, string, string]> = [
	['beside the working folder', `echo x > ${place('outside/new')}`, 'outside/new'],
	['through an absolute link', 'echo x > absolute/new', 'outside/new'],
	['through a relative link', 'echo x > relative/new', 'outside/new'],
	['through a dangling link', 'echo x > dangling', 'outside/new'],
	['a folder in the home', `mkdir ${home}/new`, 'person/new'],
	['the configuration of svc', `echo x > ${place('svc/config.yaml')}`, 'svc/config.yaml'],
	[
		'through the root of others',
		`for root in /proc/[0-9]*/root; do echo x > $root${place('outside/new')}; done`,
		'outside/new',
	],
];

test.for(writes)('nothing is written: %s', async ([, command, made], context) => {
	outside(command);
	expect(existsSync(place(made))).toBe(true);
	rmSync(place(made), {recursive: true});

	const exit = await inside(context, `${command}; echo ran`);

	expect(outputOf(exit)).toContain('ran');
	expect(existsSync(place(made))).toBe(false);
});

test('settings of the kernel that belong to no namespace cannot be written, also as root', async context => {
	const exit = await inside(
		context,
		'for file in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger /proc/mtrr /proc/pressure/cpu; do (: >> $file) && echo "open $file"; done; echo ran',
	);

	expect(outputOf(exit)).toContain('ran');
	expect(outputOf(exit)).not.toContain('open /');
});

test('the environment of the gateway and of other processes stays outside', async context => {
	process.env['SVC_CANARY'] = secret;
	const sleeper = spawn('sleep', ['1000'], {env: {...process.env}});
	try {
		const command = 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"; env';
		expect(outside(command)).toContain(secret);

		const exit = await inside(context, `${command}; echo ran`);

		expect(outputOf(exit)).toContain('ran');
		expect(outputOf(exit)).not.toContain(secret);
	} finally {
		sleeper.kill('SIGKILL');
		delete process.env['SVC_CANARY'];
	}
});

test('processes outside are not seen and cannot be ended', async context => {
	const sleeper = spawn('sleep', ['1000']);
	try {
		const exit = await inside(context, `kill -9 ${sleeper.pid}; kill -9 -1; echo gone`);

		expect(exit.kind).toBe('exited');
		expect(sleeper.exitCode).toBe(null);
		expect(process.kill(sleeper.pid ?? 0, 0)).toBe(true);
		const list = await inside(context, 'ls -d /proc/[0-9]*');
		expect(outputOf(list)).not.toContain(`/proc/${sleeper.pid}\n`);
	} finally {
		sleeper.kill('SIGKILL');
	}
});

const connects = (path: string) =>
	`python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('${path.replace('@', '\\0')}'); print('connected')"`;

test.for([
	['by its path', place('svc/run/gateway.sock')],
	['by its abstract name', '@svc-canary'],
] as const)('the socket of the gateway is not reached %s', async ([, path], context) => {
	const server = createServer(socket => socket.destroy());
	await new Promise<void>(resolve => {
		server.listen(path.replace('@', '\0'), resolve);
	});
	try {
		const client = spawn('/bin/bash', ['-c', connects(path)]);
		const text = await new Promise<string>(resolve => {
			let all = '';
			client.stdout.on('data', chunk => (all += String(chunk)));
			client.once('close', () => {
				resolve(all);
			});
		});
		expect(text).toContain('connected');

		const exit = await inside(context, `${connects(path)}; echo ran`);

		expect(outputOf(exit)).toContain('ran');
		expect(outputOf(exit)).not.toContain('connected');
	} finally {
		server.close();
	}
});

test('nothing on the network is reached: an address, a name, the machine below', async context => {
	const server = createServer(socket => socket.end('reached\n'));
	await new Promise<void>(resolve => {
		server.listen(0, '127.0.0.1', resolve);
	});
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : 0;
	try {
		const exit = await inside(
			context,
			`cat < /dev/tcp/127.0.0.1/${port}; (: < /dev/tcp/1.1.1.1/53) && echo reached; python3 - <<'END'
import socket
for family in (socket.AF_PACKET, getattr(socket, 'AF_VSOCK', 40), 38):
    try:
        socket.socket(family, socket.SOCK_STREAM if family != socket.AF_PACKET else socket.SOCK_RAW); print('reached', family)
    except OSError as error:
        print('refused', error.errno)
try:
    socket.getaddrinfo('example.com', 80); print('reached by name')
except OSError:
    print('no name')
END
ls /sys/class/net 2>/dev/null; cat /etc/resolv.conf; echo ran`,
		);

		expect(outputOf(exit)).toContain('no name');
		expect(outputOf(exit).match(/^refused \d+$/gm)).toHaveLength(3);
		expect(outputOf(exit)).not.toContain('reached');
	} finally {
		server.close();
	}
});

test('descriptors that are open outside are not inherited', async context => {
	const bwrap = needSandbox(context);
	const {command, args, feeds} = sandboxLaunch({bwrap, plan: planFor()}, [
		'/bin/bash',
		'-c',
		'ls -l /proc/[0-9]*/fd; echo ran',
	]);
	expect(feeds.length).toBeGreaterThan(0);
	// Its own program, started with descriptor 9 open, starts the sandbox as the gateway would.
	const script = `
		import {spawnSync} from 'node:child_process';
		import {sandboxLaunch} from '${join(import.meta.dirname, '../../../source/tools/sandbox/run-in-sandbox.ts')}';
		const plan = JSON.parse(process.env.PLAN);
		const launch = sandboxLaunch({bwrap: '${bwrap}', plan}, ['/bin/bash', '-c', 'ls -l /proc/[0-9]*/fd; echo ran']);
		const {spawn} = await import('node:child_process');
		const child = spawn(launch.command, launch.args, {stdio: ['ignore', 'inherit', 'inherit', ...launch.feeds.map(() => 'pipe')]});
		launch.feeds.forEach((feed, index) => child.stdio[3 + index].end(feed));
		console.log(spawnSync('ls', ['-l', '/proc/self/fd'], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit']}).stdout);
	`;
	expect(command === bwrap || args.includes(bwrap)).toBe(true);
	const descriptor = openSync(place('outside/file'), 'r');
	const output = execFileSync(
		'/bin/bash',
		[
			'-c',
			`exec 19<${place('outside/file')}; exec "$0" --input-type=module -e "$1"`,
			process.execPath,
			script,
		],
		{encoding: 'utf8', env: {...process.env, PLAN: JSON.stringify(planFor())}},
	);
	closeSync(descriptor);
	const [control = '', sandboxed = ''] = output.includes('/proc/1/fd')
		? [output, output.slice(output.indexOf('/proc/1/fd'))]
		: [output];

	expect(control).toContain(`19 -> ${place('outside/file')}`);
	expect(sandboxed).toContain('ran');
	expect(sandboxed.slice(0, sandboxed.indexOf('ran'))).not.toContain('outside/file');
});

test('a descriptor that a command sends over its output does not arrive', async context => {
	const send = `python3 -c "
import array, socket
end = socket.socket(fileno=1)
end.sendmsg([b'sent'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))])
"`;
	await inside(context, 'true');
	const before = readdirSync('/proc/self/fd').length;

	const exit = await inside(context, `${send}; echo; echo ran`);

	expect(outputOf(exit)).toBe('sent\nran\n');
	expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
});

test('no program gets more rights by its mode, and none is left', async context => {
	const exit = await inside(
		context,
		'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; cp /bin/id own; chmod u+s own; mount | grep -v nosuid; unshare -U true; unshare -m true; chroot / true; echo ran',
	);

	const text = outputOf(exit);
	expect(text.match(/^Cap\w+:\t0000000000000000$/gm)).toHaveLength(5);
	expect(text).toContain('NoNewPrivs:\t1');
	expect(text).toContain('Seccomp:\t2');
	expect(text).not.toMatch(/^\S+ on \//m);
	expect(text.match(/not permitted/g)?.length).toBeGreaterThanOrEqual(3);
});

test('nothing is typed into a terminal, and no process outside is traced', async context => {
	const exit = await inside(
		context,
		`python3 - <<'END'
import ctypes, fcntl, os
libc = ctypes.CDLL(None, use_errno=True)
for request in (0x5412, 0x541c):
    try:
        fcntl.ioctl(0, request, b'x'); print('typed')
    except OSError as error:
        print('refused', error.errno)
try:
    os.open('/dev/tty', os.O_RDWR); print('has a terminal')
except OSError as error:
    print('no terminal')
print('traced' if libc.ptrace(16, ${process.pid}, 0, 0) == 0 else 'not traced')
print('keyring', libc.syscall(250, 0, -3, 0), ctypes.get_errno())
END`,
	);

	const text = outputOf(exit);
	expect(text.match(/refused 1\n/g)).toHaveLength(2);
	expect(text).toContain('no terminal');
	expect(text).toContain('not traced');
	expect(text).not.toContain('typed');
});

test('what a command leaves running ends with its call', async context => {
	const exit = await inside(
		context,
		'(setsid nohup bash -c "while :; do date +%s%N > alive; sleep 0.02; done" > /dev/null 2>&1 &) ; while ! [ -e alive ]; do sleep 0.01; done; echo ran',
	);
	const first = readFileSync(join(work, 'alive'), 'utf8');

	expect(outputOf(exit)).toContain('ran');
	// Another call takes longer than the loop that would go on writing.
	await inside(context, 'sleep 0.1');
	expect(readFileSync(join(work, 'alive'), 'utf8')).toBe(first);
});

test('a fork bomb ends within seconds, and leaves nothing that goes on forking', async context => {
	const before = readdirSync('/proc').length;

	const exit = await inside(context, 'echo started; :(){ :|:& };:; sleep 1000', {
		limits: {maxProcesses: 20, maxMemoryBytes: 2 ** 28},
	});

	expect(exit).toMatchObject({kind: 'above-limit', limit: 'more than 20 processes at once'});
	expect(outputOf(exit)).toContain('started');
	expect(readdirSync('/proc').length).toBeLessThan(before + 500);
});

test('processes that only wait count, too', async context => {
	const exit = await inside(
		context,
		'echo started; for one in {1..40}; do sleep 1000 & done; wait',
		{limits: {maxProcesses: 20, maxMemoryBytes: 2 ** 28}},
	);

	expect(exit).toMatchObject({kind: 'above-limit', limit: 'more than 20 processes at once'});
	expect(outputOf(exit)).toContain('started');
});

test.for([
	[
		'one process',
		'python3 -c "import time; x = bytearray(150 * 2**20); x[::4096] = b\'x\' * len(x[::4096]); time.sleep(1000)"',
	],
	[
		'many processes together',
		'for one in 1 2 3 4; do python3 -c "import time; x = bytearray(40 * 2**20); x[::4096] = b\'x\' * len(x[::4096]); time.sleep(1000)" & done; wait',
	],
	[
		'files in memory',
		'head -c 30000000 /dev/zero > /tmp/a; head -c 15000000 /dev/zero > /dev/shm/b; python3 -c "import time; x = bytearray(70 * 2**20); x[::4096] = b\'x\' * len(x[::4096]); time.sleep(1000)"',
	],
] as const)('memory above the limit ends the call: %s', async ([, command], context) => {
	const exit = await inside(context, command, {
		limits: {maxProcesses: 20, maxMemoryBytes: 100 * 2 ** 20},
	});

	expect(exit).toMatchObject({kind: 'above-limit', limit: 'more than 100 MB of memory'});
});

test('the output up to the time limit is kept', async context => {
	const exit = await inside(context, 'echo before; sleep 1000', {timeoutMs: 500});

	expect(exit).toMatchObject({kind: 'timeout', output: 'before\n'});
});

test('a listed path whose link was changed leads nowhere that is out of reach', context => {
	needSandbox(context);
	const swapped = place('swapped');
	symlinkSync(place('svc'), swapped);
	const planned = sandboxPlan(
		{workdir: work, read: [swapped], write: [], memoryBytes: 2 ** 20},
		world,
	);

	expect(planned).toMatchObject({
		kind: 'problem',
		problem: {list: 'read', problem: expect.stringContaining('out of reach')},
	});
});

test('no mount is made at a place in a folder that can be written', context => {
	needSandbox(context);
	mkdirSync(join(work, 'inner'), {recursive: true});
	for (const lists of [{read: [join(work, 'inner')]}, {write: [join(work, 'inner')]}]) {
		const planned = sandboxPlan(
			{workdir: work, read: [], write: [], memoryBytes: 2 ** 20, ...lists},
			world,
		);

		expect(planned).toMatchObject({
			kind: 'problem',
			problem: {problem: expect.stringContaining('list one of them')},
		});
	}
});
