import {setTimeout as sleep} from 'node:timers/promises';
import {openTelegramChat} from '../../gateway/conversations/telegram-chat.ts';
import {startPgbouncer} from '../../helpers/pgbouncer.ts';
import {startPostgres} from '../../helpers/postgres.ts';
import {startCuttingProxy} from './cutting-proxy.ts';
import {messages} from './disturb.ts';
import {memberNames, openRig, startProxy} from './rig.ts';
import {createSenders, type Found, inspect} from './senders.ts';

export type CutReport = Found & {
	/** Cuts by where they were, such as `after commit`. */
	readonly cuts: Readonly<Record<string, number>>;
};

/** Statements that a gateway may send before the one that breaks. */
const mostBefore = 40;
const limitMs = 5000;

/** Breaks connections between the gateways and their database at statements drawn by `random`, also between a commit and its answer, while senders send. */
export async function cutConnections({
	cuts,
	random,
	pauseMs = 10,
	sides = ['before', 'after'],
}: {
	readonly cuts: number;
	readonly random: () => number;
	readonly pauseMs?: number;
	readonly sides?: ReadonlyArray<'before' | 'after'>;
}): Promise<CutReport> {
	await using stack = new AsyncDisposableStack();
	const postgres = stack.use(await startPostgres());
	const chat = stack.use(await openTelegramChat());
	const url = await postgres.create('cuts');
	const pool = await startPgbouncer(url);
	stack.use(pool);
	const proxies = await Promise.all(
		memberNames.map(async name => startCuttingProxy(name === 'c' ? (pool?.url ?? url) : url)),
	);
	for (const proxy of proxies) {
		stack.use(proxy);
	}

	const {members} = stack.use(
		await openRig({
			urlOf: name => proxies[memberNames.findIndex(other => other === name)]?.url ?? url,
			webhook: {routes: {agent: {prompt: 'message-{id}-end', ...messages}}},
			sections: {platforms: {telegram: {...chat.settings, inbound: false}}},
		}),
	);
	await Promise.all(members.map(async member => member.start()));
	const front = stack.use(await startProxy(members));
	const senders = createSenders(front.url, {random, pauseMs});
	const done: Record<string, number> = {};
	for (let count = 0; count < cuts;) {
		const proxy = proxies[Math.floor(random() * proxies.length)];
		const side = sides[Math.floor(random() * sides.length)] ?? 'before';
		const commits = random() < 0.5;
		const nth = 1 + Math.floor(random() * (commits ? 4 : mostBefore));
		if (await proxy?.cut({side, commits, nth}, limitMs)) {
			count += 1;
			const name = `${side} ${commits ? 'commit' : 'statement'}`;
			done[name] = (done[name] ?? 0) + 1;
		}

		await sleep(random() * 200);
	}

	await senders.end();
	const found = await inspect(url, {
		senders,
		texts: async () => (await chat.until(() => true)).map(({text}) => text),
	});
	return {
		cuts: done,
		...found,
		wrong: [...found.wrong, ...members.flatMap(({faults}) => faults())],
	};
}
