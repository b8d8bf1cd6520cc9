import type {LookupAddress} from 'node:dns';
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {lookupBy, resolveBySystem, type ResolveName} from '../../core/address-scope.ts';
import {createDeadline} from '../../core/clock.ts';
import type {HostRule} from '../../core/hosts.ts';
import type {World} from '../../core/world.ts';
import {judgeTarget, type ProxyTarget} from './proxy-target.ts';

/** The most connections to servers, including those being established. */
const maxServers = 64;

const idleMs = 60_000;

export type Reached =
	| {
			readonly ok: true;
			readonly server: Socket;
			/** Call when data pass: a connection that is idle for 60 s is closed, together with its client. */
			readonly onBytes: () => void;
	  }
	| {readonly ok: false; readonly status: 403 | 502 | 503; readonly reason: string};

/** Judges a target and connects to it. The connection is closed with `client`. */
type Reach = (target: ProxyTarget, client: Duplex) => Promise<Reached>;

export type ReachWorld = Pick<World, 'clock'> & {
	readonly resolve?: ResolveName;
	/** Connects to one of `addresses`. */
	readonly dial?: (addresses: readonly LookupAddress[], port: number) => Socket;
};

/** @param hold is given each connection, and ends those that are left */
export function createReach(
	{
		rules,
		setting,
		hold,
	}: {
		readonly rules: readonly HostRule[];
		readonly setting: string;
		readonly hold: (socket: Socket) => void;
	},
	{clock, resolve = resolveBySystem, dial = dialJudged}: ReachWorld,
): Reach {
	let servers = 0;

	const open = async (
		addresses: readonly LookupAddress[],
		{port, client, place}: {port: number; client: Duplex; place: DisposableStack},
	): Promise<Reached> => {
		const server = dial(addresses, port);
		hold(server);
		const idle = createDeadline(clock, () => {
			server.destroy();
			client.destroy();
		});
		const onBytes = () => idle.move(idleMs);
		const end = () => server.destroy();
		onBytes();
		client.once('close', end);
		server.once('close', () => {
			place.dispose();
			idle[Symbol.dispose]();
			client.off('close', end);
		});
		return (await isConnected(server))
			? {ok: true, server, onBytes}
			: {ok: false, status: 502, reason: 'it cannot be connected to'};
	};

	return async (target, client) => {
		if (servers >= maxServers) {
			return {ok: false, status: 503, reason: `${maxServers} connections are open`};
		}

		servers += 1;
		using place = new DisposableStack();
		place.defer(() => {
			servers -= 1;
		});
		const judgement = await judgeTarget(target, {rules, resolve, setting});
		switch (judgement.kind) {
			case 'refused':
				return {ok: false, status: 403, reason: judgement.reason};
			case 'unknown':
				return {ok: false, status: 502, reason: 'its name has no address'};
			case 'allowed':
				return client.destroyed
					? {ok: false, status: 502, reason: 'its client has left'}
					: await open(judgement.addresses, {port: target.port, client, place: place.move()});
		}
	};
}

async function isConnected(socket: Socket): Promise<boolean> {
	try {
		// `close` reports a connection that ended before it was established.
		await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
		return !socket.destroyed;
	} catch {
		return false;
	}
}

/** Connects without a DNS lookup, to the judged addresses. */
const dialJudged = (addresses: readonly LookupAddress[], port: number): Socket =>
	connect({
		host: 'judged.invalid',
		port,
		lookup: lookupBy(async () => addresses),
		autoSelectFamily: true,
		allowHalfOpen: true,
		noDelay: true,
	});
