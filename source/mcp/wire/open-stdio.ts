import {stripVTControlCharacters} from 'node:util';
import type {StdioEndpoint} from '../../config/tool-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {Logger} from '../../core/log.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {ConnectError} from './connect-error.ts';
import {explain} from './explain.ts';
import type {OpenedTransport, OpenOptions} from './open-transport.ts';
import {reasonIn} from './stderr-reason.ts';
import {createStdioTransport} from './stdio-transport.ts';
import {
	type ProcessLaunch,
	redactAlso,
	type ServerAt,
	type TransportParts,
} from './transport-parts.ts';

const maxLogLineLength = 2000;
const maxLastLineLength = 300;

/**
 * Creates the transport for a stdio server; starts no process before `start()`.
 *
 * @throws ConnectError where it wants a sandbox and cannot have one
 */
export async function openStdio(
	server: ServerAt<StdioEndpoint>,
	{signal, secrets, sandbox, onLost = () => {}}: OpenOptions,
	parts: TransportParts,
): Promise<OpenedTransport> {
	const {clock, log, redact, stderrLog} = parts;
	const hide = redactAlso(redact, secrets);
	const said = createStderrMemory(clock);
	await using stack = new AsyncDisposableStack();
	const sandboxed = await sandboxedLaunch(server, {sandbox, signal, log, stack});
	const transport = createStdioTransport({
		...parts,
		endpoint: server.endpoint,
		sandboxed,
		onStderr(line) {
			const text = escapeLine(hide(stripVTControlCharacters(line)), maxLogLineLength);
			if (text.trim() !== '') {
				said.push(escapeLine(text, maxLastLineLength));
				stderrLog.write(server.name, text);
			}
		},
		onLost,
	});
	const end = () => {
		void transport.close();
	};

	signal.addEventListener('abort', end, {once: true});
	const owned = stack.move();
	const facts = {server, signal, redact: hide, hasSession: false};
	return {
		transport,
		lastStderr: () => said.last(),
		complaint: () => said.reason(transport.facts()),
		exit: () => transport.facts().exit,
		explain(error) {
			const process = transport.facts();
			const {isEstablished} = process;
			const complaint = said.reason(process);
			return explain(error, {...facts, isEstablished, process, complaint});
		},
		async [Symbol.asyncDispose]() {
			signal.removeEventListener('abort', end);
			await transport.close();
			await owned.disposeAsync();
			const {noiseLines} = transport.facts();
			if (noiseLines > 0) {
				const found = {server: server.name, lines: noiseLines};
				log.debug('A tool server printed lines that are no messages', found);
			}
		},
	};
}

type Sandboxing = Pick<OpenOptions, 'sandbox' | 'signal'> & {
	readonly log: Logger;
	readonly stack: AsyncDisposableStack;
};

async function sandboxedLaunch(
	{name, endpoint: {command, args, env, sandbox}}: ServerAt<StdioEndpoint>,
	{sandbox: open, signal, log, stack}: Sandboxing,
): Promise<ProcessLaunch | undefined> {
	if (!sandbox) {
		return undefined;
	}

	const wanted = {name, command: [command, ...args], env, sandbox};
	const note = (text: string) => log.warn(text, {server: name});
	const opened = await open?.(wanted, {note, signal}, stack);
	if (opened?.ok !== true) {
		const {kind = 'permanent', reason = 'It wants a sandbox, and there is none here'} =
			opened ?? {};
		throw new ConnectError({kind, message: reason});
	}

	return opened.launch;
}

/** How many lines are kept: the first ones, and in all. */
const headLines = 40;
const maxLines = 120;

/** After a server has worked, output older than this does not explain its end. */
const recentMs = 10_000;

/** Keeps the first and last lines of a server's standard error. */
function createStderrMemory(clock: Clock) {
	const lines: Array<{readonly at: number; readonly text: string}> = [];
	return {
		/** `text` is escaped, redacted and short. */
		push(text: string): void {
			if (lines.length >= maxLines) {
				lines.splice(headLines, 1);
			}

			lines.push({at: clock.monotonic(), text});
		},
		last: (): string | undefined => lines.at(-1)?.text,
		/** The line with the error, and where to find more; `undefined` if there was no output. */
		reason({isEstablished}: {readonly isEstablished: boolean}): string | undefined {
			const since = isEstablished ? clock.monotonic() - recentMs : 0;
			const recent = lines.filter(({at}) => at >= since);
			const line = reasonIn((recent.length > 0 ? recent : lines.slice(-1)).map(({text}) => text));
			return line === undefined || lines.length === 1
				? line
				: `${line} (the rest is in logs/mcp-stderr.log)`;
		},
	};
}
