import {idAt, nameAt} from '../ask.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {mattermost} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {askAs} from './api.ts';
import type {MattermostSettings} from './descriptor.ts';

/** Code points. */
const maxLength = 16_383;

/** Posts. Rejects as `Ask`. @see manual/delivery-mattermost.md, mattermost/mattermost server/channels/api4/post.go */
export const connect: SenderModule<MattermostSettings, Place>['connect'] = (settings, world) => {
	const ask = askAs(settings, world, ({json}) => typeof json['id'] === 'string');
	return {
		split: splitAs(mattermost, maxLength, settings.maxParts),
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
