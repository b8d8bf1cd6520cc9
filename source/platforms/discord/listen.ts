import {createTimer} from '../../core/clock.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {memberAt, objectAt, textAt} from '../ask.ts';
import type {Behind} from '../catch-up.ts';
import {
	codeWords,
	listenFailure,
	readConnection,
	readFrames,
	socketAddress,
	type Connection,
} from '../connection.ts';
import type {CreateListener, Hearing} from '../listener.ts';
import type {Socket} from '../socket.ts';
import {boundedWaitMs} from '../told-wait.ts';
import {askDiscord, baseOf} from './api.ts';
import {snowflake, type DiscordSettings} from './descriptor.ts';
import {createTaker} from './take.ts';

/** GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT. @see https://discord.com/developers/docs/events/gateway#gateway-intents */
const intents = (1 << 9) | (1 << 12) | (1 << 15);

const askMs = 30_000;
/** Timeout of frames before the session has begun, milliseconds. */
const silenceMs = 20_000;

/**
 * Close codes after which another connection would fail in the same way.
 *
 * @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const refusals: ReadonlyMap<number | undefined, string> = new Map([
	[4004, 'Discord refuses the bot token: write another one in "bot_token"'],
	[4010, 'Discord refuses the connection as a wrong shard (code 4010)'],
	[4011, 'the bot is in too many servers for one connection (code 4011)'],
	[4012, 'Discord no longer serves this version of its gateway (code 4012)'],
	[4013, 'Discord does not know the intents that are asked for (code 4013)'],
	[
		4014,
		'the bot may not read messages: switch on "Message Content Intent" on the page "Bot" of its application at https://discord.com/developers/applications',
	],
]);

/** Not authenticated, invalid `seq`, session timed out: the next connection begins another session. */
const endsSession: ReadonlySet<number | undefined> = new Set([4003, 4007, 4009]);

/** A session, which is resumed after a break. */
type Session = {
	readonly id: string;
	/** The URL for resuming it. */
	readonly url: URL;
	/** The id of our user. */
	readonly me: string;
	/** The number of the last handled event: later ones are sent again. */
	seq: number;
};

/**
 * Listens to the gateway. Messages are not acknowledged: a resumed session repeats all events after `seq`; when a new session begins, known channels are queried for
 * messages after the last one received there.
 *
 * @see manual/delivery-discord.md#conversations, https://discord.com/developers/docs/events/gateway
 */
