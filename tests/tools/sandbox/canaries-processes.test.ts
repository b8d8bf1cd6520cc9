// @module-tag slow
import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {sandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';
import {watchLimits} from '../../../source/tools/sandbox/watch-limits.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {processAt, processesWith, until} from '../../helpers/processes.ts';
import {openPty} from '../../helpers/pty.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {openToolset} from '../open-toolset.ts';
import {escaped, needSandbox, python, secret, waysOfFile} from './canary-world.ts';

const waysOf = waysOfFile();

let marks = 0;

/** A word for command lines, by which a process is found outside, too. */
const mark = () => {
	marks += 1;
	return `svc-canary-${process.pid}-${marks}`;
};

const fromTerminal = `${python(`def type(path):
    fcntl.ioctl(os.open(path, os.O_RDWR), 0x5412, b'x')
tried(lambda: type('/dev/tty'))
for descriptor in range(3):
    try:
        fcntl.ioctl(descriptor, 0x5412, b'x')
        print('TYPED')
    except OSError:
        pass`)}
ls -l /proc/[0-9]*/fd | grep -F outside/file
cat <&19
echo tri''ed`;

test('a sandbox of a gateway in a terminal has neither that terminal nor what the gateway has open', async context => {
	needSandbox(context);
	await using home = await temporaryHome({'outside/file': secret, 'work/file': 'x'});
	const at = (name: string) => join(realpathSync(home.path), name);
	const planned = sandboxPlan(
		{workdir: at('work'), read: [], write: [], memoryBytes: 2 ** 24},
		systemWorld({
			userHome: at('person'),
			svcHome: at('svc'),
			profileHome: at('svc'),
			environment: process.env,
		}),
	);
	const given = {
		plan: planned.kind === 'plan' && planned.plan,
		command: fromTerminal,
		result: at('result'),
	};

	await using pty = openPty('/bin/bash', [
		'--norc',
		'-c',
		`exec 19< ${at('outside/file')}; exec "$0" "$@"`,
		process.execPath,
		join(import.meta.dirname, 'in-terminal-program.ts'),
		JSON.stringify(given),
	]);
	await pty.exited;

	const {outside, ...inside} = JSON.parse(readFileSync(at('result'), 'utf8')) as Record<
		string,
		string
	>;
	expect(outside).toContain('outside/file');
	expect(outside).toContain(secret);
	expect(outside).toContain('tried');
	const setting = '/proc/sys/dev/tty/legacy_tiocsti';
	const mayType = !existsSync(setting) || readFileSync(setting, 'utf8').trim() === '1';
	expect(outside?.includes(escaped)).toBe(mayType || process.getuid?.() === 0);

	expect(Object.keys(inside)).toEqual(['runs', 'stays']);
	for (const said of Object.values(inside)) {
		expect(said).toContain('tried');
		expect(said).toContain('Bad file descriptor');
		expect(said).toMatch(/refused .*\/dev\/tty/);
		expect(said).not.toMatch(/ESCAPED|TYPED|canary-secret|outside\/file/);
	}
});

/** Sends its input, an open file, over one of its sockets. */
const sends = (socket: string) =>
	python(`end = ${socket}
with open('/usr/bin/env', 'rb') as sent:
    end.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [sent.fileno()]))])`);

test('a descriptor that is sent out does not arrive: over the output, and over the way to hosts', async context => {
	const {ways} = waysOf(context);
	await using hosts = await openToolset(
		'terminal',
		{terminal: {approval: 'allow'}, sandbox: {hosts: ['example.com']}},
		context,
	);
	// The receiver has it where one is made for it.
	const control = await promisify(execFile)(
		'/usr/bin/python3',
		[
			'-c',
			`import array, os, socket, subprocess
one, other = socket.socketpair()
child = subprocess.Popen(['/bin/bash', '-c', ${JSON.stringify(sends('socket.socket(fileno=1)'))}], stdout=other)
data, ancillary, flags, address = one.recvmsg(10, socket.CMSG_SPACE(4))
print(os.readlink('/proc/self/fd/%d' % array.array('i', ancillary[0][2])[0]))`,
		],
		{encoding: 'utf8'},
	);
	expect(control.stdout).toMatch(/^\/usr\/.*env\n$/);
	await hosts.call('terminal', {command: 'true'});
	const open = () =>
		readdirSync('/proc/self/fd').map(one => {
			try {
				return realpathSync(`/proc/self/fd/${one}`);
			} catch {
				return '';
			}
		});

	const said = [
		await hosts.call('terminal', {
			command: `${sends('socket.socket(fileno=1)')}\necho; echo tri''ed`,
		}),
		await hosts.call('terminal', {
			command: `${sends("socket.socket(socket.AF_UNIX); end.connect('/run/svc/proxy.sock')")}\necho tri''ed`,
		}),
		{text: (await ways[1]?.run(`${sends('socket.socket(fileno=1)')}\necho; echo tri''ed`)) ?? ''},
	];

	expect(said.map(({text}) => /tried/.test(text) && !/Error/.test(text))).toEqual([
		true,
		true,
		true,
	]);
	expect(open()).not.toContain(realpathSync('/usr/bin/env'));
});

test('nothing is handed in with the input: neither bytes nor descriptors', async context => {
	const {ways} = waysOf(context);
	const takes = `/usr/bin/python3 -c "
import socket
end = socket.socket(fileno=0)
end.settimeout(0.5)
print('got %s %s' % end.recvmsg(100, 1000)[:2])
"; echo tri''ed`;
	const control = spawn('/bin/bash', ['--norc', '-c', takes]);
	control.stdin.write('bytes');
	const [said] = (await once(control.stdout, 'data')) as [Buffer];
	control.kill();

	expect(said.toString()).toContain("got b'bytes' []");
	for (const {name, run} of ways) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect(`${name}: ${await run(takes)}`).toMatch(
			/(?:got b'' \[\]|timed out|not a socket)[^]*tried/i,
		);
	}
});

