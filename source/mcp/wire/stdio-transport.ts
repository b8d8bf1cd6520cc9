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

/** How long to read answers that are still in the pipe after the process exited; a grandchild can hold the pipe open forever. */
const lastAnswersMs = 200;

/** How long to wait for the exit event after the pipe broke. */
const exitNewsMs = 1000;

const maxStderrLineBytes = 8192;

/** How many messages may wait for a server to read them: one that keeps asking must not make svc buffer endless answers. */
const maxWaiting = 1000;

export type ProcessExit = {readonly code: number | null; readonly signal: string | null};

/** The state of a connection, for explaining its errors. */
export type StdioFacts = {
	readonly exit: ProcessExit | undefined;
	/** Why svc ended the connection; absent if it did not, or was asked to. */
	readonly reason: string | undefined;
	/** How many lines on standard output were not messages. */
	readonly noiseLines: number;
	/** Whether the handshake was completed. */
	readonly isEstablished: boolean;
};

/** A transport with `pid` and `stderr`: the SDK treats it as a stdio transport, and tries protocol versions on the same connection. */
export type StdioTransport = Transport & {
	readonly pid: number | null;
	readonly stderr: Readable | null;
	facts(): StdioFacts;
};

/**
 * Runs a server in its own process group: Ctrl-C does not reach it, and none of its children outlives the connection. Messages are lines of JSON of at most 10 MB;
 * other output is skipped. The connection ends about 200 ms after its process, even if another process still holds the pipes. `close()` takes at most 2.5 s: end
 * of input, a second later SIGTERM, another second later SIGKILL. `start()` rejects with Node's error if the command cannot be run.
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
	/** This process's environment; the server inherits a part. */
	readonly environment: Environment;
	/** Starts the server in its sandbox; absent: without a sandbox. */
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
				// The group must be gone before the event reports how.
				await exitWithin(exitNewsMs);
				destroyPipes(child);
			}

			announceEnd();
		})();
		await ending;
	};

	const receive = (line: string) => {
		if (ending) {
			// No caller is left, and a server that floods svc must not delay its own end.
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
		// The process may have left children.
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
			// A broken pipe is followed by the exit.
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
				// The exit that follows a broken pipe says more than the pipe's error.
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

/** Reads one chunk per turn of the event loop: a pipe that never runs empty would otherwise deliver 2 MB per turn, and block everything else for seconds. */
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
