import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import type {HostRule} from '../../core/hosts.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {respond, malformationOf} from '../../http/http-messages.ts';
import {serveAt} from '../../http/listen.ts';
import {refuseConnection} from '../../http/refuse.ts';
import {createReach, type ReachWorld} from './proxy-reach.ts';
import {carryRequest} from './proxy-request.ts';
import {bracketed, type ProxyTarget, readAbsoluteForm, readAuthority} from './proxy-target.ts';
import {carryTunnel} from './proxy-tunnel.ts';

/** A host whose use was refused to a program. Foreign text, escaped. */
export type RefusedHost = {
	/** At most 255 characters. */
	readonly host: string;
	/** Absent if the target could not be parsed. */
	readonly port?: number;
	readonly reason: string;
};

type ProxyOptions = {
	/** Created (mode 0700) if missing. Its socket is `proxy.sock`. */
	readonly folder: string;
	readonly rules: readonly HostRule[];
	/** The setting to which a person adds a host, such as `sandbox.hosts`. */
	readonly setting: string;
	/** Called once for each host, port and reason, at most 100 times. */
	readonly onRefused: (refused: RefusedHost) => void;
	/** Aborting ends the proxy, like disposal. */
	readonly signal: AbortSignal;
};

const maxClients = 64;
const patienceMs = 10_000;
const maxHeaderBytes = 16_384;
const maxRefusals = 100;
const maxHostLength = 255;

/**
 * Opens a sandbox's access to the network: an HTTP proxy on a Unix socket (mode 0600) for `CONNECT host:port` and `http://…` in absolute form. A target is parsed
 * once: the same value is judged, connected to at the judged addresses, and written into the `Host` header. TLS is not decrypted, but its ClientHello must name
 * the judged host. Disposing closes all connections.
 *
 * Rejects as `serveAt` does.
 *
 * @see manual/sandbox-network.md
 */
export async function openProxy(
	{folder, rules, setting, onRefused, signal}: ProxyOptions,
	world: ReachWorld,
): ReturnType<typeof serveAt> {
	signal.throwIfAborted();
	const {clock} = world;
	const open = new Set<Duplex>();
	const hold = (socket: Duplex) => {
		open.add(socket);
		// Each pipelined request adds a listener.
		socket.setMaxListeners(0);
		socket.on('error', () => socket.destroy());
		socket.once('close', () => open.delete(socket));
	};

	const reach = createReach({rules, setting, hold}, world);
	/** The targets of tunnels to port 80, by connection. */
	const pinned = new WeakMap<Duplex, ProxyTarget>();
	const told = new Set<string>();
	const tell = (refused: RefusedHost) => {
		const key = JSON.stringify(refused);
		if (told.size < maxRefusals && !told.has(key)) {
			told.add(key);
			onRefused(refused);
		}
	};

	const unread = (target: string): string => {
		tell({host: escapeLine(target, maxHostLength), reason: 'it is no plain host and port'});
		return 'Cannot read the target of the request: ask for CONNECT host:port or http://host/path';
	};

	const unreached = (
		{host, port}: ProxyTarget,
		{status, reason}: {readonly status: number; readonly reason: string},
	): string => {
		if (status === 403) {
			tell({host, port, reason});
		}

		return `Cannot reach "${bracketed(host)}:${port}" from the sandbox: ${reason}`;
	};

	const take = async (request: IncomingMessage, response: ServerResponse) => {
		const refuse = (status: number, error: string) => {
			const answer = {status, body: `${error}\n`, contentType: plainText, close: true};
			respond({request, response, awaitsContinue: false}, answer, clock);
		};

		const {url = '', socket} = request;
		const malformation = malformationOf(request);
		if (malformation !== undefined) {
			refuse(400, malformation);
			return;
		}

		const pin = pinned.get(socket);
		const plain = pin && url.startsWith('/') ? {target: pin, path: url} : readAbsoluteForm(url);
		if (!plain) {
			refuse(400, unread(url));
			return;
		}

		const reached = await reach(plain.target, socket);
		if (!reached.ok) {
			refuse(reached.status, unreached(plain.target, reached));
			return;
		}

		const onFailed = () =>
			refuse(502, unreached(plain.target, {status: 502, reason: 'it did not answer in HTTP/1'}));
		carryRequest({request, response}, plain, {...reached, onFailed});
	};

	const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer) => {
		const refuse = (status: number, error: string) => {
			const words = () => ({body: `${error}\n`, headers: {'Content-Type': plainText}});
			refuseConnection(client, status, {clock, words});
		};

		if (pinned.has(client)) {
			refuse(400, 'A tunnel cannot be asked for within another one');
			return;
		}

		const target = readAuthority(request.url ?? '');
		if (!target) {
			refuse(400, unread(request.url ?? ''));
			return;
		}

		if (target.port === 80) {
			// Some clients also tunnel plain HTTP: each request is parsed and judged like any other.
			client.write(established);
			pinned.set(client, target);
			client.unshift(head);
			server.emit('connection', client);
			return;
		}

		const reached = await reach(target, client);
		if (!reached.ok) {
			refuse(reached.status, unreached(target, reached));
			return;
		}

		client.write(established);
		const {server: to, onBytes} = reached;
		const refused = (reason: string) => tell({...target, reason});
		carryTunnel({client, server: to, head}, {target, onBytes, onRefused: refused});
	};

	const server = createServer({
		headersTimeout: patienceMs,
		keepAliveTimeout: patienceMs,
		// A long body is acceptable, an idle one is not.
		requestTimeout: 0,
		connectionsCheckingInterval: 1000,
		maxHeaderSize: maxHeaderBytes,
		// `malformationOf` checks the header instead.
		requireHostHeader: false,
	});
	server.maxConnections = maxClients;
	server.maxHeadersCount = 0;
	server.on('connection', hold);
	server.on('request', (request, response) => {
		void take(request, response).catch(() => request.socket.destroy());
	});
	server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
		// Node has removed its own listener.
		hold(client);
		void tunnel(request, client, head).catch(() => client.destroy());
	});
	const close = () => {
		server.close();
		for (const socket of open) {
			socket.destroy();
		}
	};

	return serveAt(server, {folder, name: 'proxy.sock', signal, close});
}

const plainText = 'text/plain; charset=utf-8';

const established = 'HTTP/1.1 200 Connection Established\r\n\r\n';
