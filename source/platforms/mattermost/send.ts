import {apiSender} from '../api-sender.ts';
import {idAt, nameAt} from '../ask.ts';
import type {Connect} from '../platform.ts';
import {mattermost} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {askMattermost} from './api.ts';
import type {MattermostSettings} from './descriptor.ts';

/** Maximum length, code points. */
const maxLength = 16_383;

/** Sends posts. Rejects as `Ask`. @see manual/delivery-mattermost.md, mattermost/mattermost server/channels/api4/post.go */
export const connect: Connect<MattermostSettings> = (settings, world) => {
	const ask = askMattermost(settings, world, ({json}) => typeof json['id'] === 'string');
	return apiSender(ask, {
		split: splitAs(mattermost, maxLength, settings.maxParts),
		account: {path: '/users/me', name: me => `@${nameAt(me, 'username') ?? '?'}`},
		send: ({text}, {chat, thread}, {key}) => ({
			path: '/posts',
			json: {
				channel_id: chat,
				message: text,
				...(thread !== undefined && {root_id: thread}),
				pending_post_id: key,
			},
		}),
		sentId: sent => idAt(sent, 'id'),
		edit: ({text}, _, id) => ({
			method: 'PUT',
			path: `/posts/${encodeURIComponent(id)}/patch`,
			json: {message: text},
		}),
	});
};
