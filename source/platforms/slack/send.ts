import type {JsonObject} from '../../core/json.ts';
import {apiSender} from '../api-sender.ts';
import {createAsk, idAt, idWithRoom, nameAt, roomAndId} from '../ask.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {Connect, MessagePlace} from '../platform.ts';
import {slack} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {SlackSettings} from './descriptor.ts';
import {judge} from './judge.ts';

/** The length that Slack recommends: it silently cuts texts of more than 40,000 characters. */
const maxLength = 4000;

/** Sends with `chat.postMessage` and edits with `chat.update`. Rejects as `Ask`. @see manual/delivery-slack.md, https://docs.slack.dev/apis/web-api */
export const connect: Connect<SlackSettings> = ({botToken, apiBase, maxParts}, world) => {
	const ask = createAsk(world, {
		platform: 'slack',
		base: `${apiBase}/api`,
		headers: {authorization: `Bearer ${botToken}`},
		judge,
	});

	return apiSender(ask, {
		split: splitAs(slack, maxLength, maxParts),
		async check(limits) {
			const me = await ask({path: '/auth.test'}, limits);
			return `${nameAt(me, 'user') ?? nameAt(me, 'user_id') ?? '?'} of ${nameAt(me, 'team') ?? '?'}`;
		},
		send: ({text, buttons}, place) => ({
			path: '/chat.postMessage',
			json: {
				channel: place.chat,
				...bodyOf(text, place),
				...(buttons.length > 0 && {blocks: blocksOf(text, place, buttons)}),
				unfurl_links: false,
				unfurl_media: false,
				...(place.thread !== undefined && {thread_ts: place.thread}),
			},
		}),
		sentId: (sent, {chat}) => idWithRoom(idAt(sent, 'ts'), idAt(sent, 'channel'), chat),
		edit({text}, place, id) {
			const [channel, ts] = roomAndId(id, place.chat);
			// By default, `chat.update` uses `parse: client` and may keep the buttons.
			const json = {channel, ts, ...bodyOf(text, place), parse: 'none', blocks: []};
			return {path: '/chat.update', json};
		},
	});
};

/** Neither `link_names` nor `parse: full`: names in the text would mention people. */
const bodyOf = (text: string, {format}: MessagePlace): JsonObject => ({
	text,
	...(format === 'plain' && {mrkdwn: false}),
});

/**
 * The text, and the buttons below it: with blocks, `text` is only used for notifications. `verbatim`: names in it do not mention people.
 *
 * @see https://docs.slack.dev/reference/block-kit/blocks/section-block
 */
const blocksOf = (
	text: string,
	{format}: MessagePlace,
	buttons: NonNullable<OutgoingMessage['buttons']>,
): readonly JsonObject[] => [
	...(text.match(sectionForm) ?? []).map(section => ({
		type: 'section',
		text:
			format === 'plain'
				? {type: 'plain_text', text: section, emoji: false}
				: {type: 'mrkdwn', text: section, verbatim: true},
	})),
	{
		type: 'actions',
		elements: buttons.map(({label, data}, index) => ({
			type: 'button',
			action_id: `svc.${index}`,
			text: {type: 'plain_text', text: label, emoji: false},
			value: data,
		})),
	},
];

/** Splits a text into sections of at most 3,000 characters, at a line break if possible. */
const sectionForm = /[^]{1,3000}(?:\n|$)|[^]{1,3000}/g;
