// @module-tag slow
import {chmodSync, chownSync, copyFileSync, rmSync} from 'node:fs';
import {expect, test} from 'vitest';
import {type Canary, escaped, fly, kept, python, waysOfFile} from './canary-world.ts';

const waysOf = waysOfFile();

const root = 'it takes root without a sandbox';

/** Numbers of system calls are those of x64; where another processor answers differently, the one without a sandbox is left out, too. */
const acts: readonly Canary[] = [
	{
		name: 'another process is ended',
		command: (_, {pid}) => `kill -9 ${pid} && echo ESC''APED`,
	},
	{
		name: 'another process is traced',
		command: (_, {pid}) =>
			python(`def trace():
    call(101, 16, ${pid}, 0, 0)
    os.waitpid(${pid}, 0x40000000)
    call(101, 17, ${pid}, 0, 0)
tried(trace)`),
		needs: 'the kernel lets programs trace their children alone',
	},
	{
		name: 'the memory of another process is read',
		command: (_, {pid}) =>
			python(`def read():
    start, end = map(int, open('/proc/${pid}/stat').read().rsplit(') ', 1)[1].split()[47:49])
    with open('/proc/${pid}/mem', 'rb') as memory:
        memory.seek(start)
        print(memory.read(end - start).split(b'SVC_CANARY=')[1][:40])
tried(read)`),
		needs: 'the kernel lets programs trace their children alone',
	},
	{
		name: 'a descriptor of another process is taken',
		command: (_, {pid}) =>
			python(`tried(lambda: print(os.pread(call(438, os.pidfd_open(${pid}), 0, 0), 100, 0)))`),
		needs: 'the kernel lets programs trace their children alone',
	},
	{
		name: 'a setuid program gets rights',
		command: () => `[ "$(./setuid -u)" = 12345 ] && echo ESC''APED`,
		needs: root,
	},
	...(
		[
			['chmod of the owner', 'chmod 4755 made'],
			['chmod of the group', 'chmod 2755 made'],
			['install', 'install -m 6755 /bin/sh made'],
		] as const
	).map(([name, act]): Canary => ({
		name: `a file that runs as its owner is left outside: ${name}`,
		command: () => `touch made; ${act}; [ -u made -o -g made ] && echo ESC''APED; rm -f made`,
	})),
	...(
		[
			['open', "os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755)"],
			['creat', "call(85, b'made', 0o4755)"],
			['openat', "call(257, -100, b'made', 0o101, 0o4755)"],
			['a file without a name', "os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755)"],
			['mknod', "os.mknod('made', 0o104755)"],
			['fchmod', "os.fchmod(os.open('made', os.O_CREAT | os.O_WRONLY, 0o755), 0o2755)"],
			['fchmodat2', "call(452, os.open('.', os.O_RDONLY), b'.', 0o4755, 0)"],
			[
				'openat2',
				"call(437, -100, b'made', b''.join(part.to_bytes(8, 'little') for part in (0o101, 0o4755, 0)), 24)",
			],
		] as const
	).map(([name, act]): Canary => ({
		name: `a file that runs as its owner is left outside: ${name}`,
		command: () => `rm -f made\n${python(`tried(lambda: ${act})`)}\nrm -f made; chmod 755 .`,
		needs: 'the kernel does not have the call',
	})),
	{
		name: 'another user is taken',
		command: () => python('tried(lambda: os.setuid(12345))'),
		needs: root,
	},
	{
		name: 'a group is taken',
		command: () => python('tried(lambda: os.setgroups([12345]))'),
		needs: root,
	},
	{
		name: 'a key is kept by the kernel',
		command: () => python(`tried(lambda: call(248, b'user', b'svc-canary', b'x', 1, -3))`),
		needs: 'the kernel has no keyrings',
	},
	{
		name: 'a keyring of the session is found',
		command: () => python('tried(lambda: call(250, 0, -3, 1))'),
		needs: 'the kernel has no keyrings',
	},
	{
		name: 'text is typed into a terminal that was opened for it',
		command: () =>
			python(`child, end = pty.fork()
if child == 0:
    tried(lambda: fcntl.ioctl(0, 0x5412, b'x'))
    sys.stdout.flush()
    os._exit(0)
said = b''
try:
    while True:
        said += os.read(end, 1000)
except OSError:
    print(said)`),
		needs: 'the kernel lets nothing be typed (dev.tty.legacy_tiocsti)',
	},
	{
		name: 'the gateway is connected to by the path of its socket',
		command: at =>
			python(
				`tried(lambda: socket.socket(socket.AF_UNIX).connect('${at('svc/run/gateway.sock')}'))`,
			),
	},
	{
		name: 'the gateway is connected to by an abstract name',
		command: (_, {abstractName}) =>
			python(`tried(lambda: socket.socket(socket.AF_UNIX).connect('${abstractName}'))`),
	},
	{
		name: 'a port of this machine is connected to',
		command: (_, {port}) => `cat < /dev/tcp/127.0.0.1/${port}`,
	},
	{
		name: 'a name server is asked',
		command: (_, {port}) =>
			python(`def ask():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.settimeout(5)
    server.connect(('127.0.0.1', ${port}))
    server.send(bytes.fromhex('1234010000010000000000000663616e617279076578616d706c650000010001'))
    print(server.recv(512))
tried(ask)`),
	},
	{
		name: 'the name servers of this machine are known',
		command: () => `cat /etc/resolv.conf && echo ESC''APED`,
	},
	{
		name: 'packets are sent without a protocol',
		command: () => python('tried(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))'),
		needs: root,
	},
	{
		name: 'the machine below is spoken to',
		command: () => python('tried(lambda: socket.socket(40, socket.SOCK_STREAM))'),
		needs: 'the kernel has no AF_VSOCK',
	},
	{
		name: 'the interfaces of the network are seen',
		command: () => `[ "$(grep -c : /proc/net/dev)" -gt 1 ] && echo ESC''APED`,
		needs: 'this machine has no network',
	},
	{name: 'a mount is made', command: () => `unshare -m true && echo ESC''APED`, needs: root},
	{
		name: 'a namespace of users is made',
		command: () => `unshare -U true && echo ESC''APED`,
		needs: 'the kernel forbids namespaces of users',
	},
	{name: 'the root is changed', command: () => `chroot / true && echo ESC''APED`, needs: root},
	{
		name: 'a device is made',
		command: () =>
			`mknod device c 1 5 && head -c 1 device > /dev/null && echo ESC''APED; rm -f device`,
		needs: root,
	},
	{
		name: 'a file is opened by its number',
		command: at =>
			python(`handle = ctypes.create_string_buffer(136)
handle[0:4] = (128).to_bytes(4, 'little')
mount = ctypes.c_int()
def by_number():
    folder = os.open('.', os.O_RDONLY)
    call(303, -100, b'${at('outside/file')}', handle, ctypes.byref(mount), 0)
    print(os.read(call(304, folder, handle, 0), 100))
tried(by_number)`),
		needs: 'the file system, or the lack of root, forbids it',
	},
	...(
		[
			['core_pattern', '/proc/sys/kernel/core_pattern'],
			['swappiness', '/proc/sys/vm/swappiness'],
			['pressure', '/proc/pressure/cpu'],
		] as const
	).map(([name, path]): Canary => ({
		name: `a setting of the kernel is opened for writing: ${name}`,
		command: () => `(: >> ${path}) && echo ESC''APED`,
		needs: root,
	})),
	...(
		[
			['io_uring', 'call(425, 8, ctypes.create_string_buffer(256))'],
			['userfaultfd', 'call(323, 0)'],
			['bpf', 'call(321, 0, (ctypes.c_int * 32)(2, 4, 4, 1), 72)'],
			['memory without a name', `call(319, b'x', 0)`],
			['messages of System V', 'call(71, call(68, 0, 0o1600), 0, 0)'],
			['a large segment of System V', 'call(31, call(29, 0, 2**20, 0o1600), 0, 0)'],
			['many semaphores of System V', 'call(66, call(64, 0, 100, 0o1600), 0, 0)'],
		] as const
	).map(([name, source]): Canary => ({
		name: `what is not to be had inside: ${name}`,
		command: () => python(`tried(lambda: ${source})`),
		needs: 'the kernel has it not, or not for this user',
	})),
];

test.for(acts)('$name', async (canary, context) => {
	const ways = waysOf(context);
	for (const {at} of [ways.outside, ...ways.ways]) {
		const program = at('svc/work/setuid');
		rmSync(program, {force: true});
		copyFileSync('/usr/bin/id', program);
		if (process.getuid?.() === 0) {
			chownSync(program, 12_345, 12_345);
		}

		chmodSync(program, 0o6755);
	}

	expect(await fly(canary, ways, context)).toEqual(kept);
});

test('no right is left, no file system gives one, and a filter is in place', async context => {
	for (const {name, run} of waysOf(context).ways) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const said = await run(
			'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; mount | grep -v nosuid; ls -d /proc/[0-9]*',
		);

		expect([name, ...(said.match(/^Cap\w+:\t0000000000000000$/gm) ?? [])]).toHaveLength(6);
		expect(said).toContain('NoNewPrivs:\t1');
		expect(said).toContain('Seccomp:\t2');
		expect(said).not.toMatch(/^\S+ on \//m);
		expect(said.match(/^\/proc\/\d+$/gm)?.length).toBeLessThan(10);
		expect(said).not.toContain(escaped);
	}
});
