import {createAsk, idAt, nameAt} from '../ask.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {zulip} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {basicOf, peopleIn, type ZulipSettings} from './descriptor.ts';

/** Code points; Zulip cuts what is longer, and says so in the message alone. */
const maxLength = 10_000;

/** `POST /messages`, and `PATCH /messages/{id}`. Rejects as `Ask`. @see manual/delivery-zulip.md, https://zulip.com/api/rest-error-handling */
export const connect: SenderModule<ZulipSettings, Place>['connect'] = (settings, world) => {
	const {apiBase, apiKey, topic, maxParts} = settings;
	const ask = createAsk(world, {
		platform: 'zulip',
		base: `${apiBase}/api/v1`,
		headers: {authorization: `Basic ${basicOf(settings)}`},
		secrets: [apiKey],
		judge: ({json}) => (json['result'] === 'success' ? true : undefined),
	});

	return {
		split: splitAs(zulip, maxLength, maxParts),
		async check(limits) {
			const me = await ask({method: 'GET', path: '/users/me'}, limits);
			return nameAt(me, 'email') ?? '?';
		},
		async send({text}, {chat, thread = topic}, limits) {
			const people = peopleIn(chat);
			const form = people
				? {type: 'direct', to: JSON.stringify(people), content: text}
				: {
						type: 'channel',
						// A number is an id, and text a name also where it looks like one.
						to: /^\d+$/.test(chat) ? chat : JSON.stringify(chat),
						topic: thread,
						content: text,
					};
			const sent = await ask({path: '/messages', form}, limits);
			return {place: `zulip ${chat}`, id: idAt(sent, 'id')};
		},
		async edit({text}, {chat}, {id, ...limits}) {
			await ask(
				{
					method: 'PATCH',
					path: `/messages/${encodeURIComponent(id)}`,
					form: {content: text},
					isEdit: true,
				},
				limits,
			);
			return {place: `zulip ${chat}`, id};
		},
	};
};
