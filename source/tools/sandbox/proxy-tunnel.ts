import {isIP, type Socket} from 'node:net';
import {type Duplex, pipeline} from 'node:stream';
import {escapeLine} from '../../core/untrusted.ts';
import {type Hello, readHello} from './client-hello.ts';
import type {ProxyTarget} from './proxy-target.ts';

/** The port on which only TLS may pass. */
const tlsPort = 443;

/**
 * Why a tunnel to `target` must not begin with `hello`; `undefined` if it may. The server name in TLS must equal the requested and judged name: a server with many
 * names would otherwise answer for another one. On ports other than 443 non-TLS data may pass, because the port was listed for another protocol.
 */
export function refusalOfHello(
	hello: Exclude<Hello, {kind: 'open'}>,
	{host, port}: ProxyTarget,
): string | undefined {
	switch (hello.kind) {
		case 'not-tls':
			return port === tlsPort ? `only TLS may be sent to port ${tlsPort}` : undefined;
		case 'malformed':
			return 'its TLS ClientHello cannot be read';
		case 'hello': {
			const {serverName: name, isEncrypted} = hello;
			if (isEncrypted) {
				return 'part of its TLS ClientHello is encrypted, and may name another server';
			}

			// For an address there is no server name. @see RFC 6066 §3
			const expected = isIP(host) === 0 ? host : undefined;
			if (name?.replace(/\.$/, '') === expected) {
				return undefined;
			}

			return name === undefined
				? 'its TLS ClientHello names no server'
				: `its TLS ClientHello names another server, "${escapeLine(name, 100)}"`;
		}
	}
}

/** A fatal alert `unrecognized_name`, which TLS clients report to their user. @see RFC 8446 §6 */
const alert = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

/**
 * Relays data between a client and the server of its judged target. The client's first bytes are held until judged. Ends when either side does.
 *
 * @param head bytes that the client has sent already
 */
export function carryTunnel(
	{client, server, head}: {readonly client: Duplex; readonly server: Socket; readonly head: Buffer},
	{
		target,
		onBytes,
		onRefused,
	}: {
		readonly target: ProxyTarget;
		readonly onBytes: () => void;
		readonly onRefused: (reason: string) => void;
	},
): void {
	const back = () => {
		server.on('data', onBytes);
		pipeline(server, client, () => {});
	};

	const end = () => {
		server.destroy();
		client.destroy();
	};

	let first = Buffer.alloc(0);
	const judge = (chunk: Buffer) => {
		onBytes();
		first = Buffer.concat([first, chunk]);
		const hello = readHello(first);
		if (hello.kind === 'open') {
			return;
		}

		client.pause();
		client.off('data', judge);
		client.off('end', end);
		const refusal = refusalOfHello(hello, target);
		if (refusal !== undefined) {
			onRefused(refusal);
			server.destroy();
			client.end(hello.kind === 'not-tls' ? undefined : alert);
			client.resume();
			return;
		}

		if (target.port === tlsPort) {
			back();
		}

		server.write(first);
		client.on('data', onBytes);
		pipeline(client, server, () => {});
	};

	client.on('data', judge);
	client.once('end', end);
	// In other protocols the server may speak first.
	if (target.port !== tlsPort) {
		back();
	}

	if (head.length > 0) {
		judge(head);
	}
}
