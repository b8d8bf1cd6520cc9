import type {JsonObject} from '../../core/json.ts';
import {createAsk, idAt, idWithRoom, nameAt, roomAndId} from '../ask.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {slack} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {SlackSettings} from './descriptor.ts';
import {judge} from './judge.ts';

/** Slack cuts a text of more than 40,000 characters without an error, and advises so many. */
const maxLength = 4000;

/** `chat.postMessage` and `chat.update`. Rejects as `Ask`. @see manual/delivery-slack.md, https://docs.slack.dev/apis/web-api */
export const connect: SenderModule<SlackSettings, Place>['connect'] = (
	{botToken, apiBase, maxParts},
	world,
) => {
	const ask = createAsk(world, {
		platform: 'slack',
		base: `${apiBase}/api`,
		headers: {authorization: `Bearer ${botToken}`},
		judge,
	});

	return {
		split: splitAs(slack, maxLength, maxParts),
		async check(limits) {
			const me = await ask({path: '/auth.test'}, limits);
			return `${nameAt(me, 'user') ?? nameAt(me, 'user_id') ?? '?'} of ${nameAt(me, 'team') ?? '?'}`;
		},
		async send({text, buttons = []}, place, limits) {
			const {chat, thread} = place;
			const isLast = limits.index === limits.of - 1;
			const json = {
				channel: chat,
				...bodyOf(text, place),
				...(isLast && buttons.length > 0 && {blocks: blocksOf(text, place, buttons)}),
				unfurl_links: false,
				unfurl_media: false,
				...(thread !== undefined && {thread_ts: thread}),
			};
			const sent = await ask({path: '/chat.postMessage', json}, limits);
			return {
				place: `slack ${chat}`,
				id: idWithRoom(idAt(sent, 'ts'), idAt(sent, 'channel'), chat),
			};
		},
		async edit({text}, place, {id, ...limits}) {
			const [channel, ts] = roomAndId(id, place.chat);
			// Absent, `parse` is `client` here, and buttons may stay.
			const json = {channel, ts, ...bodyOf(text, place), parse: 'none', blocks: []};
			await ask({path: '/chat.update', json, isEdit: true}, limits);
			return {place: `slack ${place.chat}`, id};
		},
	};
};

/** Neither `link_names` nor `parse: full`: names in the text would mention people. */
const bodyOf = (text: string, {format}: Place): JsonObject => ({
	text,
	...(format === 'plain' && {mrkdwn: false}),
});

/** The text and below it the buttons: beside blocks, `text` is for notifications alone. `verbatim`: names in it are no mentions. @see https://docs.slack.dev/reference/block-kit/blocks/section-block */
const blocksOf = (
	text: string,
	{format}: Place,
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

/** A section holds 3,000 characters; cut at a line break where there is one. */
const sectionForm = /[^]{1,3000}(?:\n|$)|[^]{1,3000}/g;
