import nodeAssert from 'node:assert/strict';
import type {JsonObject} from '../../source/core/json.ts';
import {createWatch} from '../helpers/watch.ts';
import {openService, type Call, type Reply} from './service.ts';
import {takeWebSockets, type ServerSocket} from './web-socket-server.ts';

const token = 'mattermost-token-0123456789';
const idOf = (name: string, count: number) =>
	`${name}${`${count}`.padStart(26 - name.length, '0')}`;
export const me = idOf('me', 0);
export const ann = idOf('ann', 0);
export const channelOf = (count: number): string => idOf('channel', count);

/** 2023-11-14, as the clock of the listener. */
const startMs = 1_700_000_000_000;

/** Mattermost's web socket, and the part of its API that a listener asks, with the rules of both. */
export async function openMattermost() {
	const posts = new Map<string, JsonObject>();
	/** The number of the next event of each connection. */
	const sockets = new Map<ServerSocket, number>();
	const pings: unknown[] = [];
	const {look, until} = createWatch();
	let count = 0;
	let now = startMs;
	const state = {
		answersPings: true,
		saysHello: true,
		/** Channels that the bot may not read any more. */
		left: new Set<string>(),
		/** A channel that cannot be read now. */
		broken: undefined as string | undefined,
	};

	const api = ({method, path, query, headers}: Call): Reply => {
		nodeAssert.equal(method, 'GET');
		nodeAssert.equal(headers['authorization'], `Bearer ${token}`);
		if (path === '/api/v4/users/me') {
			return {status: 200, json: {id: me, username: 'svc.bot', is_bot: true}};
		}

		const [, root = ''] = /^\/api\/v4\/posts\/([a-z0-9]{26})\/thread$/.exec(path) ?? [];
		const [, channel = ''] = /^\/api\/v4\/channels\/([a-z0-9]{26})\/posts$/.exec(path) ?? [];
		if (channel === '' ? !posts.has(root) : state.left.has(channel)) {
			const id = 'api.context.permissions.app_error';
			return {status: channel === '' ? 404 : 403, json: {id, message: 'No.', status_code: 403}};
		}

		if (channel !== '' && channel === state.broken) {
			return {status: 500, json: {id: 'app', message: 'No.', status_code: 500}};
		}

		if (channel !== '') {
			nodeAssert.match(query['since'] ?? '', /^\d{13}$/);
		}

		const found = [...posts.values()].filter(post =>
			channel === ''
				? post['id'] === root || post['root_id'] === root
				: post['channel_id'] === channel && Number(post['update_at']) > Number(query['since']),
		);
		const order = found.map(({id}) => id as string).toReversed();
		return {
			status: 200,
			json: {order, posts: Object.fromEntries(found.map(post => [post['id'] as string, post]))},
		};
	};
	const service = await openService(api);

	const tell = (event: string, data: JsonObject, skip = 0) => {
		for (const [socket, seq] of sockets) {
			sockets.set(socket, seq + 1 + skip);
			const broadcast = {omit_users: null, user_id: '', channel_id: '', team_id: ''};
			socket.send(JSON.stringify({event, data, broadcast, seq: seq + skip}));
		}
	};

	takeWebSockets(service.server, {
		// Another origin is refused.
		accepts: ({url, headers}) =>
			url === '/api/v4/websocket' &&
			headers.authorization === `Bearer ${token}` &&
			headers.origin === undefined,
		onOpen(socket) {
			if (state.saysHello) {
				sockets.set(socket, 1);
				socket.send(
					JSON.stringify({event: 'hello', data: {server_version: '11.0.0'}, broadcast: {}, seq: 0}),
				);
			}

			look();
		},
		onText(text, socket) {
			const {action, seq, ...rest} = JSON.parse(text) as JsonObject;
			if (action !== 'ping' || typeof seq !== 'number' || Object.keys(rest).length > 0) {
				service.faults.push(text);
			}

			pings.push(seq);
			if (state.answersPings) {
				socket.send(JSON.stringify({status: 'OK', data: {text: 'pong'}, seq_reply: seq ?? null}));
			}

			look();
		},
		onClose(socket) {
			sockets.delete(socket);
			look();
		},
	});

	/** A post is there, and nobody is told. */
	const add = (channel: string, message: string, more: JsonObject = {}): JsonObject => {
		count += 1;
		now += 10;
		const post = {
			id: idOf('post', count),
			create_at: now,
			update_at: now,
			edit_at: 0,
			delete_at: 0,
			user_id: ann,
			channel_id: channel,
			root_id: '',
			message,
			type: '',
			props: {},
			...more,
		};
		posts.set(post.id, post);
		return post;
	};

	const tellPost = (post: JsonObject, data: JsonObject = {}, skip = 0) => {
		tell(
			'posted',
			{channel_type: 'O', sender_name: '@ann', ...data, post: JSON.stringify(post)},
			skip,
		);
	};

	return {
		...service,
		settings: {bot_token: token, api_base: `${service.url}/`},
		state,
		pings,
		add,
		tell,
		tellPost,
		/** A post, and what its event says besides; its id. */
		say(
			channel: string,
			message: string,
			{data, ...more}: JsonObject & {readonly data?: JsonObject} = {},
		): string {
			const post = add(channel, message, more);
			tellPost(post, data);
			return post['id'] as string;
		},
		get socket() {
			return [...sockets.keys()].at(-1);
		},
		/** Time passes there. */
		pass(ms: number) {
			now += ms;
		},
		/** A frame as it is. */
		raw(text: string) {
			for (const socket of sockets.keys()) {
				socket.send(text);
			}
		},
		until,
	};
}
