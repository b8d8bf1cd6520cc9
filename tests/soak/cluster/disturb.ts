import {setTimeout as sleep} from 'node:timers/promises';
import {openTelegramChat} from '../../gateway/conversations/telegram-chat.ts';
import {startPgbouncer} from '../../helpers/pgbouncer.ts';
import {startPostgres, type PostgresServer} from '../../helpers/postgres.ts';
import {type Member, openRig, postEvent, startProxy} from './rig.ts';
import {createSenders, type Found, inspect} from './senders.ts';

/** What is done to the cluster while senders send. */
export const disturbances = [
	'kill a gateway',
	'kill the database',
	'restart the database',
	'stop a gateway for a while',
	'drain a gateway',
	'freeze the database',
] as const;

export type Disturbance = (typeof disturbances)[number];

export type ClusterReport = Found & {
	readonly disturbed: Readonly<Record<string, number>>;
	/** Of the gateways, one reached the database through PgBouncer. */
	readonly pooled: boolean;
	/** Answers while the database was frozen, by status, and the slowest of them. */
	readonly frozen: Readonly<Record<string, number>>;
	readonly slowestFrozenMs: number;
};

/** How long the database is frozen, and until when a request must be answered meanwhile, milliseconds. */
const frozenMs = 10_000;
const answerMs = 10_000;

/** Messages to one chat stand in the settings that all routes of these tests share. */
export const messages = {
	deliver: 'telegram',
	deliver_extra: {chat_id: '99'},
} as const;

/**
 * Three gateways behind a proxy that takes them in turn, on one PostgreSQL, one of them through PgBouncer where it is installed; each disturbance in its turn. Whatever was answered 202 is run once and its answer arrives
 * once, or is said to be uncertain. `random` (from 0 to 1) decides the moments.
 */
export async function disturbCluster({
	rounds,
	random,
	kinds = disturbances,
	pauseMs = 10,
	onRound = () => {},
}: {
	readonly rounds: number;
	readonly random: () => number;
	readonly kinds?: readonly Disturbance[];
	/** What each sender waits after an answer. */
	readonly pauseMs?: number;
	readonly onRound?: (round: number, kind: Disturbance) => void;
}): Promise<ClusterReport> {
	await using stack = new AsyncDisposableStack();
	const postgres = stack.use(await startPostgres());
	const chat = stack.use(await openTelegramChat());
	const url = await postgres.create('cluster');
	const pool = await startPgbouncer(url);
	stack.use(pool);
	const {members} = stack.use(
		await openRig({
			urlOf: name => (name === 'c' ? (pool?.url ?? url) : url),
			webhook: {routes: {agent: {prompt: 'message-{id}-end', ...messages}}},
			sections: {platforms: {telegram: {...chat.settings, inbound: false}}},
		}),
	);
	// Three that start at once on an empty database.
	await Promise.all(members.map(async member => member.start()));
	const proxy = stack.use(await startProxy(members));
	const senders = createSenders(proxy.url, {random, pauseMs});
	const disturbed: Record<string, number> = {};
	const heard: Array<{readonly status: number; readonly tookMs: number}> = [];
	for (let round = 0; round < rounds; round += 1) {
		const kind = kinds[round % kinds.length] ?? 'kill a gateway';
		const member = members[Math.floor(random() * members.length)];
		onRound(round, kind);
		await sleep(300 + random() * 700);
		if (kind === 'freeze the database') {
			heard.push(...(await freeze(members, {postgres, random, round})));
		} else if (member) {
			await disturb(kind, {member, postgres, random});
		}

		disturbed[kind] = (disturbed[kind] ?? 0) + 1;
	}

	await senders.end();
	const found = await inspect(url, {
		senders,
		texts: async () => (await chat.until(() => true)).map(({text}) => text),
	});
	return {
		disturbed,
		pooled: pool !== undefined,
		frozen: Object.fromEntries(
			[...Map.groupBy(heard, ({status}) => status)].map(([status, all]) => [status, all.length]),
		),
		slowestFrozenMs: Math.max(0, ...heard.map(({tookMs}) => Math.round(tookMs))),
		...found,
		wrong: [
			...found.wrong,
			...heard
				.filter(({status, tookMs}) => status !== 503 || tookMs > answerMs)
				.map(
					({status, tookMs}) =>
						`of a frozen database, a sender heard ${status} after ${Math.round(tookMs)} ms`,
				),
			...members.flatMap(({faults}) => faults()),
		],
	};
}

async function disturb(
	kind: Exclude<Disturbance, 'freeze the database'>,
	{
		member,
		postgres,
		random,
	}: {readonly member: Member; readonly postgres: PostgresServer; readonly random: () => number},
): Promise<void> {
	switch (kind) {
		case 'kill a gateway':
			await member.end('SIGKILL');
			await sleep(random() * 1500);
			await member.start();
			break;

		case 'drain a gateway':
			await member.end('SIGTERM');
			await member.start();
			break;

		case 'stop a gateway for a while':
			member.signal('SIGSTOP');
			await sleep(1000 + random() * 4000);
			member.signal('SIGCONT');
			break;

		case 'kill the database':
		case 'restart the database':
			await postgres.kill(kind === 'kill the database' ? 'SIGQUIT' : 'SIGINT');
			await sleep(random() * 2000);
			await postgres.start();
			break;
	}
}

/** Freezes the database, and asks each gateway now and then whether it takes something; what each answered that it could not before the database went on. */
async function freeze(
	members: readonly Member[],
	{
		postgres,
		random,
		round,
	}: {
		readonly postgres: PostgresServer;
		readonly random: () => number;
		readonly round: number;
	},
) {
	postgres.signal('SIGSTOP');
	const thaw = performance.now() + frozenMs;
	const asked = members.flatMap(({url, name}) =>
		Array.from({length: 8}, async (_, nth) => {
			await sleep(random() * frozenMs * 0.9);
			const answer = await postEvent(url() ?? '', {
				route: 'agent',
				id: `frozen-${round}-${name}-${nth}`,
			});
			return {...answer, isAfter: performance.now() > thaw};
		}),
	);
	await sleep(Math.max(0, thaw - performance.now()));
	postgres.signal('SIGCONT');
	// What is answered once the database goes on may well be taken.
	return (await Promise.all(asked)).filter(
		({isAfter, tookMs, status}) => !isAfter || tookMs > answerMs || ![200, 202].includes(status),
	);
}