export const createListener: CreateListener<DiscordSettings> = (settings, world) => {
	const {clock, openSocket, random} = world;
	const ask = askDiscord(settings, world, ({status, isJson}, {method}) =>
		method === 'GET' ? isJson : status < 300,
	);
	let session: Session | undefined;
	/** Channels that are still to be caught up. */
	const behind: Behind = new Map();

	/** Returns the URL for starting a session. */
	const addressOf = async (signal: AbortSignal): Promise<URL> => {
		const found = await ask({method: 'GET', path: '/gateway/bot'}, {limitMs: askMs, signal});
		// Beyond the limit of sessions, Discord would revoke the token.
		if (memberAt(found, 'session_start_limit', 'remaining') === 0) {
			const afterMs = Number(textAt(found, 'session_start_limit', 'reset_after'));
			throw listenFailure('discord', 'Discord lets the bot begin no more sessions today', {
				code: 'platform_rate_limited',
				retryAfterMs: boundedWaitMs(afterMs),
			});
		}

		return socketAddress('discord', textAt(found, 'url'));
	};

	/** Reads one connection, starting with its hello. */
	const read = async (
		socket: Socket,
		{handle}: Connection,
		{hearing, taker}: {readonly hearing: Hearing; readonly taker: ReturnType<typeof createTaker>},
	): Promise<void> => {
		let isReady = false;
		let isAnswered = true;
		using beats = createTimer(clock);
		const say = (op: number, d: JsonValue) => socket.send(JSON.stringify({op, d}));
		const beat = () => say(1, session?.seq ?? null);
		const plan = (waitMs: number, intervalMs: number) =>
			beats.set(waitMs, () => {
				if (!isAnswered) {
					socket.close(closeToResume);
					return;
				}

				isAnswered = false;
				beat();
				plan(intervalMs, intervalMs);
			});

		const begin = (hello: JsonObject) => {
			const intervalMs = memberAt(hello, 'd', 'heartbeat_interval');
			if (typeof intervalMs !== 'number' || intervalMs < 1000) {
				throw listenFailure('discord', 'Discord tells no interval of heartbeats');
			}

			plan(intervalMs * random(), intervalMs);
			const token = settings.botToken;
			if (session) {
				const {id, seq, me} = session;
				// An interrupted catch-up continues before the session repeats events.
				handle(async () => taker.catchUp(me));
				say(6, {token, session_id: id, seq});
			} else {
				say(2, {token, intents, properties: {os: 'svc', browser: 'svc', device: 'svc'}});
			}
		};

		const dispatch = (event: JsonObject) => {
			const name = textAt(event, 't');
			const seq = memberAt(event, 's');
			const data = objectAt(event, 'd');
			if (name === 'READY') {
				session = sessionIn(data, seq);
				const {me} = session;
				taker.markAllBehind(me);
				handle(async () => taker.catchUp(me));
			}

			if (!isReady && (name === 'READY' || name === 'RESUMED')) {
				isReady = true;
				hearing.onListening();
			}

			const current = session;
			if (!current) {
				return;
			}

			// Answered at once: Discord waits only 3 s.
			const pressed = name === 'INTERACTION_CREATE' ? taker.answerPress(data) : undefined;
			pressed?.catch(() => {});
			handle(async () => {
				await (name === 'MESSAGE_CREATE' ? taker.take([data], current.me) : pressed);
				current.seq = typeof seq === 'number' ? seq : current.seq;
			});
		};

		const handlers = new Map<JsonValue | undefined, (payload: JsonObject) => void>([
			[0, dispatch],
			[1, beat],
			[7, () => socket.close(closeToResume)],
			[
				9,
				({d}) => {
					session = d === true ? session : undefined;
					throw listenFailure('discord', 'Discord ended the session', {
						retryAfterMs: 1000 + Math.round(4000 * random()),
					});
				},
			],
			[10, begin],
			[
				11,
				() => {
					isAnswered = true;
				},
			],
		]);
		const limit = () => (isReady ? undefined : silenceMs);
		await readFrames(socket, limit, payload => handlers.get(memberAt(payload, 'op'))?.(payload));
		const refusal = refusals.get(socket.closeCode);
		if (refusal !== undefined || endsSession.has(socket.closeCode)) {
			session = undefined;
		}

		if (refusal !== undefined) {
			throw listenFailure('discord', refusal, {code: 'platform_unauthorized'});
		}

		if (!isReady) {
			throw listenFailure(
				'discord',
				`the connection ended before a session began${codeWords(socket)}`,
			);
		}
	};

	return {
		async listen(hearing, {cursor, signal}) {
			await readConnection('discord', signal, async connection => {
				const url = new URL(session?.url ?? (await addressOf(connection.signal)));
				url.searchParams.set('v', '10');
				url.searchParams.set('encoding', 'json');
				const taking = {ask, behind, cursor, hearing, signal: connection.signal, world};
				const taker = createTaker(taking, baseOf(settings));
				using socket = await openSocket(url.href, {
					platform: 'discord',
					secrets: [settings.botToken],
					signal: connection.signal,
				});
				try {
					await read(socket, connection, {hearing, taker});
				} finally {
					socket.close(closeToResume);
				}
			});
		},
	};
};

/** A close code that keeps the session: 1000 and 1001 would end it. */
const closeToResume = 4000;

/** The session of a READY event. @throws DeliveryError where it could not be resumed */
function sessionIn(ready: JsonObject, seq: JsonValue | undefined): Session {
	const id = textAt(ready, 'session_id');
	const me = textAt(ready, 'user', 'id');
	if (id === '' || !snowflake.test(me) || typeof seq !== 'number') {
		throw listenFailure('discord', 'Discord does not say which session began');
	}

	return {id, me, seq, url: socketAddress('discord', textAt(ready, 'resume_gateway_url'))};
}
