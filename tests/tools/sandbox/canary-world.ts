import {execFile, spawn} from 'node:child_process';
import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, type TestContext} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {isGone} from '../../helpers/processes.ts';
import {openManager} from '../../mcp/e2e/open-manager.ts';
import {evaluates, inSandbox} from '../../mcp/servers/evaluating-server.ts';
import {stdioServer} from '../../mcp/servers/stdio-server.ts';
import {openToolset} from '../open-toolset.ts';

/** Stands wherever a sandbox must not reach. */
export const secret = 'canary-secret-4711';

/** What a command prints when it got out; written in two halves there, since a shell repeats in its errors what it could not do. */
export const escaped = 'ESCAPED';

/** The path of a thing in a world: `at('outside/file')`. */
export type At = (name: string) => string;

const probe = await probeSandbox(process.env);

/** The sandbox that works here. */
export const needSandbox = ({skip}: Pick<TestContext, 'skip'>) =>
	probe.works ? probe : skip(`no sandbox works here: ${probe.reason}`);

export type Ways = Awaited<ReturnType<typeof openWays>>;

/** Opens the ways once for all tests of a file. */
export function waysOfFile(): (context: Pick<TestContext, 'skip'>) => Ways {
	let ways: Ways | undefined;
	beforeAll(async () => {
		ways = probe.works ? await openWays() : undefined;
	});
	afterAll(async () => ways?.[Symbol.asyncDispose]());
	return context => {
		needSandbox(context);
		if (!ways) {
			throw new Error('The ways were not opened');
		}

		return ways;
	};
}

/** What is around a sandbox whose working folder is `svc/work`. Answers `outside/file` among other things with the secret. */
function layWorld(root: string): At {
	const at: At = name => join(root, name);
	for (const name of [
		'person/.ssh/id_ed25519',
		'person/.config/gh/hosts.yml',
		'person/.netrc',
		'svc/.env',
		'svc/profiles/other/.env',
		'outside/file',
	]) {
		mkdirSync(dirname(at(name)), {recursive: true});
		writeFileSync(at(name), secret);
	}

	for (const name of ['listed', 'svc/work', 'svc/run']) {
		mkdirSync(at(name), {recursive: true});
	}

	writeFileSync(at('listed/open.txt'), 'listed');
	symlinkSync(at('outside'), at('svc/work/absolute'));
	symlinkSync('../../outside', at('svc/work/relative'));
	symlinkSync('../../outside/new', at('svc/work/dangling'));
	symlinkSync('../../outside', at(`svc/work/quotes "'$(id)`));
	return at;
}

/** Where a command is run: `run` gives what it printed. */
export type Way = {
	readonly name: string;
	readonly at: At;
	readonly run: (command: string) => Promise<string>;
};

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Runs a command as a sandbox would, without one, and never for long. */
const runOutside = async (command: string, cwd: string): Promise<string> =>
	new Promise(resolve => {
		execFile(
			'/bin/bash',
			['--norc', '-c', `exec 2>&1 < /dev/null; ${command}`],
			{cwd, env: {...process.env, PATH: systemPath}, timeout: 20_000, killSignal: 'SIGKILL'},
			(_, stdout) => {
				resolve(stdout);
			},
		);
	});

/** The tool `terminal`, and a tool server that runs what it is given, each in a sandbox and a world of its own; and no sandbox, in the world of the first. */
async function openWays() {
	await using stack = new AsyncDisposableStack();
	const tools = stack.use(
		await openToolset(['terminal', 'file'], {
			terminal: {approval: 'allow', max_processes: 20, max_memory_mb: 100, timeout_seconds: 20},
			file: {approval: 'allow'},
			sandbox: {read: ['~/../listed']},
			lay: layWorld,
		}),
	);
	const root = realpathSync(tools.home.path);
	const at: At = name => join(root, name);
	const terminal: Way = {
		name: 'the tool terminal',
		at,
		run: async command => (await tools.call('terminal', {command})).text,
	};

	const manager = stack.use(await openManager({sandbox: 'works'}));
	const atServer = layWorld(realpathSync(manager.home.path));
	await manager.apply(
		inSandbox(stdioServer(process.execPath, ['-e', evaluates]), {
			read: [atServer('listed')],
			write: [atServer('svc/work')],
		}),
	);
	const server: Way = {
		name: 'a tool server',
		at: atServer,
		async run(command) {
			const script = `cd '${atServer('svc/work')}'; exec 2>&1; ${command}`;
			const code = `new Promise(done => require('node:child_process').execFile('/bin/bash', ['--norc', '-c', ${JSON.stringify(script)}], {timeout: 20000, killSignal: 'SIGKILL'}, (_, out) => done(out)))`;
			return (await manager.call('run', {code})).text;
		},
	};

	const owned = stack.move();
	return {
		outside: {
			name: 'no sandbox',
			at,
			run: async command => runOutside(command, at('svc/work')),
		} as Way,
		ways: [terminal, server],
		file: {
			at,
			call: async (tool: string, args: JsonObject) => tools.call(tool, args),
		},
		/** Ends the tool server, with all that it started. */
		endServer: async () => manager.apply(),
		[Symbol.asyncDispose]: async () => owned.disposeAsync(),
	};
}

