import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {createAsk, idAt, nameAt, textAt, type ApiRequest, type Judged} from '../ask.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {Place} from '../platform.ts';
import type {Part, SenderModule} from '../target-kind.ts';
import {telegram} from '../text/dialects.ts';
import {withoutNames} from '../text/elements.ts';
import {splitAs} from '../text/messages.ts';
import type {TelegramSettings} from './descriptor.ts';
import {judge} from './judge.ts';

/** UTF-16 units that are shown. */
const maxLength = 4096;

/** `sendMessage` and `editMessageText`. Rejects as `Ask`. @see manual/delivery-telegram.md, https://core.telegram.org/bots/api#making-requests */
export const connect: SenderModule<TelegramSettings, Place>['connect'] = (
	{botToken, apiBase, maxParts},
	world,
) => {
	const ask = createAsk(world, {
		platform: 'telegram',
		base: `${apiBase}/bot${botToken}`,
		secrets: [botToken],
		judge,
		again,
	});

	const put = async (
		request: Pick<ApiRequest, 'isEdit'> & {readonly path: string},
		{text, place: {chat, format}, more}: {text: string; place: Place; more: JsonObject},
		limits: Pick<Part, 'limitMs' | 'signal'>,
	) =>
		ask(
			{
				...request,
				json: {
					chat_id: chat,
					text,
					...(format === 'markdown' && {parse_mode: 'HTML'}),
					link_preview_options: {is_disabled: true},
					...more,
				},
			},
			limits,
		);

	return {
		split: splitAs(telegram, maxLength, maxParts),
		async check(limits) {
			const me = await ask({method: 'GET', path: '/getMe'}, limits);
			return `@${nameAt(me, 'result', 'username') ?? '?'}`;
		},
		async send({text, buttons = []}, place, limits) {
			const {chat, thread, replyTo} = place;
			const isLast = limits.index === limits.of - 1;
			const more = {
				...(isLast && buttons.length > 0 && {reply_markup: {inline_keyboard: [keysOf(buttons)]}}),
				...(thread !== undefined && {message_thread_id: Number(thread)}),
				...(replyTo !== undefined && {
					reply_parameters: {message_id: Number(replyTo), allow_sending_without_reply: true},
				}),
			};
			const sent = await put({path: '/sendMessage'}, {text, place, more}, limits);
			return {place: `telegram ${chat}`, id: idAt(sent, 'result', 'message_id')};
		},
		async edit({text}, place, {id, ...limits}) {
			// Without `reply_markup` the buttons go away.
			const more = {message_id: Number(id)};
			await put({path: '/editMessageText', isEdit: true}, {text, place, more}, limits);
			return {place: `telegram ${place.chat}`, id};
		},
	};
};

const keysOf = (buttons: NonNullable<OutgoingMessage['buttons']>): readonly JsonObject[] =>
	buttons.map(({label, data}) => ({text: label, callback_data: data}));

/** A group that became a supergroup has another number; and what it takes for broken HTML is sent without marks. */
function again({json}: Judged, request: ApiRequest): ApiRequest | undefined {
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
