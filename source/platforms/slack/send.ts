import type {JsonObject} from '../../core/json.ts';
import {
	createAsk,
	idAt,
	idWithRoom,
	nameAt,
	roomAndId,
	type Judged,
	type Judgement,
} from '../ask.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {slack} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {SlackSettings} from './descriptor.ts';

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
		async send({text}, place, limits) {
			const {chat, thread} = place;
			const json = {
				channel: chat,
				...bodyOf(text, place),
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
			// Absent, `parse` is `client` here.
			const json = {channel, ts, ...bodyOf(text, place), parse: 'none'};
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

const refusedCredentials = new Set([
	'account_inactive',
	'invalid_auth',
	'not_authed',
	'token_expired',
	'token_revoked',
]);

/** What passes; any other error is about the message. */
const ownTrouble = new Set([
	'fatal_error',
	'internal_error',
	'request_timeout',
	'service_unavailable',
]);

/** The status says next to nothing: errors are 200, too. */
function judge({status, json}: Judged): Judgement {
	const {ok, error} = json;
	if (ok === true) {
		return true;
	}

	if (status === 429 || error === 'ratelimited' || error === 'rate_limited') {
		return 'platform_rate_limited';
	}

	if (typeof error !== 'string' || status >= 500 || ownTrouble.has(error)) {
		return 'platform_failed';
	}

	return refusedCredentials.has(error) ? 'platform_unauthorized' : 'platform_rejected';
}
