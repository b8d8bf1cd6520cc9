import {isJsonObject} from '../../core/json.ts';
import {
	createAsk,
	idAt,
	idWithRoom,
	nameAt,
	roomAndId,
	textAt,
	type ApiRequest,
	type Judged,
	type Judgement,
} from '../ask.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {rocketchat} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {isRoomName, type RocketchatSettings} from './descriptor.ts';

/** UTF-16 units; a server may be set to less or more. */
const maxLength = 5000;

/** `chat.sendMessage`, `chat.postMessage` and `chat.update`. Rejects as `Ask`. @see manual/delivery-rocketchat.md, RocketChat/Rocket.Chat apps/meteor/app/api/server/v1/chat.ts */
export const connect: SenderModule<RocketchatSettings, Place>['connect'] = (
	{apiBase, userId, authToken, maxParts},
	{clock, ...world},
) => {
	const judge = ({status, header, json}: Judged): Judgement => {
		if (json['success'] === true) {
			return true;
		}

		// Milliseconds since 1970.
		const retryAfterMs = Number(header('x-ratelimit-reset')) - clock.now();
		return status === 429 ? {code: 'platform_rate_limited', retryAfterMs} : undefined;
	};
	const ask = createAsk(
		{...world, clock},
		{
			platform: 'rocketchat',
			base: `${apiBase}/api/v1`,
			headers: {'x-auth-token': authToken, 'x-user-id': userId},
			judge,
			again,
		},
	);

	return {
		split: splitAs(rocketchat, maxLength, maxParts),
		async check(limits) {
			const me = await ask({method: 'GET', path: '/me'}, limits);
			return `@${nameAt(me, 'username') ?? '?'}`;
		},
		async send({text}, {chat, thread}, {key, ...limits}) {
			const inThread = thread !== undefined && {tmid: thread};
			const sent = await ask(
				isRoomName(chat)
					? {
							path: '/chat.postMessage',
							json: {channel: chat, text, ...inThread, parseUrls: false},
						}
					: {
							path: '/chat.sendMessage',
							json: {message: {_id: key, rid: chat, msg: text, ...inThread}, previewUrls: []},
						},
				limits,
			);
			return {
				place: `rocketchat ${chat}`,
				id: idWithRoom(idAt(sent, 'message', '_id'), idAt(sent, 'message', 'rid'), chat),
			};
		},
		async edit({text}, {chat}, {id, ...limits}) {
			const [roomId, msgId] = roomAndId(id, chat);
			const json = {roomId, msgId, text, previewUrls: []};
			await ask({path: '/chat.update', json, isEdit: true}, limits);
			return {place: `rocketchat ${chat}`, id};
		},
	};
};

/** For an `_id` that is stored already the server fails with `Cannot read properties`: ask whether the message exists. */
function again({json}: Judged, request: ApiRequest): ApiRequest | undefined {
	const {json: body} = request;
	const id = isJsonObject(body) ? textAt(body, 'message', '_id') : '';
	return id !== '' && textAt(json, 'error').startsWith('Cannot read propert')
		? {method: 'GET', path: `/chat.getMessage?msgId=${id}`}
		: undefined;
}
