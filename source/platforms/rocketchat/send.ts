import {isJsonObject} from '../../core/json.ts';
import {apiSender} from '../api-sender.ts';
import {
	createAsk,
	idAt,
	idWithRoom,
	limited,
	nameAt,
	roomAndId,
	textAt,
	type PlatformCall,
	type Judged,
} from '../ask.ts';
import type {Connect} from '../platform.ts';
import {rocketchat} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {isRoomName, type RocketchatSettings} from './descriptor.ts';

/** Maximum length, UTF-16 units; a server may be configured differently. */
const maxLength = 5000;

/**
 * Sends with `chat.sendMessage` and `chat.postMessage`, and edits with `chat.update`. Rejects as `Ask`.
 *
 * @see manual/delivery-rocketchat.md, RocketChat/Rocket.Chat apps/meteor/app/api/server/v1/chat.ts
 */
export const connect: Connect<RocketchatSettings> = (
	{apiBase, userId, authToken, maxParts},
	world,
) => {
	const ask = createAsk(world, {
		platform: 'rocketchat',
		base: `${apiBase}/api/v1`,
		headers: {'x-auth-token': authToken, 'x-user-id': userId},
		judge: ({status, header, json}) =>
			json['success'] === true ||
			// Milliseconds since 1970.
			(status === 429 && limited(Number(header('x-ratelimit-reset')) - world.clock.now())),
		again,
	});

	return apiSender(ask, {
		split: splitAs(rocketchat, maxLength, maxParts),
		account: {path: '/me', name: me => `@${nameAt(me, 'username') ?? '?'}`},
		send({text}, {chat, thread}, {key}) {
			const inThread = thread !== undefined && {tmid: thread};
			return isRoomName(chat)
				? {path: '/chat.postMessage', json: {channel: chat, text, ...inThread, parseUrls: false}}
				: {
						path: '/chat.sendMessage',
						json: {message: {_id: key, rid: chat, msg: text, ...inThread}, previewUrls: []},
					};
		},
		sentId: (sent, {chat}) =>
			idWithRoom(idAt(sent, 'message', '_id'), idAt(sent, 'message', 'rid'), chat),
		edit({text}, {chat}, id) {
			const [roomId, msgId] = roomAndId(id, chat);
			return {path: '/chat.update', json: {roomId, msgId, text, previewUrls: []}};
		},
	});
};

/** For an `_id` that it has already stored, the server fails with `Cannot read properties`: then asks whether that message exists. */
function again({json}: Judged, request: PlatformCall): PlatformCall | undefined {
	const {json: body} = request;
	const id = isJsonObject(body) ? textAt(body, 'message', '_id') : '';
	return id !== '' && textAt(json, 'error').startsWith('Cannot read propert')
		? {method: 'GET', path: `/chat.getMessage?msgId=${id}`}
		: undefined;
}
