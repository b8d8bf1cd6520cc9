import {apiSender} from '../api-sender.ts';
import {createAsk, idAt, nameAt} from '../ask.ts';
import type {Connect} from '../platform.ts';
import {zulip} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {zulipBasic, peopleIn, type ZulipSettings} from './descriptor.ts';

/** Maximum length, code points. Zulip cuts longer texts, and says so only in the message. */
const maxLength = 10_000;

/** Sends with `POST /messages` and edits with `PATCH /messages/{id}`. Rejects as `Ask`. @see manual/delivery-zulip.md, https://zulip.com/api/rest-error-handling */
export const connect: Connect<ZulipSettings> = (settings, world) => {
	const {apiBase, apiKey, topic, maxParts} = settings;
	const ask = createAsk(world, {
		platform: 'zulip',
		base: `${apiBase}/api/v1`,
		headers: {authorization: `Basic ${zulipBasic(settings)}`},
		secrets: [apiKey],
		judge: ({json}) => json['result'] === 'success',
	});

	return apiSender(ask, {
		split: splitAs(zulip, maxLength, maxParts),
		account: {path: '/users/me', name: me => nameAt(me, 'email') ?? '?'},
		send({text}, {chat, thread = topic}) {
			const people = peopleIn(chat);
			// A number is the id of a channel; anything else is quoted, so that it is a name.
			const to = people || !/^\d+$/.test(chat) ? JSON.stringify(people ?? chat) : chat;
			const where = people ? {type: 'direct'} : {type: 'channel', topic: thread};
			return {path: '/messages', form: {...where, to, content: text}};
		},
		sentId: sent => idAt(sent, 'id'),
		edit: ({text}, _, id) => ({
			method: 'PATCH',
			path: `/messages/${encodeURIComponent(id)}`,
			form: {content: text},
		}),
	});
};
