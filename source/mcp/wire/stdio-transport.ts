import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import type {Readable} from 'node:stream';
import {
	deserializeMessage,
	type JSONRPCMessage,
	serializeMessage,
	type Transport,
} from '@modelcontextprotocol/client';
import type {Environment} from '../../config/environment.ts';
import type {StdioEndpoint} from '../../config/tool-server.ts';
import {type Clock, sleep} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {feedChild} from '../../core/process-group.ts';
import {endGraceMs, endGroup} from './end-group.ts';
import {createLineReader} from './line-reader.ts';
import type {ProcessGroups} from './process-groups.ts';
import {serverEnvironment} from './server-environment.ts';
import {maxMessageBytes, tooLargeError} from './synthetic-errors.ts';
import type {ProcessLaunch} from './transport-parts.ts';
import {notReading, writeWithEnd} from './write-with-end.ts';

/** How long answers that are still in the pipe may take after the process has exited; a grandchild can hold the pipe open for ever. */
const lastAnswersMs = 200;

/** How long the news of an exit may take after the pipe broke. */
const exitNewsMs = 1000;

const maxStderrLineBytes = 8192;

/** Messages that may wait for a server to read them: one that asks without end must not make us remember each answer. */
const maxWaiting = 1000;

export type ProcessExit = {readonly code: number | null; readonly signal: string | null};

/** What is known of a connection when one of its errors is explained. */
export type StdioFacts = {
	readonly exit: ProcessExit | undefined;
	/** Why we ended the connection; absent when we did not, or were asked to. */
	readonly reason: string | undefined;
	/** Lines on its standard output that are no messages. */
	readonly noiseLines: number;
	/** Whether the handshake was done. */
	readonly isEstablished: boolean;
};

/** A transport with `pid` and `stderr`: the SDK takes it for one over standard streams and tries protocol eras in place. */
export type StdioTransport = Transport & {
	readonly pid: number | null;
	readonly stderr: Readable | null;
	facts(): StdioFacts;
};

/**
 * A server in a process group of its own: Ctrl-C does not reach it, and no child of it outlives the connection. Messages are lines of JSON of at most
 * 10 MB; what else it prints is skipped. The connection ends ~200 ms after its process, even if another process still holds the pipes, and `close()` takes 2.5 s at most:
 * the end of its input, a second later SIGTERM, another second later SIGKILL. `start()` rejects with Node's error when the command cannot be run.
 *
 * @see MCP 2025-11-25, Transports, stdio
 */
