import type {LookupAddress} from 'node:dns';
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {type Clock, systemClock} from '../../../source/core/clock.ts';
import {type HostRule, readHostRule} from '../../../source/core/hosts.ts';
import {openProxy, type RefusedHost} from '../../../source/tools/sandbox/proxy.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

export const rulesOf = (hosts: readonly string[]): readonly HostRule[] =>
	hosts.flatMap(host => readHostRule(host) ?? []);

export const addressesOf = (...addresses: readonly string[]): readonly LookupAddress[] =>
	addresses.map(address => ({address, family: address.includes(':') ? 6 : 4}));

export type Dialled = {readonly addresses: readonly string[]; readonly port: number};

/**
 * A proxy whose names have the addresses of `names`, and which connects, whatever the address, to `127.0.0.1:port` of a server of the test. `dialled` says what it would have connected to.
 */
export async function openTestProxy({
	hosts,
	names = {},
	port = 1,
	clock = systemClock,
}: {
	readonly hosts: readonly string[];
	readonly names?: Readonly<Record<string, readonly string[]>>;
	readonly port?: number;
	readonly clock?: Clock;
}) {
	await using stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const dialled: Dialled[] = [];
	const refused: RefusedHost[] = [];
	const servers: Socket[] = [];
	const asked: string[] = [];
	const abort = new AbortController();
	const {socket} = stack.use(
		await openProxy(
			{
				folder: home.file('run'),
				rules: rulesOf(hosts),
				setting: 'sandbox.hosts',
				signal: abort.signal,
				onRefused(host) {
					refused.push(host);
				},
			},
			{
				clock,
				async resolve(name) {
					asked.push(name);
					return addressesOf(...((Object.hasOwn(names, name) && names[name]) || []));
				},
				dial(addresses, toPort) {
					dialled.push({addresses: addresses.map(({address}) => address), port: toPort});
					const server = connect({host: '127.0.0.1', port, allowHalfOpen: true});
					servers.push(server);
					return server;
				},
			},
		),
	);
	const open = async () => {
		const client = connect({path: socket, allowHalfOpen: true});
		await once(client, 'connect');
		return client;
	};

	const owned = stack.move();
	return {
		socket,
		folder: home.file('run'),
		dialled,
		refused,
		servers,
		asked,
		abort,
		open,
		/** Sends `bytes` and reads all that comes until the proxy closes the connection, or opens a tunnel. */
		async say(bytes: string): Promise<string> {
			const client = await open();
			client.on('error', () => {});
			client.on('end', () => client.end());
			let answer = '';
			client.setEncoding('latin1').on('data', (more: string) => {
				answer += more;
				if (answer.includes(' 200 Connection Established')) {
					client.destroy();
				}
			});
			client.write(Buffer.from(bytes, 'latin1'));
			await once(client, 'close');
			return answer;
		},
		/** Opens a tunnel; its answer is read. */
		async tunnel(authority: string) {
			const client = await open();
			client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
			await once(client, 'readable');
			const first = client.read() as Buffer;
			const end = first.indexOf('\r\n\r\n') + 4;
			if (end < first.length) {
				client.unshift(first.subarray(end));
			}

			return {client, answer: first.toString('latin1', 0, end)};
		},
		[Symbol.asyncDispose]: async () => owned.disposeAsync(),
	};
}
