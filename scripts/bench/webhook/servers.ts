import {fork, spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {nodeFlags} from '../../../source/core/program.ts';
import {svcEnvironment} from '../../../tests/helpers/svc.ts';
import {makeHome} from '../home.ts';
import {cpuMicrosOf, rssMbOf} from '../process-usage.ts';
import {webhookConfig} from './config.ts';
import type {ServerMessage} from './messages.ts';

/** A server under test, a process of its own. */
export type Server = AsyncDisposable & {
	readonly port: number;
	/** CPU time of the whole process so far, user and system, microseconds. */
	cpuMicros(): Promise<number>;
	/** Resident memory now, megabytes, where it is known. */
	rssMb?(): number;
};

const thisCheckout = fileURLToPath(new URL('../../..', import.meta.url));

/** Which checkout of the project a server comes from; this one when absent. */
type Origin = {readonly checkout?: string | undefined};

const profileFlags = (profile: string | undefined) =>
	profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];

async function startChild(
	file: string,
	{
		env = {},
		profile,
		checkout = thisCheckout,
	}: Origin & {env?: Readonly<Record<string, string>>; profile?: string | undefined} = {},
): Promise<Server> {
	// Node runs the sources as they are; the loader of this process would add work to every function.
	const child = fork(join(checkout, 'scripts/bench/webhook', file), {
		execArgv: profileFlags(profile),
		env: {PATH: process.env['PATH'], NODE_ENV: 'production', ...env},
	});
	const message = async (): Promise<ServerMessage> => {
		const gone = once(child, 'exit').then(([code]) => {
			throw new Error(`${file} ended with ${String(code)}`);
		});
		const [said] = (await Promise.race([once(child, 'message'), gone])) as [ServerMessage];
		return said;
	};

	const first = await message();
	return {
		port: first.type === 'listening' ? first.port : 0,
		async cpuMicros() {
			child.send('usage');
			const said = await message();
			return said.type === 'usage' ? said.cpuMicros : Number.NaN;
		},
		async [Symbol.asyncDispose]() {
			child.send('stop');
			await ended(child);
		},
	};
}

export async function ended(child: ChildProcess): Promise<void> {
	const limit = setTimeout(() => child.kill('SIGKILL'), 10_000);
	if (child.exitCode === null && child.signalCode === null) {
		await once(child, 'exit');
	}

	clearTimeout(limit);
}

/** `node:http` that reads the body and answers. */
export const startBareServer = async (): Promise<Server> => startChild('bare-server.ts');

/** `node:http` that also does what no receiver is spared. */
export const startFloorServer = async ({
	profile,
}: {readonly profile?: string | undefined} = {}): Promise<Server> =>
	withFreshHome('floor-server.ts', {profile});

/** The receiver and the store on a fresh data directory. */
export const startRoomsServer = async ({
	profile,
	checkout,
}: Origin & {readonly profile?: string | undefined} = {}): Promise<Server> =>
	withFreshHome('rooms-server.ts', {profile, checkout});

async function withFreshHome(
	file: string,
	options: Origin & {readonly profile: string | undefined},
): Promise<Server> {
	const home = makeHome(webhookConfig());
	const server = await startChild(file, {...options, env: {SVC_HOME: home.path}});
	return {
		...server,
		async [Symbol.asyncDispose]() {
			await server[Symbol.asyncDispose]();
			home[Symbol.dispose]();
		},
	};
}

/**
 * The complete program, `svc gateway run`, with a model that never answers. Its data directory is fresh unless `home` is given, which then stays.
 */
export async function startProgram({
	profile,
	otherRoutes = 0,
	home,
	checkout = thisCheckout,
}: Origin & {
	readonly profile?: string | undefined;
	readonly otherRoutes?: number;
	readonly home?: string;
} = {}): Promise<Server> {
	const model = createServer(() => {});
	model.listen(0, '127.0.0.1');
	await once(model, 'listening');
	const {port: modelPort} = model.address() as AddressInfo;
	const config = webhookConfig({modelUrl: `http://127.0.0.1:${modelPort}/v1`, otherRoutes});
	const fresh = home === undefined ? makeHome(config) : undefined;
	if (home !== undefined) {
		writeFileSync(join(home, 'config.yaml'), config);
	}

	const child = spawn(
		process.execPath,
		[...nodeFlags, ...profileFlags(profile), join(checkout, 'build/main.js'), 'gateway', 'run'],
		{
			env: svcEnvironment({home: home ?? fresh?.path ?? ''}),
			stdio: ['ignore', 'ignore', 'pipe'],
		},
	);
	const port = await listeningPort(child);
	return {
		port,
		cpuMicros: async () => cpuMicrosOf(child.pid ?? 0),
		rssMb: () => rssMbOf(child.pid ?? 0),
		async [Symbol.asyncDispose]() {
			child.kill('SIGTERM');
			await ended(child);
			model.close();
			model.closeAllConnections();
			fresh?.[Symbol.dispose]();
		},
	};
}

/** The port that a gateway says on stderr. */
async function listeningPort(child: ChildProcess): Promise<number> {
	let said = '';
	return new Promise((resolve, reject) => {
		child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			said = `${said}${text}`.slice(-4000);
			const port = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
			if (port !== undefined) {
				resolve(Number(port));
			}
		});
		child.once('exit', () => {
			reject(new Error(`svc ended before it listened:\n${said}`));
		});
	});
}