export function createStdioTransport({
	endpoint,
	environment,
	sandboxed,
	clock,
	groups,
	onStderr,
	onLost,
}: {
	readonly endpoint: StdioEndpoint;
	/** This process's; the server gets its baseline. */
	readonly environment: Environment;
	/** How the server is started in its sandbox; absent: it runs without a sandbox. */
	readonly sandboxed: ProcessLaunch | undefined;
	readonly clock: Clock;
	readonly groups: ProcessGroups;
	readonly onStderr: (line: string) => void;
	readonly onLost: () => void;
}): StdioTransport {
	let child: ChildProcess | undefined;
	let exit: ProcessExit | undefined;
	let reason: string | undefined;
	let noiseLines = 0;
	let isEstablished = false;
	let isAskedToEnd = false;
	let isClosed = false;
	let waiting = 0;
	let exitNews: Promise<void> | undefined;
	let ending: Promise<void> | undefined;
	const ended = new AbortController();

	const announceEnd = () => {
		if (isClosed) {
			return;
		}

		isClosed = true;
		ended.abort(new SvcError('mcp_connect_failed', 'The connection has ended'));
		if (!isAskedToEnd) {
			onLost();
		}

		transport.onclose?.();
	};

	const exited = Promise.withResolvers<void>();

	const exitWithin = async (waitMs: number) => {
		const cancel = clock.after(waitMs, exited.resolve);
		await exited.promise;
		cancel();
	};

	/** Ends the whole group, once. */
	const end = async (patienceMs = endGraceMs) => {
		ending ??= (async () => {
			const pgid = child?.pid;
			if (child && pgid !== undefined) {
				child.stdin?.end();
				await endGroup(pgid, {clock, patienceMs});
				groups.remove(pgid);
				// The group is gone before the event says how.
				await exitWithin(exitNewsMs);
				destroyPipes(child);
			}

			announceEnd();
		})();
		await ending;
	};

	const receive = (line: string) => {
		if (ending) {
			// No caller waits for it, and a server that floods us must not delay its own end.
			return;
		}

		const message = parse(line);
		if (!message) {
			noiseLines += line === '' ? 0 : 1;
			return;
		}

		try {
			transport.onmessage?.(message);
		} catch (error) {
			transport.onerror?.(asError(error));
		}
	};

	const afterExit = () => {
		announceEnd();
		// It may have left children.
		void end(0);
	};

	const listen = (started: ChildProcess) => {
		const stdout = createLineReader({
			maxBytes: maxMessageBytes,
			above: 'stop',
			onLine: receive,
			onTooLong() {
				const error = tooLargeError();
				reason = error.message;
				transport.onerror?.(error);
				void end(0);
			},
		});
		const stderr = createLineReader({maxBytes: maxStderrLineBytes, above: 'cut', onLine: onStderr});
		onChunks(started.stdout, chunk => stdout.push(chunk));
		onChunks(started.stderr, chunk => stderr.push(chunk));
		started.stderr?.once('end', () => stderr.end());
		for (const stream of [started.stdin, started.stdout, started.stderr]) {
			// Broken pipes: its exit follows.
			stream?.on('error', () => {});
		}

		started.once('exit', (code, signal) => {
			exit = {code, signal};
			exited.resolve();
			const cancel = clock.after(lastAnswersMs, afterExit);
			started.once('close', () => {
				cancel();
				afterExit();
			});
		});
	};

	const transport: StdioTransport = {
		get pid() {
			return child?.pid ?? null;
		},
		get stderr() {
			return child?.stderr ?? null;
		},
		facts: () => ({exit, reason, noiseLines, isEstablished}),
		async start() {
			if (child || isClosed) {
				throw new SvcError('mcp_connect_failed', 'The transport has been started before');
			}

			await groups.ready();
			ended.signal.throwIfAborted();
			const {command, args} = sandboxed ?? endpoint;
			const feeds = sandboxed?.feeds ?? [];
			const started = spawn(command, args, {
				detached: true,
				...(sandboxed ? {cwd: '/', env: {}} : {env: serverEnvironment(environment, endpoint.env)}),
				shell: false,
				stdio: ['pipe', 'pipe', 'pipe', ...feeds.map(() => 'pipe' as const)],
			});
			if (started.pid === undefined) {
				const [error]: unknown[] = await once(started, 'error');
				throw asError(error);
			}

			child = started;
			feedChild(started, feeds);
			groups.add(started.pid);
			listen(started);
		},
		async send(message) {
			if (!child?.stdin || exit || ending || isClosed) {
				throw new SvcError('mcp_connect_failed', 'The server is not running');
			}

			if (waiting >= maxWaiting) {
				throw notReading();
			}

			waiting++;
			try {
				await writeWithEnd(child.stdin, serializeMessage(message), {clock, signal: ended.signal});
			} catch (error) {
				// A broken pipe says less than the exit that follows it.
				exitNews ??= sleep(clock, exitNewsMs, ended.signal).catch(() => {});
				await exitNews;
				throw error instanceof SvcError
					? error
					: new SvcError('mcp_connect_failed', 'The server has closed its input', {cause: error});
			} finally {
				waiting--;
			}
		},
		async close() {
			isAskedToEnd = true;
			await end();
		},
		setProtocolVersion() {
			isEstablished = true;
		},
	};
	return transport;
}

/** One chunk in each turn of the event loop: left alone, a pipe that is never empty gives 2 MB in a turn, and everything else waits for seconds. */
function onChunks(stream: Readable | null, take: (chunk: Buffer) => void): void {
	stream?.on('data', (chunk: Buffer) => {
		take(chunk);
		stream.pause();
		setImmediate(() => stream.resume());
	});
}

function parse(line: string): JSONRPCMessage | undefined {
	if (!line.startsWith('{')) {
		return undefined;
	}

	try {
		return deserializeMessage(line);
	} catch {
		return undefined;
	}
}

function destroyPipes({stdin, stdout, stderr}: ChildProcess): void {
	for (const stream of [stdin, stdout, stderr]) {
		stream?.destroy();
	}
}

const asError = (error: unknown): Error =>
	error instanceof Error ? error : new Error(messageOf(error));
