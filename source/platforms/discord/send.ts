import type {JsonObject} from '../../core/json.ts';
import {idAt, nameAt, textAt, type ApiRequest, type Judged, type Judgement} from '../ask.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {discord} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {askAs} from './api.ts';
import type {DiscordSettings} from './descriptor.ts';

/** The unit is not documented: UTF-16 units are the stricter guess. */
const maxLength = 2000;

/** `SUPPRESS_EMBEDS`: links have no preview. */
const withoutEmbeds = 4;

/** "Maximum number of edits to messages older than 1 hour reached", with 429. */
const editedTooOften = 30_046;

/** Messages of a bot. Rejects as `Ask`. @see manual/delivery-discord.md, https://discord.com/developers/docs/resources/message#create-message */
export const connect: SenderModule<DiscordSettings, Place>['connect'] = (settings, world) => {
	const ask = askAs(settings, world, judge);
	return {
		split: splitAs(discord, maxLength, settings.maxParts),
		async check(limits) {
			const me = await ask({method: 'GET', path: '/users/@me'}, limits);
			return nameAt(me, 'username') ?? '?';
		},
		async send({text, buttons = []}, place, {key, ...limits}) {
			const {chat, replyTo} = place;
			const isLast = limits.index === limits.of - 1;
			const json = {
				...bodyOf(text),
				...(isLast && buttons.length > 0 && {components: [rowOf(buttons)]}),
				nonce: key,
				enforce_nonce: true,
				...(replyTo !== undefined && {
					message_reference: {message_id: replyTo, fail_if_not_exists: false},
				}),
			};
			const sent = await ask({path: messagesIn(place), json}, limits);
			return {place: `discord ${chat}`, id: idAt(sent, 'id')};
		},
		async edit({text}, place, {id, ...limits}) {
			const path = `${messagesIn(place)}/${encodeURIComponent(id)}`;
			// Without buttons from now on.
			const json = {...bodyOf(text), components: []};
			await ask({method: 'PATCH', path, json, isEdit: true}, limits);
			return {place: `discord ${place.chat}`, id};
		},
	};
};

/** A thread is a channel. */
const messagesIn = ({chat, thread = chat}: Place): string => `/channels/${thread}/messages`;

const bodyOf = (text: string): JsonObject => ({
	content: text,
	allowed_mentions: {parse: []},
	flags: withoutEmbeds,
});

/** @see https://discord.com/developers/docs/components/reference#button */
const rowOf = (buttons: NonNullable<OutgoingMessage['buttons']>): JsonObject => ({
	type: 1,
	components: buttons.map(({label, data}) => ({type: 2, style: 2, label, custom_id: data})),
});

function judge({status, json}: Judged, {method}: ApiRequest): Judgement {
	if (
		status === 200 &&
		(method === 'GET' ? json['bot'] === true : /^\d+$/.test(textAt(json, 'id')))
	) {
		return true;
	}

	return json['code'] === editedTooOften ? 'message_gone' : undefined;
}
