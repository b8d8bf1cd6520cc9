import type {JsonObject} from '../../core/json.ts';
import {apiSender} from '../api-sender.ts';
import {idAt, nameAt, textAt, type PlatformCall, type Judged, type Judgement} from '../ask.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {Connect, MessagePlace} from '../platform.ts';
import {discord} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {askDiscord} from './api.ts';
import type {DiscordSettings} from './descriptor.ts';

/** Discord does not document the unit: UTF-16 units are the stricter assumption. */
const maxLength = 2000;

/** `SUPPRESS_EMBEDS`: no link previews. */
const withoutEmbeds = 4;

/** "Maximum number of edits to messages older than 1 hour reached", with 429. */
const editedTooOften = 30_046;

/** Sends messages as a bot. Rejects as `Ask`. @see manual/delivery-discord.md, https://discord.com/developers/docs/resources/message#create-message */
export const connect: Connect<DiscordSettings> = (settings, world) => {
	const ask = askDiscord(settings, world, judge);
	return apiSender(ask, {
		split: splitAs(discord, maxLength, settings.maxParts),
		account: {path: '/users/@me', name: me => nameAt(me, 'username') ?? '?'},
		send: ({text, buttons}, place, {key}) => ({
			path: messagesIn(place),
			json: {
				...bodyOf(text),
				...(buttons.length > 0 && {components: [rowOf(buttons)]}),
				nonce: key,
				enforce_nonce: true,
				...(place.replyTo !== undefined && {
					message_reference: {message_id: place.replyTo, fail_if_not_exists: false},
				}),
			},
		}),
		sentId: sent => idAt(sent, 'id'),
		edit: ({text}, place, id) => ({
			method: 'PATCH',
			path: `${messagesIn(place)}/${encodeURIComponent(id)}`,
			// Removes the buttons.
			json: {...bodyOf(text), components: []},
		}),
	});
};

/** The path for messages of a channel or thread; a thread is a channel. */
const messagesIn = ({chat, thread = chat}: MessagePlace): string => `/channels/${thread}/messages`;

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

function judge({status, json}: Judged, {method}: PlatformCall): Judgement {
	const isGood = method === 'GET' ? json['bot'] === true : /^\d+$/.test(textAt(json, 'id'));
	return (status === 200 && isGood) || (json['code'] === editedTooOften && 'message_gone');
}
