import {fork, spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {nodeFlags} from '../../../source/core/node-flags.ts';
import {svc, svcEnvironment} from '../../../tests/helpers/svc.ts';
import {makeHome} from '../home.ts';
import {cpuMicrosOf, rssMbOf} from '../process-usage.ts';
import type {ServerMessage} from '../webhook/messages.ts';
import {ended} from '../webhook/servers.ts';

const thisCheckout = fileURLToPath(new URL('../../..', import.meta.url));

/** Whom the load asks. */
export type ChatServer = {readonly name: string; readonly url: string; readonly key: string};

/** The model's server, and programs before it, each a process of its own. */
export type ChatServers = AsyncDisposable & {
	readonly upstream: ChatServer;
	/** This checkout, and the one before it, if there is one. */
	readonly relays: readonly ChatRelay[];
};

/** The program, as a process of its own. */
export type ChatRelay = ChatServer & {
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
	const {stdout, stderr, code} = await svc(['keys', 'create', '--name', 'bench'], {
		home: home.path,
	});
	if (code !== 0) {
		throw new Error(`svc keys create ended with ${String(code)}: ${stderr}`);
	}

	const program = spawn(
		process.execPath,
		[
			...nodeFlags,
			...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
			join(checkout, 'build/main.js'),
			'gateway',
			'run',
		],
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
		key: stdout.trim(),
		cpuMicros: () => cpuMicrosOf(pid),
		rssMb: () => rssMbOf(pid),
		async [Symbol.asyncDispose]() {
			program.kill('SIGTERM');
			await ended(program);
			home[Symbol.dispose]();
		},
	};
}
