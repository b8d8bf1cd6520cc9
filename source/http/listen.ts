import {once} from 'node:events';
import {chmod, mkdir} from 'node:fs/promises';
import type {Server} from 'node:http';
import {join} from 'node:path';
import {codeOf, SvcError} from '../core/errors.ts';
import type {ErrorCode} from '../manual/error-codes.ts';

export type Address = {
	readonly host: string;
	/** 0: any free port. */
	readonly port: number;
};

/** Length of the queue of new connections. Clients that find it full try again only after seconds. */
const backlog = 4096;

/** `hint` says what to do. `section`: the part of the configuration with host and port, such as `platforms.webhook`. */
type Refusal = {readonly code: ErrorCode; readonly hint: (section: string) => string};

const refusals: Readonly<Record<string, Refusal>> = {
	EADDRINUSE: {
		code: 'port_in_use',
		hint: section => `another process holds this port; stop it or set another ${section}.port`,
	},
	EACCES: {
		code: 'port_forbidden',
		hint: section => `the system does not allow this port; set a ${section}.port above 1023`,
	},
	EADDRNOTAVAIL: {
		code: 'host_unavailable',
		hint: section => `this machine has no such address; check ${section}.host`,
	},
	ENOTFOUND: {
		code: 'host_unavailable',
		hint: section => `this name has no address; check ${section}.host`,
	},
};

/**
 * Binds `server` and returns its URL. `section` is the part of the configuration that an error points to.
 *
 * @throws SvcError `port_in_use`, `port_forbidden`, `host_unavailable`, `listen_failed`
 */
export async function listen(
	server: Server,
	{host, port}: Address,
	section: string,
): Promise<string> {
	await new Promise<void>((resolve, reject) => {
		const onError = (error: Error) => {
			const code = codeOf(error);
			const refusal = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
			reject(
				new SvcError(
					refusal?.code ?? 'listen_failed',
					`Cannot listen on "${host}:${port}": ${refusal?.hint(section) ?? code}`,
					{cause: error},
				),
			);
		};

		server.once('error', onError);
		server.listen({host, port, backlog}, () => {
			server.off('error', onError);
			resolve();
		});
	});

	const address = server.address();
	const bound = typeof address === 'object' && address ? address.port : port;
	return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

/**
 * Binds `server` to the Unix socket `name` (0600) in `folder`, which is created (0700) if missing. `close` must close the server and its connections. It is called when
 * `signal` aborts, even during the start, and on disposal, which waits until the server is closed.
 *
 * Rejects as `mkdir`, listening and `chmod` do.
 */
export async function serveAt(
	server: Server,
	options: {
		readonly folder: string;
		readonly name: string;
		readonly signal: AbortSignal;
		readonly close: () => void;
	},
): Promise<AsyncDisposable & {readonly socket: string}> {
	const {folder, name, signal, close} = options;
	const socket = join(folder, name);
	await mkdir(folder, {recursive: true, mode: 0o700});
	server.listen(socket);
	await once(server, 'listening');
	signal.addEventListener('abort', close, {once: true});
	await using stack = new AsyncDisposableStack();
	stack.defer(async () => {
		signal.removeEventListener('abort', close);
		const closed = server.listening ? once(server, 'close') : undefined;
		close();
		await closed;
	});
	if (signal.aborted) {
		close();
	} else {
		await chmod(socket, 0o600);
	}

	const owned = stack.move();
	return {
		socket,
		async [Symbol.asyncDispose]() {
			await owned.disposeAsync();
		},
	};
}