/** What an attempt is aimed at, outside: a process, sockets, a file in memory. Each attempt has its own, which the one before may have ended. */
export type Prey = {
	/** A process whose environment, and whose open file 0, is the secret. */
	readonly pid: number;
	/** Of 127.0.0.1; answers TCP and UDP with the secret. */
	readonly port: number;
	/** As Python writes it; somebody listens there. */
	readonly abstractName: string;
	/** Path of a file in memory that all programs share. */
	readonly shared: string;
};

let lastPrey = 0;

async function openPrey(at: At) {
	await using stack = new AsyncDisposableStack();
	lastPrey += 1;
	const file = openSync(at('outside/file'), 'r');
	const sleeper = spawn('sleep', ['1000'], {
		env: {...process.env, SVC_CANARY: secret},
		stdio: [file, 'ignore', 'ignore'],
	});
	closeSync(file);
	stack.defer(() => {
		sleeper.kill('SIGKILL');
	});
	const listen = async (where: string | {host: string; port: number}) => {
		const server = createServer(socket => {
			socket.on('error', () => {});
			socket.end(secret);
		});
		server.listen(where);
		await once(server, 'listening');
		stack.defer(() => {
			server.close();
		});
		return server;
	};

	const name = `svc-canary-${process.pid}-${lastPrey}`;
	const tcp = await listen({host: '127.0.0.1', port: 0});
	const {port} = tcp.address() as AddressInfo;
	await listen(`\0${name}`);
	await listen(at('svc/run/gateway.sock'));
	const udp = createSocket('udp4', (_, from) => {
		udp.send(secret, from.port, from.address);
	});
	udp.bind(port, '127.0.0.1');
	await once(udp, 'listening');
	stack.defer(() => {
		udp.close();
	});
	const shared = `/dev/shm/${name}`;
	writeFileSync(shared, secret);
	stack.defer(() => {
		rmSync(shared, {force: true});
	});
	const owned = stack.move();
	return {
		pid: sleeper.pid ?? 0,
		port,
		abstractName: String.raw`\0${name}`,
		shared,
		hasEnded: () => isGone(sleeper.pid ?? 0),
		[Symbol.asyncDispose]: async () => owned.disposeAsync(),
	};
}

/** An act that gets out where nothing keeps it in. */
export type Canary = {
	readonly name: string;
	readonly command: (at: At, prey: Prey) => string;
	/** A path that is there when it got out. Absent: what it prints tells. */
	readonly makes?: string;
	/** Why it may be kept from that without a sandbox, too: it is left out then. */
	readonly needs?: string;
};

/** Where a canary was tried, and whether it got out; `said`: what it printed where that is not as it should be. */
type Flight = {readonly where: string; readonly isOut: boolean; readonly said?: string};

/** What `fly` is to give: an act gets out where nothing keeps it in, or it is dead and proves nothing. */
export const kept: readonly Flight[] = [
	{where: 'no sandbox', isOut: true},
	{where: 'the tool terminal', isOut: false},
	{where: 'a tool server', isOut: false},
];

/** Lets a canary out without a sandbox, then tries it in each sandbox, where it has to run to its end, too. */
export async function fly(
	{name, command, makes, needs}: Canary,
	{outside, ways}: Pick<Ways, 'outside' | 'ways'>,
	{skip}: Pick<TestContext, 'skip'>,
): Promise<readonly Flight[]> {
	const flights: Flight[] = [];
	for (const {name: where, at, run} of [outside, ...ways]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await using prey = await openPrey(at);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const said = await run(`${command(at, prey)}\necho tri''ed`);
		const isMade = makes !== undefined && existsSync(at(makes));
		if (isMade) {
			rmSync(at(makes), {recursive: true});
		}

		const isOut = isMade || said.includes(escaped) || said.includes(secret) || prey.hasEnded();
		if (!isOut && where === outside.name && needs !== undefined) {
			return skip(`${name}: ${needs}`);
		}

		const isExpected = isOut === (where === outside.name) && said.includes('tried');
		flights.push({where, isOut, ...(!isExpected && {said})});
	}

	return flights;
}

/** A command that runs Python; `tried(act)` in it prints that it got out unless the act fails with an `OSError`, and `call` is a system call that does. */
export const python = (source: string): string => `python3 - <<'END'
import array, ctypes, fcntl, os, pty, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    result = libc.syscall(number, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def tried(act):
    try:
        act()
        print('ESC' + 'APED')
    except OSError as error:
        print('refused', error)
${source}
END`;
