import {connect, type Socket} from 'node:net';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret, post} from '../helpers/post.ts';
import {startSvc} from '../helpers/svc.ts';

export type SlowReport = {
	readonly clients: number;
	/** Slow connections that the receiver closed, and how long the last one lived, milliseconds. */
	readonly closed: number;
	readonly longestMs: number;
	/** Answers to senders that are not slow, meanwhile: by status, and their times, milliseconds. */
	readonly statuses: Readonly<Record<number, number>>;
	readonly latenciesMs: readonly number[];
};

/** How slow clients spend their time: they never finish the header, or never the body. */
type Way = {readonly head: string; readonly drip: string};

const ways: readonly Way[] = [
	{head: 'POST /webhooks/hook HTTP/1.1\r\nHost: a\r\n', drip: 'X-A: b\r\n'},
	{
		head: 'POST /webhooks/hook HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n',
		drip: ' ',
	},
	{head: '', drip: ''},
	{
		head: 'POST /webhooks/hook HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
		drip: '1\r\n \r\n',
	},
];

const dripMs = 400;
/** The receiver's own bound is 15 s; beyond this a connection counts as held. */
const boundMs = 25_000;

/** Holds `clients` slow connections against a gateway and sends an ordinary event now and then. Ends when all are closed, at the latest after 25 s. */
export async function slowClients({clients}: {readonly clients: number}): Promise<SlowReport> {
	await using home = await gatewayHome({
		config: {
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: hookSecret,
					rate_limit: 100_000,
				},
			},
		},
		subscriptions: {hook: {events: ['never']}},
	});
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	const startedAt = performance.now();
	const lives: number[] = [];
	const open = Array.from({length: clients}, async (_, index) => {
		const way = ways[index % ways.length];
		if (way) {
			lives.push(await hold(Number(new URL(url).port), way));
		}
	});
	const statuses: Record<number, number> = {};
	const latenciesMs: number[] = [];
	while (lives.length < clients && performance.now() - startedAt < boundMs) {
		const sentAt = performance.now();
		const {status} = await post(`${url}/webhooks/hook`, {payload: {n: 1}});
		latenciesMs.push(performance.now() - sentAt);
		statuses[status] = (statuses[status] ?? 0) + 1;
		await new Promise(resolve => {
			setTimeout(resolve, 50);
		});
	}

	await Promise.all(open);
	return {
		clients,
		closed: lives.filter(life => life < boundMs).length,
		longestMs: Math.max(...lives),
		statuses,
		latenciesMs,
	};
}

/** How long a slow connection lived, milliseconds; `boundMs` when nobody closed it. */
async function hold(port: number, {head, drip}: Way): Promise<number> {
	const openedAt = performance.now();
	return new Promise(resolve => {
		const socket: Socket = connect({port, host: '127.0.0.1'}, () => {
			socket.write(head);
		});
		const dripping = setInterval(() => {
			if (drip !== '' && socket.writable) {
				socket.write(drip);
			}
		}, dripMs);
		const limit = setTimeout(() => socket.destroy(), boundMs);
		const end = () => {
			clearInterval(dripping);
			clearTimeout(limit);
			socket.destroy();
			resolve(Math.min(performance.now() - openedAt, boundMs));
		};
		socket.resume().on('error', end).on('close', end).on('end', end);
	});
}
