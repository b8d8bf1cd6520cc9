import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {apiSender} from '../api-sender.ts';
import {createAsk, idAt, nameAt, textAt, type PlatformCall, type Judged} from '../ask.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {Connect, MessagePlace} from '../platform.ts';
import {telegram} from '../text/dialects.ts';
import {withoutNames} from '../text/elements.ts';
import {splitAs} from '../text/messages.ts';
import type {TelegramSettings} from './descriptor.ts';
import {judge} from './judge.ts';

/** Maximum length of the shown text, UTF-16 units. */
const maxLength = 4096;

/** Sends with `sendMessage` and edits with `editMessageText`. Rejects as `Ask`. @see manual/delivery-telegram.md, https://core.telegram.org/bots/api#making-requests */
export const connect: Connect<TelegramSettings> = ({botToken, apiBase, maxParts}, world) => {
	const ask = createAsk(world, {
		platform: 'telegram',
		base: `${apiBase}/bot${botToken}`,
		secrets: [botToken],
		judge,
		again,
	});

	return apiSender(ask, {
		split: splitAs(telegram, maxLength, maxParts),
		account: {path: '/getMe', name: me => `@${nameAt(me, 'result', 'username') ?? '?'}`},
		send: ({text, buttons}, place) => ({
			path: '/sendMessage',
			json: {
				...bodyOf(text, place),
				...(buttons.length > 0 && {reply_markup: {inline_keyboard: [keysOf(buttons)]}}),
				...(place.thread !== undefined && {message_thread_id: Number(place.thread)}),
				...(place.replyTo !== undefined && {
					reply_parameters: {
						message_id: Number(place.replyTo),
						allow_sending_without_reply: true,
					},
				}),
			},
		}),
		sentId: sent => idAt(sent, 'result', 'message_id'),
		// Without `reply_markup` the buttons are removed.
		edit: ({text}, place, id) => ({
			path: '/editMessageText',
			json: {...bodyOf(text, place), message_id: Number(id)},
		}),
	});
};

const bodyOf = (text: string, {chat, format}: MessagePlace): JsonObject => ({
	chat_id: chat,
	text,
	...(format === 'markdown' && {parse_mode: 'HTML'}),
	link_preview_options: {is_disabled: true},
});

const keysOf = (buttons: NonNullable<OutgoingMessage['buttons']>): readonly JsonObject[] =>
	buttons.map(({label, data}) => ({text: label, callback_data: data}));

/** The request to send instead: to the new number of a group that became a supergroup; or without markup if Telegram considers the HTML invalid. */
function again({json}: Judged, request: PlatformCall): PlatformCall | undefined {
	const {json: body} = request;
	if (!isJsonObject(body)) {
		return undefined;
	}

	const moved = idAt(json, 'parameters', 'migrate_to_chat_id');
	if (moved !== undefined && /^-?\d+$/.test(moved)) {
		return {...request, json: {...body, chat_id: moved}};
	}

	const {parse_mode: mode, text, ...rest} = body;
	return mode !== undefined &&
		typeof text === 'string' &&
		textAt(json, 'description').includes("can't parse")
		? {...request, json: {...rest, text: withoutNames(withoutMarks(text))}}
		: undefined;
}

const entities: Readonly<Record<string, string>> = {
	'&lt;': '<',
	'&gt;': '>',
	'&quot;': '"',
	'&amp;': '&',
};

const withoutMarks = (html: string): string =>
	html
		.replaceAll(/<[^>]*>/g, '')
		.replaceAll(/&(?:lt|gt|quot|amp);/g, entity => entities[entity] ?? entity);
