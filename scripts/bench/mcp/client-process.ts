import {readdirSync, readFileSync} from 'node:fs';
import type {HomePaths} from '../../../source/config/config.ts';
import {homePaths} from '../../../source/config/home-paths.ts';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {systemClock as clock} from '../../../source/core/clock.ts';
import {silentLogger as log} from '../../../source/core/log.ts';
import {rssMbOf} from '../process-usage.ts';
import {median, percentileOf} from '../statistics.ts';
import {everything} from './everything.ts';
import type {ClientOrder, ClientResult} from './messages.ts';

// One measurement in a process of its own, so that neither compiled code nor garbage of another one is in it.

const warmUpCalls = 500;
const environment = {PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? ''};
const redact = (text: string) => text;

const entry = (name: string, lazy: boolean): ToolServerConfig => ({
	name,
	enabled: true,
	endpoint: {transport: 'stdio', command: process.execPath, args: [everything, 'stdio'], env: {}},
	trust: 'full',
	protocol: 'legacy',
	timeoutMs: 60_000,
	connectTimeoutMs: 60_000,
	parallel: false,
	lazy,
	tools: {exclude: [], resources: false, prompts: false},
	sampling: {
		enabled: false,
		maxTokensCap: 1,
		timeoutMs: 1000,
		maxRpm: 1,
		allowedModels: [],
		maxToolRounds: 1,
	},
	elicitation: {enabled: false, timeoutMs: 1000},
});

async function startManager(paths: HomePaths) {
	const [{createServerManager}, {createTransportFactory}] = await Promise.all([
		import('../../../source/mcp/manager/server-manager.ts'),
		import('../../../source/mcp/wire/transport-factory.ts'),
	]);
	const stack = new AsyncDisposableStack();
	const transports = stack.use(createTransportFactory({clock, log, redact, paths, environment}));
	const manager = stack.use(
		createServerManager({
			clock,
			log,
			redact,
			profile: 'default',
			paths,
			environment: () => environment,
			workdir: () => undefined,
			transports,
			elicit: async () => ({action: 'cancel'}),
			onChange() {},
			onRemoved() {},
		}),
	);
	return {
		manager,
		async [Symbol.asyncDispose]() {
			await stack.disposeAsync();
		},
	};
}

/** Calls `call` again and again for `seconds`. */
async function measureCalls(call: () => Promise<unknown>, seconds: number): Promise<ClientResult> {
	for (let index = 0; index < warmUpCalls; index++) {
		// oxlint-disable-next-line no-await-in-loop -- one call after the other is what is measured
		await call();
	}

	const times: number[] = [];
	const cpu = process.cpuUsage();
	const end = performance.now() + seconds * 1000;
	while (performance.now() < end) {
		const start = performance.now();
		// oxlint-disable-next-line no-await-in-loop
		await call();
		times.push(performance.now() - start);
	}

	const used = process.cpuUsage(cpu);
	return {
		kind: 'calls',
		calls: times.length,
		p50Ms: median(times),
		p99Ms: percentileOf(times, 0.99),
		cpuMicros: (used.user + used.system) / times.length,
	};
}

async function callsOfSdk(seconds: number): Promise<ClientResult> {
	const {Client} = await import('@modelcontextprotocol/client');
	const {StdioClientTransport} = await import('@modelcontextprotocol/client/stdio');
	const client = new Client({name: 'bench', version: '1.0.0'});
	await client.connect(
		new StdioClientTransport({
			command: process.execPath,
			args: [everything, 'stdio'],
			stderr: 'ignore',
		}),
	);
	await client.listTools();
	const result = await measureCalls(
		async () => client.callTool({name: 'echo', arguments: {message: 'hello'}}),
		seconds,
	);
	await client.close();
	return result;
}

async function callsOfManager(seconds: number, paths: HomePaths): Promise<ClientResult> {
	await using started = await startManager(paths);
	const {manager} = started;
	await manager.apply(new Map([['everything', entry('everything', false)]]));
	const {signal} = new AbortController();
	await manager.ready(signal);
	const echo = [...manager.tools().values()].flat().find(({name}) => name.endsWith('__echo'));
	if (!echo) {
		throw new Error('the server offers no "echo"');
	}

	return await measureCalls(async () => echo.execute({message: 'hello'}, {signal}), seconds);
}

async function startServers(
	{lazy, count}: {readonly lazy: boolean; readonly count: number},
	paths: HomePaths,
): Promise<ClientResult> {
	const start = performance.now();
	await using started = await startManager(paths);
	const {manager} = started;
	const loaded = performance.now();
	const beforeMb = rssMbOf(process.pid);
	const servers = Array.from({length: count}, (_, index) => entry(`server${index}`, lazy));
	await manager.apply(new Map(servers.map(server => [server.name, server])));
	await manager.ready(new AbortController().signal);
	const tools = [...manager.tools().values()].flat().length;
	const ready = performance.now();
	return {
		kind: 'servers',
		tools,
		loadMs: loaded - start,
		readyMs: ready - loaded,
		beforeMb,
		afterMb: rssMbOf(process.pid),
		serversMb: childrenOf(process.pid).reduce((sum, pid) => sum + rssMbOf(pid), 0),
	};
}

/** Linux only: elsewhere none. */
function childrenOf(parent: number): readonly number[] {
	try {
		return readdirSync('/proc')
			.filter(name => /^\d+$/.test(name))
			.filter(
				pid =>
					readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] ===
					String(parent),
			)
			.map(Number);
	} catch {
		return [];
	}
}

process.once('message', (order: ClientOrder & {readonly home: string}) => {
	const paths = homePaths({environment: {...environment, SVC_HOME: order.home}});
	const work =
		order.kind === 'servers'
			? startServers(order, paths)
			: order.through === 'sdk'
				? callsOfSdk(order.seconds)
				: callsOfManager(order.seconds, paths);
	void work.then(result => {
		process.send?.(result);
		process.disconnect();
	});
});
