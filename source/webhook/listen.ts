import type {Server} from 'node:http';
import {codeOf, SvcError} from '../core/errors.ts';

export type Address = {readonly host: string; readonly port: number};

const refusals: Readonly<Record<string, readonly [code: string, hint: string]>> = {
	EADDRINUSE: [
		'port_in_use',
		'another process holds this port; stop it or set another platforms.webhook.port',
	],
	EACCES: [
		'port_forbidden',
		'the system does not allow this port; set a platforms.webhook.port above 1023',
	],
	EADDRNOTAVAIL: [
		'host_unavailable',
		'this machine has no such address; check platforms.webhook.host',
	],
	ENOTFOUND: ['host_unavailable', 'this name has no address; check platforms.webhook.host'],
};

/**
 * Binds `server` and returns its URL. Port 0 takes a free one.
 *
 * @throws SvcError `port_in_use`, `port_forbidden`, `host_unavailable`, `listen_failed`
 */
export async function listen(server: Server, {host, port}: Address): Promise<string> {
	await new Promise<void>((resolve, reject) => {
		const onError = (error: Error) => {
			const code = codeOf(error);
			const [name, hint] = (Object.hasOwn(refusals, code) ? refusals[code] : undefined) ?? [
				'listen_failed',
				code,
			];
			reject(new SvcError(name, `Cannot listen on "${host}:${port}": ${hint}`, {cause: error}));
		};

		server.once('error', onError);
		server.listen({host, port}, () => {
			server.off('error', onError);
			resolve();
		});
	});

	const address = server.address();
	const bound = typeof address === 'object' && address ? address.port : port;
	return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
