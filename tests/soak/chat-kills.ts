import {systemClock, sleep} from '../../source/core/clock.ts';
import {openSqliteReader} from '../../source/store/sqlite-reader.ts';
import {openTelegramChat, type Shown} from '../gateway/conversations/telegram-chat.ts';
import {startGatewayProcess} from '../helpers/gateway-process.ts';
import {gatewayHome} from '../helpers/gateway.ts';

export type ChatKills = {
	readonly messages: number;
	readonly kills: number;
	readonly answered: number;
	/** Broken off while they were sent: a person decides. */
	readonly uncertain: number;
	/** Messages without an answer, with two, or with one before that of an earlier message, as sentences. */
	readonly wrong: readonly string[];
};

/** No more than may wait for each of them. */
const messagesOfUser = 20;
const firstUser = 99;

/**
 * People write to a gateway in a process of its own, which is killed with 9 again and again: each message is answered once, in the order of its chat, or its answer was broken off while it was
 * sent and is `uncertain`. What is compared is what stands in the chats.
 */
export async function killChats({
	messages,
	kills,
	random,
}: {
	readonly messages: number;
	readonly kills: number;
	readonly random: () => number;
}): Promise<ChatKills> {
	const users = Array.from(
		{length: Math.max(5, Math.ceil(messages / messagesOfUser))},
		(_, index) => firstUser + index,
	);
	await using telegram = await openTelegramChat();
	await using home = await gatewayHome({
		config: {
			model: {provider: 'offline', allow_offline_delivery: true},
			platforms: {telegram: {...telegram.settings, allow_from: users}},
		},
	});
	/** The first start answers nothing that is there already. */
	{
		await using _ = await startGatewayProcess(home.path);
		await telegram.until(() => telegram.calls.some(({query}) => Number(query['timeout']) > 0));
	}

	const asked = Array.from({length: messages}, (_, index) => ({
		text: `message-${index}-end`,
		user: users[index % users.length] ?? firstUser,
	}));
	const perRound = Math.ceil(messages / (kills + 1));
	let sent = 0;
	const write = (count: number) => {
		for (const {text, user} of asked.slice(sent, sent + count)) {
			telegram.write(text, {user});
		}

		sent += count;
	};

	const isAnswered = (shown: readonly Shown[], text: string) =>
		shown.some(message => message.text.includes(text));
	for (let round = 0; round < kills; round += 1) {
		write(perRound);
		// oxlint-disable-next-line no-await-in-loop -- one life after the other
		await using _ = await startGatewayProcess(home.path);
		const [begun] = asked.slice(sent - perRound, sent);
		// oxlint-disable-next-line no-await-in-loop
		await telegram.until(
			shown => !begun || isAnswered(shown, begun.text) || shown.length > sent / 2,
		);
		// oxlint-disable-next-line no-await-in-loop
		await sleep(systemClock, random() * 400);
	}

	write(messages - sent);
	await using last = await startGatewayProcess(home.path);
	const uncertainOf = async () => {
		await using store = await openSqliteReader(home.file('state.db'));
		const runs = await store.runs.list({states: ['uncertain', 'interrupted'], limit: 1000});
		return await Promise.all(
			runs.map(async ({id}) => (await store.runs.get(id))?.plan.prompt ?? ''),
		);
	};
	let uncertain = await uncertainOf();
	await telegram.until(shown => {
		const missing = asked.filter(({text}) => !isAnswered(shown, text));
		return missing.length <= uncertain.length;
	});
	uncertain = await uncertainOf();
	const shown = await telegram.until(all =>
		asked.every(({text}) => isAnswered(all, text) || uncertain.includes(text)),
	);
	void last;
	return {
		messages,
		kills,
		answered: asked.filter(({text}) => isAnswered(shown, text)).length,
		uncertain: uncertain.length,
		wrong: [
			...telegram.faults,
			...asked.flatMap(({text}) => {
				const count = shown.filter(message => message.text.includes(text)).length;
				return count > 1 || (count === 0 && !uncertain.includes(text))
					? [`${text} was answered ${count} times`]
					: [];
			}),
			...users.flatMap(user => {
				const order = asked
					.filter(one => one.user === user)
					.flatMap(({text}) => shown.find(message => message.text.includes(text))?.id ?? []);
				return order.some((id, index) => id < (order[index - 1] ?? 0))
					? [`the answers to ${user} are not in order`]
					: [];
			}),
		],
	};
}
