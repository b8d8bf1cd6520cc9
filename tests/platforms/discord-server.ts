import assert from 'node:assert/strict';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {createWatch} from '../helpers/watch.ts';
import {openService, type Call, type Reply} from './service.ts';
import {takeWebSockets, type ServerSocket} from './web-socket-server.ts';

const token = 'MTIzNDU2.discord-token.0123456789';
export const me = '900000000000000001';
export const ann = '900000000000000002';

type Session = {
	readonly id: string;
	readonly events: JsonObject[];
	socket: ServerSocket | undefined;
};

/** Discord's gateway, and the part of its API that a listener asks, with the rules of both. */
export async function openDiscord() {
	const channels = new Map<string, JsonObject[]>();
	const sessions = new Map<string, Session>();
	/** Who said hello on which socket. */
	const begun = new Map<ServerSocket, Session | undefined>();
	/** What Discord ended: a session outlives that. */
	const ended = new Set<ServerSocket>();
	const closeCodes: Array<number | undefined> = [];
	const beats: JsonValue[] = [];
	const told: Call[] = [];
	const {look, until} = createWatch();
	let lastId = 1_500_000_000_000_000_000n;
	const state = {
		identifies: 0,
		resumes: 0,
		remaining: 1000,
		/** Whether heartbeats are acknowledged. */
		answersBeats: true,
		/** What is sent to the next that identify, instead of a session. */
		refusal: undefined as number | undefined,
		resumeHost: undefined as string | undefined,
		/** A channel that cannot be read now. */
		broken: undefined as string | undefined,
	};

	const api = (call: Call): Reply => {
		const {method, path, query, headers} = call;
		assert.equal(headers['authorization'], `Bot ${token}`);
		assert.match(headers['user-agent'] ?? '', /^DiscordBot \(/);
		const callback = /^\/api\/v10\/interactions\/(\d+)\/([^/]+)\/callback$/.exec(path);
		if (callback) {
			assert.equal(method, 'POST');
			told.push(call);
			queueMicrotask(look);
			return {status: 204, text: ''};
		}

		assert.equal(method, 'GET');
		if (path === '/api/v10/gateway/bot') {
			return {
				status: 200,
				json: {
					url: address,
					shards: 1,
					session_start_limit: {
						total: 1000,
						remaining: state.remaining,
						reset_after: 14_400_000,
						max_concurrency: 1,
					},
				},
			};
		}

		const [, channel = '', id] =
			/^\/api\/v10\/channels\/(\d{17,20})\/messages(?:\/(\d{17,20}))?$/.exec(path) ?? [];
		if (channel === state.broken) {
			return {status: 503, text: ''};
		}

		const messages = channels.get(channel);
		if (!messages) {
			return {status: 404, json: {message: 'Unknown Channel', code: 10_003}};
		}

		if (id !== undefined) {
			const found = messages.find(one => one['id'] === id);
			return found
				? {status: 200, json: withoutServer(found)}
				: {status: 404, json: {message: 'Unknown Message', code: 10_008}};
		}

		const {after = '', limit} = query;
		assert.match(after, /^\d{17,20}$/);
		assert.equal(limit, '100');
		const later = messages.filter(({id: one}) => BigInt(one as string) > BigInt(after));
		return {status: 200, json: later.slice(0, 100).map(withoutServer).toReversed()};
	};
	const service = await openService(api);
	const address = service.url.replace('http:', 'ws:');

	const send = (socket: ServerSocket, payload: JsonObject) => {
		socket.send(JSON.stringify(payload));
	};

	const dispatch = (session: Session, t: string, d: JsonObject) => {
		const event = {op: 0, t, s: session.events.length + 1, d};
		session.events.push(event);
		if (session.socket) {
			send(session.socket, event);
		}
	};

	const begin = (socket: ServerSocket, d: JsonObject) => {
		assert.equal(d['token'], token);
		assert.equal(d['intents'], 512 + 4096 + 32_768);
		assert.deepEqual(Object.keys(d['properties'] as JsonObject), ['os', 'browser', 'device']);
		state.identifies += 1;
		state.remaining -= 1;
		assert.ok(state.remaining >= 0, 'a session more than may be begun');
		const refusal = state.refusal;
		if (refusal !== undefined) {
			state.refusal = undefined;
			socket.close(refusal);
			return;
		}

		const session: Session = {id: `session-${state.identifies}`, events: [], socket};
		sessions.set(session.id, session);
		begun.set(socket, session);
		dispatch(session, 'READY', {
			v: 10,
			user: {id: me, bot: true, username: 'svc'},
			guilds: [],
			session_id: session.id,
			resume_gateway_url: state.resumeHost ?? address,
		});
	};

	const resume = (socket: ServerSocket, d: JsonObject) => {
		assert.equal(d['token'], token);
		state.resumes += 1;
		const session = sessions.get(d['session_id'] as string);
		if (!session) {
			send(socket, {op: 9, d: false});
			return;
		}

		const seq = Number(d['seq']);
		assert.ok(seq >= 1 && seq <= session.events.length, 'no `seq` of the session');
		session.socket = socket;
		begun.set(socket, session);
		for (const event of session.events.slice(seq)) {
			send(socket, event);
		}

		dispatch(session, 'RESUMED', {});
	};

	const take = (text: string, socket: ServerSocket) => {
		const {op, d, ...rest} = JSON.parse(text) as {op: number; d: JsonValue};
		assert.deepEqual(rest, {});
		if (op === 1) {
			beats.push(d);
			const session = begun.get(socket);
			assert.ok(d === null || (session && Number(d) <= session.events.length));
			if (state.answersBeats) {
				send(socket, {op: 11});
			}
		} else {
			assert.ok(op === 2 || op === 6, `op ${op}`);
			assert.ok(!begun.has(socket), 'it began twice');
			begun.set(socket, undefined);
			(op === 2 ? begin : resume)(socket, d as JsonObject);
		}

		look();
	};

	takeWebSockets(service.server, {
		accepts: ({url = '', headers}) =>
			new URL(url, address).search === '?v=10&encoding=json' && headers.origin === undefined,
		onOpen(socket) {
			send(socket, {op: 10, d: {heartbeat_interval: 41_250, _trace: []}});
			look();
		},
		onText(text, socket) {
			try {
				take(text, socket);
			} catch (error) {
				service.faults.push(String(error));
				socket.close(4002);
			}
		},
		onClose(socket, code) {
			closeCodes.push(code);
			const session = begun.get(socket);
			if (session?.socket === socket) {
				session.socket = undefined;
				if (!ended.has(socket) && (code === 1000 || code === 1001)) {
					sessions.delete(session.id);
				}
			}

			look();
		},
	});

	/** An event of all sessions. */
	const tell = (name: string, data: JsonObject) => {
		for (const session of sessions.values()) {
			dispatch(session, name, data);
		}
	};

	return {
		...service,
		tell,
		settings: {bot_token: token, api_base: service.url},
		state,
		closeCodes,
		beats,
		/** Answers to presses. */
		told,
		sessions,
		get socket() {
			return [...sessions.values()].findLast(({socket}) => socket)?.socket;
		},
		/** A message of `author` in a channel; direct where `server` is undefined. */
		say(
			channel: string,
			content: string,
			{author = {id: ann, username: 'ann', global_name: 'Ann'}, ...more}: JsonObject = {},
		): string {
			lastId += 1n << 22n;
			const message = {
				id: String(lastId),
				channel_id: channel,
				guild_id: '800000000000000001',
				type: 0,
				author,
				content,
				mentions: [],
				...more,
			};
			channels.set(channel, [...(channels.get(channel) ?? []), message]);
			tell('MESSAGE_CREATE', message);
			return message.id;
		},
		/** Closes the connection of the last session. */
		end(code: number) {
			const {socket} = this;
			if (socket) {
				ended.add(socket);
				socket.close(code);
			}
		},
		/** Its messages are gone. */
		drop(channel: string) {
			channels.delete(channel);
		},
		forget() {
			sessions.clear();
		},
		/** Sends a frame as it is, which no session knows. */
		raw(payload: JsonObject) {
			for (const {socket} of sessions.values()) {
				if (socket) {
					send(socket, payload);
				}
			}
		},
		until,
	};
}

/** Messages that are asked for do not say which server they are of. */
const withoutServer = (message: JsonObject): JsonObject =>
	Object.fromEntries(Object.entries(message).filter(([key]) => key !== 'guild_id'));
