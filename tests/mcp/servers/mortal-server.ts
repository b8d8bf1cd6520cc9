import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {createInterface} from 'node:readline';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {isGone, until} from '../../helpers/processes.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {remoteServer} from './http-server.ts';
import {compileCache, stdioServer} from './stdio-server.ts';

export const waysToMortals = ['stdio', 'json', 'stream', 'sse', 'modern'] as const;

export type WayToMortal = (typeof waysToMortals)[number];

export type MortalServer = AsyncDisposable & {
	readonly server: ToolServerConfig;
	/** The calls that reached it, by name, whichever of its lives it was. */
	calls(): readonly string[];
	/** Resolves when so many calls have reached it. */
	called(count: number): Promise<void>;
	/** `kill -9`. It is started again at once, unless it is to stay dead. Resolves when the old process is gone. */
	kill(options?: {readonly forGood?: boolean}): Promise<void>;
	/** Brings one that stayed dead back. */
	revive(): void;
};

/** A server that can be killed and comes back at the same place; `program` is `mortal-program.ts`. Whoever comes between two lives waits. */
export async function startMortal(program: string, way: WayToMortal): Promise<MortalServer> {
	const home = await temporaryHome();
	const journal = home.file('journal');
	// A line that has no end yet is still being written.
	const lines = () =>
		existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : [];
	const remote = way === 'stdio' ? undefined : await startRemote([program, way, journal]);
	const server =
		remote === undefined
			? stdioServer(process.execPath, [program, way, journal], compileCache)
			: remoteServer(remote.url, {transport: way === 'sse' ? 'sse' : 'http'});
	return {
		server,
		calls: () => lines().map(line => line.split(' ')[1] ?? ''),
		called: async count => until(() => lines().length >= count),
		async kill({forGood = false} = {}) {
			if (remote) {
				await remote.kill(forGood);
				return;
			}

			const pid = Number(lines().at(-1)?.split(' ')[0]);
			process.kill(pid, 'SIGKILL');
			await until(() => isGone(pid));
		},
		revive() {
			remote?.revive();
		},
		async [Symbol.asyncDispose]() {
			await remote?.[Symbol.asyncDispose]();
			await home[Symbol.asyncDispose]();
		},
	};
}

/** One address for all its lives. */
async function startRemote(args: readonly [program: string, way: WayToMortal, journal: string]) {
	const [, way] = args;
	const sockets = new Set<Socket>();
	let life = start(args);

	const front = createServer(socket => {
		void (async () => {
			sockets.add(socket);
			socket.on('error', () => {});
			const port = await life?.port;
			if (port === undefined || socket.destroyed) {
				socket.destroy();
				return;
			}

			const behind = connect(port, '127.0.0.1');
			behind.on('error', () => {});
			behind.once('close', () => socket.destroy());
			socket.once('close', () => {
				sockets.delete(socket);
				behind.destroy();
			});
			socket.pipe(behind).pipe(socket);
		})();
	});
	front.listen(0, '127.0.0.1');
	await once(front, 'listening');
	await life?.port;
	return {
		url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/${way === 'sse' ? 'sse' : 'mcp'}`,
		async kill(forGood: boolean) {
			const old = life;
			const ended = end(old);
			life = forGood ? undefined : start(args);
			await ended;
		},
		revive() {
			life ??= start(args);
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) {
				socket.destroy();
			}

			front.close();
			await end(life);
		},
	};
}

async function end(life: Life): Promise<void> {
	if (life) {
		const exited = once(life.child, 'exit');
		life.child.kill('SIGKILL');
		await exited;
	}
}

type Life =
	| {readonly child: ReturnType<typeof spawn>; readonly port: Promise<number | undefined>}
	| undefined;

function start(args: readonly string[]): Life {
	const child = spawn(process.execPath, [...args], {
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const firstLine = async () => {
		for await (const line of createInterface({input: child.stdout})) {
			return Number(line);
		}

		return undefined;
	};
	return {child, port: firstLine()};
}
