import type {JsonObject} from '../../core/json.ts';
import {createAsk, idAt, memberAt, nameAt, type PlatformCall, type Ask} from '../ask.ts';
import {DeliveryError} from '../delivery-error.ts';
import type {Connect, MessagePlace} from '../platform.ts';
import type {MessagePart} from '../target-kind.ts';
import {asJson} from '../text/dialect.ts';
import {splitAs} from '../text/messages.ts';
import type {MatrixSettings} from './descriptor.ts';
import {matrix, type MatrixText} from './dialect.ts';

/** Maximum size of both texts as JSON, bytes: an event may have 65,536, including what servers add. */
const maxBytes = 60_000;

/** Maximum number of cached aliases. */
const maxAliases = 1000;

const whoAmI = '/account/whoami';

const directory = '/directory/room/';

/** The member that a successful answer must have. */
function successOf(request: PlatformCall): string {
	const path = 'path' in request ? request.path : '';
	return path === whoAmI ? 'user_id' : path.startsWith(directory) ? 'room_id' : 'event_id';
}

/**
 * Sends with `PUT …/send/m.room.message/{txnId}`; texts are a `MatrixText` as JSON. Rejects as `Ask`.
 *
 * @see manual/delivery-matrix.md, Matrix client-server API, PUT /rooms/{roomId}/send
 */
export const connect: Connect<MatrixSettings> = ({homeserver, accessToken, maxParts}, world) => {
	const ask = createAsk(world, {
		platform: 'matrix',
		base: `${homeserver}/_matrix/client/v3`,
		headers: {authorization: `Bearer ${accessToken}`},
		judge: ({json}, request) => typeof json[successOf(request)] === 'string',
	});
	const roomsByAlias = new Map<string, string>();

	const roomOf = async (chat: string, limits: Parameters<Ask>[1]): Promise<string> => {
		const known = chat.startsWith('#') ? roomsByAlias.get(chat) : chat;
		if (known !== undefined) {
			return known;
		}

		const path = `${directory}${encodeURIComponent(chat)}`;
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the judge has checked it
		const {room_id: room} = (await ask({method: 'GET', path}, limits)) as {room_id: string};
		if (roomsByAlias.size >= maxAliases) {
			roomsByAlias.clear();
		}

		roomsByAlias.set(chat, room);
		return room;
	};

	const put = async (
		chat: string,
		content: JsonObject,
		{
			key,
			isEdit,
			...limits
		}: Pick<MessagePart, 'key' | 'limitMs' | 'signal'> & {readonly isEdit?: true},
	) => {
		const room = encodeURIComponent(await roomOf(chat, limits));
		try {
			return await ask(
				{
					method: 'PUT',
					path: `/rooms/${room}/send/m.room.message/${key}`,
					json: content,
					...(isEdit && {isEdit}),
				},
				limits,
			);
		} catch (error) {
			// The alias may now refer to another room.
			roomsByAlias.delete(chat);
			throw error;
		}
	};

	return {
		// A message that edits another one contains its texts twice.
		split: splitAs(
			asJson(matrix),
			({isSticky}: MessagePlace) => (isSticky ? maxBytes / 2 : maxBytes),
			maxParts,
		),
		check: async limits =>
			nameAt(await ask({method: 'GET', path: whoAmI}, limits), 'user_id') ?? '?',
		async send({text}, {chat, thread, replyTo}, part) {
			const relation = relationOf(thread, replyTo);
			const content = {...contentOf(text), ...(relation && {'m.relates_to': relation})};
			return {id: idAt(await put(chat, content, part), 'event_id')};
		},
		async edit({text}, {chat}, {id, ...part}) {
			const room = encodeURIComponent(await roomOf(chat, part));
			const path = `/rooms/${room}/event/${encodeURIComponent(id)}`;
			const event = await ask({method: 'GET', path, isEdit: true}, part);
			// A deleted event remains without content; the server accepts edits of it, which no client shows.
			if (memberAt(event, 'content', 'msgtype') === undefined) {
				throw new DeliveryError('message_gone', `Cannot change ${id} in ${chat}: it was deleted`);
			}

			const content = contentOf(text);
			await put(
				chat,
				{
					...content,
					body: `* ${content.body}`,
					'm.new_content': content,
					'm.relates_to': {rel_type: 'm.replace', event_id: id},
				},
				{...part, isEdit: true},
			);
		},
	};
};

/**
 * The relation to a thread or a replied message. Clients without threads show thread messages as replies to its beginning.
 *
 * @see Matrix client-server API, fallback for unthreaded clients
 */
function relationOf(thread: string | undefined, replyTo: string | undefined) {
	const answered = replyTo ?? thread;
	return (
		answered !== undefined && {
			...(thread !== undefined && {
				rel_type: 'm.thread',
				event_id: thread,
				is_falling_back: replyTo === undefined,
			}),
			'm.in_reply_to': {event_id: answered},
		}
	);
}

function contentOf(text: string) {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `split` made it
	const {body, formatted_body} = JSON.parse(text) as MatrixText;
	return {
		msgtype: 'm.notice',
		body,
		...(formatted_body !== undefined && {format: 'org.matrix.custom.html', formatted_body}),
		// Without this, clients would search the body for names.
		'm.mentions': {},
	};
}
