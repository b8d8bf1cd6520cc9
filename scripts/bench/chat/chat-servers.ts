import {fork, spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {nodeFlags} from '../../../source/core/program.ts';
import {openPty} from '../../../tests/helpers/pty.ts';
import {svc, svcCommand, svcEnvironment} from '../../../tests/helpers/svc.ts';
import {busyConfig} from '../busy-config.ts';
import {answering, freePort} from '../free-port.ts';
import {makeHome} from '../home.ts';
import {cpuMicrosOf, rssMbOf} from '../process-usage.ts';
import {startLoad} from '../tui/start-load.ts';
import type {ServerMessage} from '../webhook/messages.ts';
import {ended} from '../webhook/servers.ts';

const thisCheckout = fileURLToPath(new URL('../../..', import.meta.url));

/** Whom the load asks. */
export type ChatServer = {readonly name: string; readonly url: string; readonly key: string};

/** The model's server, and programs before it, each a process of its own. */
export type ChatServers = AsyncDisposable & {
	readonly upstream: ChatServer;
	/** This checkout without a screen and with one that repaints, and the one before it, if there is one. */
	readonly relays: readonly ChatRelay[];
};

/** The program, as a process of its own. */
export type ChatRelay = ChatServer & {
	/** What it takes while nobody asks for anything, percent of a core: that of the screen. */
	readonly restPercent: number;
	/** User and system, microseconds. */
	cpuMicros(): number;
	/** Megabytes. */
	rssMb(): number;
};

export async function startChatServers({
	before,
	profile,
}: {
	readonly before?: string | undefined;
	readonly profile?: string | undefined;
} = {}): Promise<ChatServers> {
	await using stack = new AsyncDisposableStack();
	const upstream = fork(fileURLToPath(new URL('upstream-server.ts', import.meta.url)), {
		execArgv: [],
		env: {PATH: process.env['PATH'], NODE_ENV: 'production'},
	});
	const [said] = (await once(upstream, 'message')) as [ServerMessage];
	const port = said.type === 'listening' ? said.port : 0;
	const url = `http://127.0.0.1:${port}/v1`;
	stack.defer(async () => {
		upstream.send('stop');
		await ended(upstream);
	});
	const relays: ChatRelay[] = [];
	for (const [name, checkout] of [
		['relay', thisCheckout],
		['before', before],
	] as const) {
		if (checkout !== undefined) {
			const relay = await startRelay({name, checkout, upstream: url, profile});
			relays.push(stack.use(relay));
		}
	}

	relays.push(stack.use(await startScreenRelay({upstream: url, profile})));

	const opened = stack.move();
	return {
		upstream: {name: 'bare upstream', url, key: 'none'},
		relays,
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

async function startRelay({
	name,
	checkout,
	upstream,
	profile,
}: {
	readonly name: string;
	readonly checkout: string;
	readonly upstream: string;
	readonly profile: string | undefined;
}): Promise<ChatRelay & AsyncDisposable> {
	const home = makeHome(`model: {provider: openai-compatible, name: bench, base_url: ${upstream}}
platforms: {webhook: {enabled: false}}
api: {enabled: true, host: 127.0.0.1, port: 0}
`);
	const key = await createKey(home.path);
	const program = spawn(
		process.execPath,
		[...flagsOf(profile), join(checkout, 'build/main.js'), 'gateway', 'run'],
		{
			env: svcEnvironment({home: home.path, env: {API_ENABLED: 'true'}}),
			stdio: ['ignore', 'ignore', 'pipe'],
		},
	);
	const pid = program.pid ?? 0;
	const {promise, resolve, reject} = Promise.withResolvers<string>();
	let log = '';
	program.stderr.setEncoding('utf8').on('data', (text: string) => {
		log = `${log}${text}`.slice(-4000);
		const found = /chat API listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
		if (found !== undefined) {
			resolve(found);
		}
	});
	program.once('exit', () => {
		reject(new Error(`svc ended before it listened:\n${log}`));
	});

	return {
		name,
		url: `${await promise}/v1`,
		key,
		restPercent: 0,
		cpuMicros: () => cpuMicrosOf(pid),
		rssMb: () => rssMbOf(pid),
		async [Symbol.asyncDispose]() {
			program.kill('SIGTERM');
			await ended(program);
			home[Symbol.dispose]();
		},
	};
}

async function createKey(home: string): Promise<string> {
	const {stdout, stderr, code} = await svc(['keys', 'create', '--name', 'bench'], {home});
	if (code !== 0) {
		throw new Error(`svc keys create ended with ${String(code)}: ${stderr}`);
	}

	return stdout.trim();
}

const flagsOf = (profile: string | undefined): readonly string[] => [
	...nodeFlags,
	...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
];

/** Signed events a second that Traffic shows meanwhile: more than a person reads, so that every frame the pace allows is drawn. */
const repaintsFor = 50;
const settleMs = 3000;

/** The program with its screen in a pseudo terminal, following traffic that reaches no model. */
async function startScreenRelay({
	upstream,
	profile,
}: {
	readonly upstream: string;
	readonly profile: string | undefined;
}): Promise<ChatRelay & AsyncDisposable> {
	await using stack = new AsyncDisposableStack();
	const [port, apiPort] = [await freePort(), await freePort()];
	const home = stack.use(
		makeHome(
			busyConfig({
				port,
				model: `{provider: openai-compatible, name: bench, base_url: ${upstream}}`,
				sections: `api: {enabled: true, host: 127.0.0.1, port: ${apiPort}}`,
				ignoresAll: true,
			}),
		),
	);
	const key = await createKey(home.path);
	const terminal = stack.use(
		openPty(process.execPath, [...flagsOf(profile), svcCommand[1]], {
			env: {
				...svcEnvironment({home: home.path, env: {API_ENABLED: 'true'}}),
				FORCE_COLOR: '3',
			},
			onOutput() {},
		}),
	);
	await terminal.waitForText('Traffic');
	await answering(port);
	stack.use(startLoad({port, perSecond: repaintsFor}));
	await wait(settleMs);
	const {pid} = terminal;
	const before = cpuMicrosOf(pid);
	await wait(settleMs);
	const restPercent = (cpuMicrosOf(pid) - before) / (settleMs * 10);
	const opened = stack.move();
	return {
		name: 'with the screen',
		url: `http://127.0.0.1:${apiPort}/v1`,
		key,
		restPercent,
		cpuMicros: () => cpuMicrosOf(pid),
		rssMb: () => rssMbOf(pid),
		async [Symbol.asyncDispose]() {
			terminal.kill('SIGTERM');
			await terminal.exited;
			await opened.disposeAsync();
		},
	};
}
