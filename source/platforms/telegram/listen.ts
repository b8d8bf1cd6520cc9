import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {createAsk, maxAnswerBytes, memberAt, nameAt, textAt} from '../ask.ts';
import {keptFor, listenFailure, pollWhile} from '../connection.ts';
import type {InboundMessage, CreateListener} from '../listener.ts';
import {answerPress, bounded} from '../message-text.ts';
import type {TelegramSettings} from './descriptor.ts';
import {messageIn, pressIn, type Ours} from './inbound.ts';
import {judge} from './judge.ts';

const askMs = 10_000;
/** How long Telegram holds a request while nothing happens, milliseconds. */
const holdMs = 50_000;
/** Maximum number of updates in one answer. */
const maxUpdates = 50;
/** How long to wait when another program polls for the same bot, milliseconds: the two end each other's requests. */
const conflictMs = 30_000;
/** Maximum length of an answer to a press, characters. */
const maxToldLength = 200;
const tellMs = 5000;

/**
 * Listens by long polling. Telegram stores updates for 24 hours, or until a request has a larger `offset`: the cursor is that offset.
 *
 * @see manual/delivery-telegram.md#conversations, https://core.telegram.org/bots/api#getupdates
 */
export const createListener: CreateListener<TelegramSettings> = (
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
	return {
		async listen(hearing, {cursor, signal}) {
			const get = async (path: string) => ask({method: 'GET', path}, {limitMs: askMs, signal});

			const updatesFrom = async (from: number, timeoutMs: number) => {
				const query = new URLSearchParams({
					offset: String(from),
					limit: String(maxUpdates),
					timeout: String(timeoutMs / 1000),
					allowed_updates: JSON.stringify(['message', 'callback_query']),
				});
				const path = `/getUpdates?${query.toString()}`;
				const limits = {limitMs: timeoutMs + askMs, signal};
				const answer = await ask({method: 'GET', path, maxAnswerBytes}, limits);
				const updates = memberAt(answer, 'result');
				if (!Array.isArray(updates) || (updates.length > 0 && nextOf(updates) === undefined)) {
					throw listenFailure('telegram', 'getUpdates did not answer with updates');
				}

				return updates;
			};

			await pollWhile('telegram', {clock, signal}, async () => {
				const me = await get('/getMe');
				const id = textAt(me, 'result', 'id');
				if (id === '') {
					throw listenFailure('telegram', 'getMe did not answer with the bot');
				}

				const webhook = textAt(await get('/getWebhookInfo'), 'result', 'url');
				if (webhook !== '') {
					const host = nameAt({host: URL.parse(webhook)?.host ?? '?'}, 'host') ?? '?';
					const words = `the bot has a webhook (${world.clean(host)}), to which Telegram hands all its messages: use another bot, or end that with deleteWebhook`;
					throw listenFailure('telegram', words, {code: 'platform_rejected'});
				}

				const ours: Ours = {id, mention: `@${textAt(me, 'result', 'username').toLowerCase()}`};

				/** The offset for a first start: after all waiting updates. For `-1` Telegram returns the last one. */
				const newest = async (): Promise<number> => {
					const last = nextOf(await updatesFrom(-1, 0)) ?? 0;
					await hearing.onMessages([], {account: id, offset: last});
					return last;
				};

				/** Passes on updates in order. */
				const deliver = async (updates: readonly JsonValue[]): Promise<void> => {
					let messages: InboundMessage[] = [];
					const telling: Array<Promise<void>> = [];
					try {
						for (const update of updates.filter(isJsonObject)) {
							const pressed = pressIn(update);
							if (!pressed) {
								const message = messageIn(update, ours);
								messages.push(...(message ? [message] : []));
								continue;
							}

							// oxlint-disable no-await-in-loop -- in the order in which they came
							if (messages.length > 0) {
								await hearing.onMessages(messages);
								messages = [];
							}

							const text = bounded(await hearing.onPress(pressed.press), maxToldLength);
							// oxlint-enable no-await-in-loop
							const json = {callback_query_id: pressed.query, text};
							const request = {path: '/answerCallbackQuery', json, sendsNothing: true};
							telling.push(
								answerPress(log, 'Telegram', async () => ask(request, {limitMs: tellMs, signal})),
							);
						}

						await hearing.onMessages(messages, {account: id, offset: nextOf(updates) ?? 0});
					} finally {
						await Promise.all(telling);
					}
				};

				let offset = offsetIn(keptFor(cursor, id)) ?? (await newest());
				const take = async (timeoutMs: number, onAnswer?: () => void): Promise<boolean> => {
					const updates = await updatesFrom(offset, timeoutMs);
					onAnswer?.();
					if (updates.length > 0) {
						await deliver(updates);
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
};

const privacyNote =
	'its privacy mode is on: of groups Telegram hands over only commands, mentions and answers, until /setprivacy at @BotFather says Disable and the bot is added anew';

/** A confirmed identifier above this would hide all later updates. */
const maxUpdateId = 2 ** 48;

/** The offset that confirms updates; `undefined` without updates. A server that has lost its count starts another one, which may be lower. */
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
