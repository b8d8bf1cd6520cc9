import {stripVTControlCharacters} from 'node:util';
import type {StdioEndpoint} from '../../config/tool-server.ts';
import type {Logger} from '../../core/log.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {ConnectError} from './connect-error.ts';
import {explain} from './explain.ts';
import type {OpenedTransport, OpenOptions} from './open-transport.ts';
import {createStderrMemory} from './stderr-memory.ts';
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
 * Makes the way to a stdio server; nothing of it runs before `start()`.
 *
 * @throws ConnectError where it wants a sandbox and cannot have one
 */
export async function openStdio(
	server: ServerAt<StdioEndpoint>,
	{signal, secrets, sandbox, onLost = () => {}}: OpenOptions,
	parts: TransportParts,
): Promise<OpenedTransport> {
	const {clock, log, redact, environment, groups, stderrLog} = parts;
	const hide = redactAlso(redact, secrets);
	const said = createStderrMemory(clock);
	await using stack = new AsyncDisposableStack();
	const sandboxed = await sandboxedLaunch(server, {sandbox, signal, log, stack});
	const transport = createStdioTransport({
		endpoint: server.endpoint,
		environment,
		sandboxed,
		clock,
		groups,
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
	return {
		transport,
		lastStderr: () => said.last(),
		complaint: () => said.reason(transport.facts()),
		exit: () => transport.facts().exit,
		explain(error) {
			const process = transport.facts();
			const {isEstablished} = process;
			return explain(error, {
				server,
				signal,
				redact: hide,
				isEstablished,
				hasSession: false,
				process,
				complaint: said.reason({isEstablished}),
			});
		},
		async [Symbol.asyncDispose]() {
			signal.removeEventListener('abort', end);
			await transport.close();
			await owned.disposeAsync();
			const {noiseLines} = transport.facts();
			if (noiseLines > 0) {
				log.debug('A tool server printed lines that are no messages', {
					server: server.name,
					lines: noiseLines,
				});
			}
		},
	};
}

async function sandboxedLaunch(
	{name, endpoint: {command, args, env, sandbox}}: ServerAt<StdioEndpoint>,
	{
		sandbox: open,
		signal,
		log,
		stack,
	}: Pick<OpenOptions, 'sandbox' | 'signal'> & {
		readonly log: Logger;
		readonly stack: AsyncDisposableStack;
	},
): Promise<ProcessLaunch | undefined> {
	if (!sandbox) {
		return undefined;
	}

	const note = (text: string) => {
		log.warn(text, {server: name});
	};
	const opened = await open?.(
		{name, command: [command, ...args], env, sandbox},
		{note, signal},
		stack,
	);
	if (opened?.ok !== true) {
		throw new ConnectError({
			kind: opened?.kind ?? 'permanent',
			message: opened?.reason ?? 'It wants a sandbox, and there is none here',
		});
	}

	return opened.launch;
}
