import {DatabaseSync} from 'node:sqlite';
import {startGatewayProcess} from '../helpers/gateway-process.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';
import {openService, type Call, type Reply} from '../platforms/service.ts';

/** When a gateway is killed with a part on its way: before the service takes it, after it took it and before it answers, or once it has answered. */
const moments = ['untaken', 'taken', 'answered'] as const;

/** A platform that knows a message again by its key, and one that does not. */
const platforms = {
	mattermost: {
		settings: (url: string) => ({enabled: true, bot_token: 'soak-token-0123456789', api_base: url}),
		chat: 'c'.repeat(26),
		path: '/api/v4/posts',
		limit: 16_383,
		textOf: ({body}: Call) => (body as {message: string}).message,
		keyOf: ({body}: Call) => (body as {pending_post_id: string}).pending_post_id,
		done: (id: number): Reply => ({status: 201, json: {id: String(id)}}),
		me: {id: 'me'},
	},
	telegram: {
		settings: (url: string) => ({
			enabled: true,
			bot_token: '123:soak-token-0123456789',
			api_base: url,
		}),
		chat: '123',
		path: '/bot123:soak-token-0123456789/sendMessage',
		limit: 4096,
		textOf: ({body}: Call) => (body as {text: string}).text,
		keyOf: undefined,
		done: (id: number): Reply => ({status: 200, json: {ok: true, result: {message_id: id}}}),
		me: {ok: true, result: {username: 'bot'}},
	},
} as const;

export type PartsReport = {
	readonly rounds: number;
	/** How the runs ended, by platform. */
	readonly ends: Readonly<Record<string, number>>;
	/** What did not hold, one line each. */
	readonly broken: readonly string[];
};

const parts = 4;

/**
 * Kills a gateway while it sends a long answer, `rounds` times, each with a home of its own, and starts it again. Every part has to arrive once where the platform knows a message again; else the run is
 * done and every part has arrived once, or it is uncertain and no part has arrived twice.
 *
 * @see manual/delivery.md#tries
 */
export async function killBetweenParts({
	rounds,
	random,
	onRound = () => {},
}: {
	readonly rounds: number;
	/** From 0 to 1. */
	readonly random: () => number;
	readonly onRound?: (round: number, what: string) => void;
}): Promise<PartsReport> {
	const ends: Record<string, number> = {};
	const broken: string[] = [];
	for (let round = 0; round < rounds; round++) {
		const kind = round % 2 === 0 ? 'mattermost' : 'telegram';
		const moment = moments[Math.floor(random() * moments.length)] ?? 'taken';
		const nth = 1 + Math.floor(random() * parts);
		const what = `${kind}: part ${nth} ${moment}`;
		onRound(round, what);
		// oxlint-disable-next-line no-await-in-loop -- one gateway after the other
		const {state, problem} = await killOnce(kind, {moment, nth});
		ends[`${kind} ${state}`] = (ends[`${kind} ${state}`] ?? 0) + 1;
		if (problem !== undefined) {
			broken.push(`${what}: ${problem}`);
		}
	}

	return {rounds, ends, broken};
}

async function killOnce(
	kind: keyof typeof platforms,
	{moment, nth}: {readonly moment: (typeof moments)[number]; readonly nth: number},
): Promise<{readonly state: string; readonly problem?: string}> {
	const platform = platforms[kind];
	const words = Array.from(
		{length: Math.ceil((platform.limit * (parts - 0.5)) / 7)},
		(_, index) => `w${String(index).padStart(5, '0')}`,
	);
	await using model = await startScriptedModel([{text: words.join(' ')}]);
	/** What arrived, in the order in which it came first. */
	const arrived = new Map<string, string>();
	const killed = Promise.withResolvers<void>();
	let [count, pid] = [0, 0];
	const kill = () => {
		process.kill(pid, 'SIGKILL');
		killed.resolve();
	};
	const isSending = ({path, method}: Call) => path === platform.path && method === 'POST';
	await using service = await openService(call => {
		if (!isSending(call)) {
			return {status: 200, json: platform.me};
		}

		count += 1;
		const isNow = count === nth;
		if (isNow && moment === 'untaken') {
			kill();
			return {status: 503};
		}

		const key = platform.keyOf?.(call) ?? `message ${count}`;
		arrived.set(key, arrived.get(key) ?? platform.textOf(call));
		if (isNow && moment === 'taken') {
			kill();
		} else if (isNow) {
			setTimeout(kill, 2);
		}

		return platform.done(count);
	}, isSending);
	await using home = await gatewayHome({
		config: {
			model: {provider: 'openai-compatible', base_url: model.baseUrl, name: 'scripted-1'},
			platforms: {[kind]: {...platform.settings(service.url), per_minute: 0}},
			runs: {delivery_tries: 3},
		},
		subscriptions: {
			r: {prompt: 'Tell all', deliver: kind, deliver_extra: {chat_id: platform.chat}},
		},
	});
	{
		await using gateway = await startGatewayProcess(home.path);
		({pid} = gateway);
		await post(`${gateway.url}/webhooks/r`, {payload: {}});
		await killed.promise;
	}

	const state = await afterRestart(home);
	const found = [...arrived.values()].flatMap(text => text.match(/w\d{5}/g) ?? []);
	const isWhole = found.join(' ') === words.join(' ');
	const isOnce = new Set(found).size === found.length;
	const problem =
		state === 'done'
			? isWhole
				? undefined
				: `it is done, and ${found.length} words of ${words.length} arrived`
			: state === 'uncertain' && !platform.keyOf
				? isOnce
					? undefined
					: 'it is uncertain, and a part arrived twice'
				: `it is ${state}`;
	return {state, ...(problem !== undefined && {problem})};
}

/** The state in which the only run comes to rest once the gateway is there again. */
async function afterRestart(home: TemporaryHome): Promise<string> {
	await using gateway = await startGatewayProcess(home.path);
	const state = await settled(home.file('state.db'));
	return gateway.pid === 0 ? 'not started' : state;
}

const waitMs = 100;
const mostTries = 900;

/** The state in which the only run comes to rest. */
async function settled(file: string): Promise<string> {
	for (let tries = 0; tries < mostTries; tries++) {
		const state = stateIn(file);
		if (state === 'done' || state === 'uncertain' || state === 'dead') {
			return state;
		}

		// oxlint-disable-next-line no-await-in-loop -- until it rests
		await new Promise(resolve => {
			setTimeout(resolve, waitMs);
		});
	}

	return stateIn(file);
}

function stateIn(file: string): string {
	using database = new DatabaseSync(file, {readOnly: true});
	return String(database.prepare('select state from run').get()?.['state']);
}
