import {createAsk, idAt, nameAt, type Judged, type Judgement} from '../ask.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {mattermost} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {MattermostSettings} from './descriptor.ts';

/** Code points. */
const maxLength = 16_383;

/** Posts. Rejects as `Ask`. @see manual/delivery-mattermost.md, mattermost/mattermost server/channels/api4/post.go */
export const connect: SenderModule<MattermostSettings, Place>['connect'] = (
	{botToken, apiBase, maxParts},
	world,
) => {
	const ask = createAsk(world, {
		platform: 'mattermost',
		base: `${apiBase}/api/v4`,
		headers: {authorization: `Bearer ${botToken}`},
		judge,
	});

	return {
		split: splitAs(mattermost, maxLength, maxParts),
		async check(limits) {
			const me = await ask({method: 'GET', path: '/users/me'}, limits);
			return `@${nameAt(me, 'username') ?? '?'}`;
		},
		async send({text}, {chat, thread}, {key, ...limits}) {
			const json = {
				channel_id: chat,
				message: text,
				...(thread !== undefined && {root_id: thread}),
				pending_post_id: key,
			};
			const sent = await ask({path: '/posts', json}, limits);
			return {place: `mattermost ${chat}`, id: idAt(sent, 'id')};
		},
		async edit({text}, {chat}, {id, ...limits}) {
			const path = `/posts/${encodeURIComponent(id)}/patch`;
			await ask({method: 'PUT', path, json: {message: text}, isEdit: true}, limits);
			return {place: `mattermost ${chat}`, id};
		},
	};
};

/** Errors have an `id`, too. */
function judge({status, header, json}: Judged): Judgement {
	if (status < 300 && typeof json['id'] === 'string' && json['status_code'] === undefined) {
		return true;
	}

	if (status !== 429) {
		return undefined;
	}

	// When all of the allowance is back; `Retry-After` tells of the next request.
	const resetMs = Number(header('x-ratelimit-reset')) * 1000;
	return {
		code: 'platform_rate_limited',
		retryAfterMs: header('retry-after') === undefined ? resetMs : undefined,
	};
}
