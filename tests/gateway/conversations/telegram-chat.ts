import {systemClock} from '../../../source/core/clock.ts';
import type {JsonObject, JsonValue} from '../../../source/core/json.ts';
import {openService, type Call, type Reply} from '../../platforms/service.ts';

const token = '123456:AAE-telegram-token_0123456789';

/** A message of ours, as it stands in a chat now. */
export type Shown = {
	readonly id: number;
	readonly chat: string;
	readonly text: string;
	readonly buttons: readonly string[];
	/** So often it was changed. */
	readonly edits: number;
	readonly replyTo?: number;
};

/** The Bot API as a gateway uses it: people write and press, and see what stands in the chats. */
export async function openTelegramChat() {
	let queue: JsonObject[] = [];
	let lastUpdate = 1000;
	let lastMessage = 10;
	const shown = new Map<number, Shown>();
	const told: string[] = [];
	let arrived = Promise.withResolvers<void>();
	let changed = Promise.withResolvers<void>();

	const tellOfChange = () => {
		changed.resolve();
		changed = Promise.withResolvers();
	};

	const poll = async ({query}: Call, gone: AbortSignal): Promise<Reply> => {
		const [offset, timeout] = [Number(query['offset']), Number(query['timeout'])];
		queue =
			offset < 0 ? queue.slice(offset) : queue.filter(({update_id: id}) => Number(id) >= offset);
		if (queue.length === 0 && timeout > 0) {
			tellOfChange();
			const end = Promise.withResolvers<void>();
			gone.addEventListener('abort', () => {
				end.resolve();
			});
			const cancel = systemClock.after(timeout * 1000, end.resolve);
			await Promise.race([arrived.promise, end.promise]);
			cancel();
		}

		return ok(queue);
	};

	const put = (body: JsonObject, before?: Shown): Reply => {
		const id = before?.id ?? (lastMessage += 1);
		const {chat_id: chat, text, reply_markup: markup, reply_parameters: reply} = body;
		const rows = ((markup as JsonObject | undefined)?.['inline_keyboard'] ?? []) as JsonObject[][];
		shown.set(id, {
			id,
			chat: wordOf(chat),
			text: wordOf(text),
			buttons: rows.flat().map(button => wordOf(button['callback_data'])),
			edits: before ? before.edits + 1 : 0,
			...(reply && {replyTo: Number((reply as JsonObject)['message_id'])}),
		});
		tellOfChange();
		return ok({message_id: id, chat: {id: Number(chat)}});
	};

	const service = await openService(async (call, gone) => {
		const body = (call.body ?? {}) as JsonObject;
		switch (call.path.replace(`/bot${token}/`, '')) {
			case 'getMe':
				return ok({id: 7001, is_bot: true, username: 'svc_bot', can_read_all_group_messages: true});

			case 'getWebhookInfo':
				return ok({url: ''});

			case 'getUpdates':
				return poll(call, gone);

			case 'sendMessage':
				return put(body);

			case 'editMessageText':
				return put(body, shown.get(Number(body['message_id'])));

			case 'answerCallbackQuery':
				told.push(wordOf(body['text']));
				tellOfChange();
				return ok(true);

			default:
				throw new Error(`no method ${call.path}`);
		}
	});

	const push = (update: JsonObject) => {
		lastUpdate += 1;
		queue.push({update_id: lastUpdate, ...update});
		arrived.resolve();
		arrived = Promise.withResolvers();
	};

	const person = (user: number) => ({
		id: user,
		is_bot: false,
		first_name: user === 99 ? 'Ann' : 'Eve',
	});
	const chatOf = (chat: number, user: number) =>
		chat === user ? {id: chat, type: 'private'} : {id: chat, type: 'supergroup'};
	return {
		told,
		settings: {
			enabled: true,
			bot_token: token,
			api_base: service.url,
			inbound: true,
			// Nobody waits for the pace of the real one.
			per_minute: 6000,
			allow_from: [99],
		},
		faults: service.faults,
		calls: service.calls,
		/** Somebody writes; the number of the message. */
		write(
			text: string,
			{user = 99, chat = user, ...more}: {user?: number; chat?: number} & JsonObject = {},
		) {
			lastMessage += 1;
			push({
				message: {
					message_id: lastMessage,
					date: 0,
					from: person(user),
					chat: chatOf(chat, user),
					text,
					...more,
				},
			});
			return lastMessage;
		},
		press(data: string, {user = 99, chat = user}: {user?: number; chat?: number} = {}) {
			push({
				callback_query: {
					id: String(lastUpdate),
					from: person(user),
					chat_instance: '1',
					data,
					message: {message_id: lastMessage, date: 0, chat: chatOf(chat, user)},
				},
			});
		},
		/** What stands in the chats, once `holds` is true of it. */
		async until(holds: (messages: readonly Shown[]) => boolean): Promise<readonly Shown[]> {
			for (;;) {
				const messages = [...shown.values()];
				if (holds(messages)) {
					return messages;
				}

				// oxlint-disable-next-line no-await-in-loop -- one change after the other
				await changed.promise;
			}
		},
		[Symbol.asyncDispose]: async () => service[Symbol.asyncDispose](),
	};
}

const ok = (result: JsonValue): Reply => ({status: 200, json: {ok: true, result}});

const wordOf = (value: JsonValue | undefined): string =>
	typeof value === 'string' ? value : JSON.stringify(value ?? '');