test('what a command leaves running ends with its call', async context => {
	const {outside, ways} = waysOf(context);
	const [terminal] = ways;
	const leaves = (word: string) =>
		`(setsid nohup /bin/bash -c 'while :; do sleep 1000; done' ${word} > /dev/null 2>&1 < /dev/null &)
while ! grep -qs 'sleep 1000.*'${word} /proc/[0-9]*/cmdline; do :; done
echo tri''ed`;
	const [free, kept] = [mark(), mark()];

	expect(await outside.run(leaves(free))).toContain('tried');
	const left = processesWith(free);
	expect(left.length).toBeGreaterThan(0);
	for (const pid of left.filter(one => processAt(one)?.group === one)) {
		process.kill(-pid, 'SIGKILL');
	}

	expect(await terminal?.run(leaves(kept))).toContain('tried');
	await until(() => processesWith(kept).length === 0);
});

test('a bomb of forks ends, and leaves nothing', async context => {
	const [terminal] = waysOf(context).ways;
	const word = mark();

	// It is over by itself at 255: what no watch may catch in time has a machine of its own, in control-group.test.ts.
	const said = await terminal?.run(
		`echo started; /bin/bash -c 'bomb() { (($1 > 0)) && { bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; sleep 1000; }; bomb 7' ${word}`,
	);

	// Where the kernel has a bound of its own, bash may say that it cannot fork.
	expect(said).toMatch(
		/^ended: more than 20 processes at once; the output up to it:\nstarted\n(?:environment: fork: .*\n)*$/,
	);
	await until(() => processesWith(word).length === 0);
});

const holds = (megabytes: number) =>
	`/usr/bin/python3 -c "import time; x = bytearray(${megabytes} * 2**20); x[::4096] = b'x' * len(x[::4096]); time.sleep(1000)"`;

test.for([
	[
		'processes that only wait',
		'for one in {1..40}; do sleep 1000 & done; wait',
		'20 processes at once',
	],
	['one process that takes much', holds(150), '100 MB of memory'],
	['many that take some', `for one in {1..12}; do ${holds(10)} & done; wait`, '100 MB of memory'],
	[
		'files in memory and a process',
		`head -c 30000000 /dev/zero > /tmp/a; head -c 15000000 /dev/zero > /dev/shm/b; ${holds(70)}`,
		'100 MB of memory',
	],
	[
		'shared memory that is attached',
		python(`import mmap, time
kept = mmap.mmap(-1, 150 * 2**20)
for page in range(0, 150 * 2**20, 4096):
    kept[page] = 1
time.sleep(1000)`),
		'100 MB of memory',
	],
] as const)('above a limit the call ends: %s', async ([, command, limit], context) => {
	const [terminal] = waysOf(context).ways;

	expect(await terminal?.run(`echo started; ${command}`)).toBe(
		`ended: more than ${limit}; the output up to it:\nstarted\n`,
	);
});

test('the output up to the time limit is kept', async context => {
	const {file} = waysOf(context);
	const {text} = await file.call('terminal', {
		command: 'echo before; sleep 1000',
		timeout_seconds: 0.5,
	});

	expect(text).toContain('the output up to it:\nbefore\n');
});

test('what others have in memory does not count while a sandbox is still being built', async context => {
	const {program: bwrap} = needSandbox(context);
	// It has the root of this machine, as bubblewrap has at first.
	const building = spawn(
		bwrap,
		[
			'--unshare-user',
			'--unshare-pid',
			'--die-with-parent',
			'--dev-bind',
			'/',
			'/',
			'sleep',
			'1000',
		],
		{stdio: 'ignore'},
	);
	const pid = building.pid ?? 0;
	const other = `/dev/shm/svc-canary-${process.pid}`;
	writeFileSync(other, Buffer.alloc(20 * 2 ** 20));
	try {
		await until(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== '');
		const clock = createFakeClock();
		const above: string[] = [];
		using watch = watchLimits(
			pid,
			{maxProcesses: 20, maxMemoryBytes: 15 * 2 ** 20},
			{
				clock,
				onAbove(limit) {
					above.push(limit);
				},
			},
		);
		for (let looks = 0; looks < 20; looks += 1) {
			clock.advance(25);
		}

		expect(above).toEqual([]);
		watch[Symbol.dispose]();
	} finally {
		building.kill('SIGKILL');
		rmSync(other);
	}
});

test('what a tool server leaves running ends with it', async context => {
	const {ways, endServer} = waysOf(context);
	const word = mark();
	await ways[1]?.run(
		`(setsid nohup /bin/bash -c 'while :; do sleep 1000; done' ${word} > /dev/null 2>&1 < /dev/null &)`,
	);
	expect(processesWith(word).length).toBeGreaterThan(0);
	await endServer();

	await until(() => processesWith(word).length === 0);
});
