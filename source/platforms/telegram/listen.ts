import {messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {createAsk, memberAt, nameAt, textAt} from '../ask.ts';
import {keptFor, listenFailure, pollWhile} from '../connection.ts';
import type {Hearing, InboundMessage, ListenerModule} from '../listener.ts';
import {bounded} from '../message-text.ts';
import type {TelegramSettings} from './descriptor.ts';
import {messageIn, pressIn, type Ours} from './inbound.ts';
import {judge} from './judge.ts';

const askMs = 10_000;
/** So long Telegram holds a request for which it has nothing. */
const holdMs = 50_000;
/** Updates of one answer. */
const maxUpdates = 50;
const maxAnswerBytes = 16 * 1024 * 1024;
/** Another program polls for the same bot: the two end each other's requests. */
const conflictMs = 30_000;
/** Telegram takes that many characters as an answer to a press. */
const maxToldLength = 200;
const tellMs = 5000;

/**
 * Long polling. Telegram keeps updates for 24 hours, until a request names a larger `offset`: the cursor is that offset.
 *
 * @see manual/delivery-telegram.md#conversations, https://core.telegram.org/bots/api#getupdates
 */
export const createListener: ListenerModule<TelegramSettings>['createListener'] = (
	{botToken, apiBase, groupMention},
	world,
) => {
	const {clock, log} = world;
	const ask = createAsk(world, {
		platform: 'telegram',
		base: `${apiBase}/bot${botToken}`,
		secrets: [botToken],
		judge: (answer, request) =>
			answer.status === 409
				? {code: 'platform_failed', retryAfterMs: conflictMs}
				: judge(answer, request),
	});
	const get = async (path: string, signal: AbortSignal) =>
		ask({method: 'GET', path}, {limitMs: askMs, signal});

	const updatesFrom = async (
		offset: number,
		timeoutMs: number,
		signal: AbortSignal,
	): Promise<readonly JsonValue[]> => {
		const query = new URLSearchParams({
			offset: String(offset),
			limit: String(maxUpdates),
			timeout: String(timeoutMs / 1000),
			allowed_updates: JSON.stringify(['message', 'callback_query']),
		});
		const path = `/getUpdates?${query.toString()}`;
		const limits = {limitMs: timeoutMs + askMs, signal};
		const updates = memberAt(await ask({method: 'GET', path, maxAnswerBytes}, limits), 'result');
		if (!Array.isArray(updates) || (updates.length > 0 && nextOf(updates) === undefined)) {
			throw listenFailure('telegram', 'getUpdates did not answer with updates');
		}

		return updates;
	};

	/** Where a first start begins: behind all that is there, of which Telegram gives the last for `-1`. */
	const newest = async (ours: Ours, hearing: Hearing, signal: AbortSignal): Promise<number> => {
		const offset = nextOf(await updatesFrom(-1, 0, signal)) ?? 0;
		await hearing.onMessages([], {account: ours.id, offset});
		return offset;
	};

	/** Shows the person who pressed a text for a moment. Telegram refuses answers to presses of long ago. */
	const answerPress = async (query: string, text: string, signal: AbortSignal): Promise<void> => {
		try {
			const json = {callback_query_id: query, text: bounded(text, maxToldLength)};
			await ask(
				{path: '/answerCallbackQuery', json, sendsNothing: true},
				{limitMs: tellMs, signal},
			);
		} catch (error) {
			log.debug('A press of a button on Telegram was not answered', {reason: messageOf(error)});
		}
	};

	/** Hands updates over in their order. */
	const deliver = async (
		updates: readonly JsonValue[],
		{ours, hearing, signal}: {ours: Ours; hearing: Hearing; signal: AbortSignal},
	): Promise<void> => {
		let messages: InboundMessage[] = [];
		const telling: Array<Promise<void>> = [];
		const flush = async () => {
			if (messages.length > 0) {
				await hearing.onMessages(messages);
				messages = [];
			}
		};
		try {
			for (const update of updates.filter(isJsonObject)) {
				const pressed = pressIn(update);
				const message = pressed ? undefined : messageIn(update, ours);
				messages.push(...(message ? [message] : []));
				if (!pressed) {
					continue;
				}

				// oxlint-disable no-await-in-loop -- in the order in which they came
				await flush();
				telling.push(answerPress(pressed.query, await hearing.onPress(pressed.press), signal));
				// oxlint-enable no-await-in-loop
			}

			await hearing.onMessages(messages, {account: ours.id, offset: nextOf(updates) ?? 0});
		} finally {
			await Promise.all(telling);
		}
	};

	return {
		async listen(hearing, {cursor, signal}) {
			await pollWhile('telegram', {clock, signal}, async () => {
				const me = await get('/getMe', signal);
				const id = textAt(me, 'result', 'id');
				if (id === '') {
					throw listenFailure('telegram', 'getMe did not answer with the bot');
				}

				const webhook = textAt(await get('/getWebhookInfo', signal), 'result', 'url');
				if (webhook !== '') {
					throw listenFailure('telegram', webhookWords(webhook), {code: 'platform_rejected'});
				}

				const ours: Ours = {
					id,
					mention: `@${textAt(me, 'result', 'username').toLowerCase()}`,
				};
				let offset = offsetIn(keptFor(cursor, id)) ?? (await newest(ours, hearing, signal));
				const take = async (timeoutMs: number, onAnswer?: () => void): Promise<boolean> => {
					const updates = await updatesFrom(offset, timeoutMs, signal);
					onAnswer?.();
					if (updates.length > 0) {
						await deliver(updates, {ours, hearing, signal});
					}

					const before = offset;
					offset = nextOf(updates) ?? offset;
					return offset !== before;
				};

				// The first request does not wait: it shows whether another program polls, too.
				const isPrivate = memberAt(me, 'result', 'can_read_all_group_messages') === false;
				await take(0, () =>
					hearing.onListening(isPrivate && !groupMention ? privacyNote : undefined),
				);
				return async () => take(holdMs);
			});
		},
	};

	function webhookWords(url: string): string {
		const host = world.clean(nameAt({host: URL.parse(url)?.host ?? '?'}, 'host') ?? '?');
		return `the bot has a webhook (${host}), to which Telegram hands all its messages: use another bot, or end that with deleteWebhook`;
	}
};

const privacyNote =
	'its privacy mode is on: of groups Telegram hands over only commands, mentions and answers, until /setprivacy at @BotFather says Disable and the bot is added anew';

/** The offset that confirms updates; `undefined` where there are none. A server that has lost its count begins another one, which may be lower. */
/** One that is larger, once, would leave nothing to hear behind it. */
const maxUpdateId = 2 ** 48;

function nextOf(updates: readonly JsonValue[]): number | undefined {
	const ids = updates.flatMap(update => {
		const id = isJsonObject(update) ? memberAt(update, 'update_id') : undefined;
		return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 && id < maxUpdateId
			? [id]
			: [];
	});
	return ids.length === 0 ? undefined : Math.max(...ids) + 1;
}

function offsetIn({offset}: JsonObject): number | undefined {
	return typeof offset === 'number' && Number.isSafeInteger(offset) ? offset : undefined;
}
