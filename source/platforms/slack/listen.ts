import {within} from '../../core/clock.ts';
import {parsedJson, type JsonObject} from '../../core/json.ts';
import {createAsk, idAt, nameAt, objectAt, objectOf, textAt, webhookOr} from '../ask.ts';
import {listenFailure, readConnection, socketAddress} from '../connection.ts';
import type {CreateListener, InboundMessage, ListenerWorld} from '../listener.ts';
import {answerPress, quoteInTime} from '../message-text.ts';
import type {Socket} from '../socket.ts';
import type {SlackSettings} from './descriptor.ts';
import {messageIn, pressIn, quoteIn, type Ours} from './inbound.ts';
import {judgeLogin} from './judge.ts';

const askMs = 10_000;
const pingMs = 30_000;
/** How long a socket that is to close is read alongside its successor, at most, milliseconds. */
const farewellMs = 60_000;
/** A socket that must be replaced earlier counts as failed, milliseconds: otherwise Slack could demand replacements without end. */
const minLifeMs = 10_000;
/** Maximum number of concurrent answers to presses; more are skipped. */
const maxAnswering = 20;

/**
 * Listens in socket mode. Slack stores nothing for a disconnected program. For some minutes it repeats unacknowledged messages, which are recognised by channel and `ts`.
 * There is no cursor.
 *
 * @see manual/delivery-slack.md#conversations, https://docs.slack.dev/apis/events-api/using-socket-mode
 */
export const createListener: CreateListener<SlackSettings> = (
	{botToken, appToken = '', apiBase},
	world,
) => {
	const {clock, log} = world;
	const api = {platform: 'slack', base: `${apiBase}/api`};
	const askAs = (token: string) =>
		createAsk(world, {...api, headers: {authorization: `Bearer ${token}`}, judge: judgeLogin});
	const ask = askAs(botToken);
	const askForSocket = askAs(appToken);
	// Sent without our token, since it goes to another URL.
	const answerTo = createAsk(world, {...api, judge: ({status}) => status === 200});
	let known: Ours | undefined;

	const findUs = async (signal: AbortSignal): Promise<Ours> => {
		const me = await ask({path: '/auth.test', sendsNothing: true}, {limitMs: askMs, signal});
		const user = idAt(me, 'user_id');
		if (user === undefined) {
			throw listenFailure('slack', 'auth.test does not say which user the bot is');
		}

		return {user, name: nameAt(me, 'user') ?? user};
	};

	/** Opens a socket, and waits for its hello. */
	const open = async (signal: AbortSignal) => {
		const answer = await askForSocket(
			{path: '/apps.connections.open', sendsNothing: true},
			{limitMs: askMs, signal},
		);
		const socket = await world.openSocket(socketAddress('slack', textAt(answer, 'url')).href, {
			platform: 'slack',
			secrets: [appToken],
			pingMs,
			signal,
		});
		try {
			const frame = await socket.next(askMs);
			const hello = read(frame);
			signal.throwIfAborted();
			if (textAt(hello, 'type') !== 'hello') {
				throw listenFailure(
					'slack',
					frame === undefined ? closedBy(socket) : `it said no hello${reasonOf(hello, world)}`,
				);
			}

			return {socket, connections: Number(textAt(hello, 'num_connections')) || 1};
		} catch (error) {
			socket[Symbol.dispose]();
			throw error;
		}
	};

	/** The first message of the thread of a message. */
	const rootOf = async (message: InboundMessage, ours: Ours, signal: AbortSignal) => {
		const {chat: channel, thread: ts = ''} = message;
		const form = {channel, ts, limit: '1', inclusive: 'true'};
		const answer = await quoteInTime(log, 'Slack', async limitMs =>
			ask({path: '/conversations.replies', form, sendsNothing: true}, {limitMs, signal}),
		);
		const root = objectAt(answer ?? {}, 'messages', '0');
		return textAt(root, 'ts') === ts ? quoteIn(root, ours) : undefined;
	};

	let answering = 0;
	/** Shows a text to the person who pressed. Never rejects. */
	const tellPresser = async (payload: JsonObject, text: string, signal: AbortSignal) => {
		if (answering >= maxAnswering) {
			return;
		}

		answering += 1;
		const url = responseAddress(textAt(payload, 'response_url'), apiBase);
		const thread = idAt(payload, 'container', 'thread_ts');
		const channel = textAt(payload, 'channel', 'id');
		const user = textAt(payload, 'user', 'id');
		const inThread = thread !== undefined && {thread_ts: thread};
		const request =
			url === undefined
				? {path: '/chat.postEphemeral', json: {channel, user, text, ...inThread}}
				: {url, json: {response_type: 'ephemeral', replace_original: false, text}};
		await answerPress(log, 'Slack', async () =>
			webhookOr(answerTo, ask)(request, {limitMs: askMs, signal}),
		);
		answering -= 1;
	};

	return {
		async listen(hearing, {signal}) {
			await readConnection('slack', signal, async connection => {
				const ours = (known ??= await findUs(connection.signal));

				/** Handles an envelope; resolves with further members of its acknowledgement. */
				const handleEnvelope = async (envelope: JsonObject): Promise<JsonObject> => {
					const type = textAt(envelope, 'type');
					const payload = objectAt(envelope, 'payload');
					if (type === 'slash_commands') {
						const text = 'Slash commands are not served here: write a message instead';
						return {payload: {response_type: 'ephemeral', text}};
					}

					const message =
						type === 'events_api' ? messageIn(objectAt(payload, 'event'), ours) : undefined;
					if (message) {
						const {rootBy, ...heard} = message;
						const isAllowed = rootBy !== undefined && hearing.isAllowed(heard.user);
						const quote = isAllowed ? await rootOf(message, ours, connection.signal) : heard.quote;
						await hearing.onMessages([{...heard, quote}]);
					}

					const press = type === 'interactive' ? pressIn(payload) : undefined;
					if (press) {
						void tellPresser(payload, await hearing.onPress(press), signal);
					}

					return {};
				};

				/** Reads a socket to its end, and the sockets that replace it. */
				const readAll = async (socket: Socket): Promise<void> => {
					using stack = new DisposableStack();
					stack.use(socket);
					const since = clock.monotonic();
					let successor: Promise<void> | undefined;
					const replace = (frame: JsonObject) => {
						const reason = textAt(frame, 'reason');
						if (reason !== 'warning' && reason !== 'refresh_requested') {
							throw listenFailure('slack', `it ended the connection${reasonOf(frame, world)}`);
						}

						if (clock.monotonic() - since < minLifeMs) {
							throw listenFailure(
								'slack',
								`it ends new connections at once${reasonOf(frame, world)}`,
							);
						}

						stack.defer(clock.after(farewellMs, () => socket.close(1000)));
						successor ??= open(connection.signal).then(async next => readAll(next.socket));
						// Awaited once this socket has closed.
						successor.catch(() => {});
					};
					for (;;) {
						// oxlint-disable-next-line no-await-in-loop -- sequential frames
						const frame = await socket.next().catch((error: unknown) => {
							if (!successor) {
								throw error;
							}
						});
						if (frame === undefined) {
							break;
						}

						const envelope = read(frame);
						const id = textAt(envelope, 'envelope_id');
						if (textAt(envelope, 'type') === 'disconnect') {
							replace(envelope);
						} else if (id !== '') {
							const done = Promise.withResolvers<void>();
							connection.handle(async () => {
								const more = await handleEnvelope(envelope);
								socket.send(JSON.stringify({envelope_id: id, ...more}));
								done.resolve();
							});
							// Frames wait in the socket, which bounds them.
							// oxlint-disable-next-line no-await-in-loop -- one message after the other
							await within(done.promise, connection.signal).catch(() => {});
						}
					}

					if (!successor && !connection.signal.aborted) {
						throw listenFailure('slack', closedBy(socket));
					}

					await successor;
				};

				const {socket, connections} = await open(connection.signal);
				hearing.onListening(noteOn(connections));
				await readAll(socket);
			});
		},
	};
};

const read = (frame = ''): JsonObject => objectOf(parsedJson(frame));

const closedBy = ({closeCode}: Socket): string =>
	`it closed the connection (code ${closeCode ?? '-'})`;

/** Each message is sent to only one connection of the app. */
const noteOn = (connections: number): string | undefined =>
	connections > 1
		? `${connections} programs listen with this app token, and each gets a part of the messages`
		: undefined;

const reasonOf = (frame: JsonObject, {clean}: Pick<ListenerWorld, 'clean'>): string => {
	const reason = nameAt(frame, 'reason');
	const advice =
		reason === 'link_disabled' ? ': switch Socket Mode on in the settings of the app' : '';
	return reason === undefined ? '' : `, ${clean(reason)}${advice}`;
};

/** A URL for answering a press, if it belongs to Slack; `undefined` otherwise. */
function responseAddress(text: string, apiBase: string): string | undefined {
	const url = URL.parse(text);
	const own = new URL(apiBase);
	const isOf = (domain: string) => url?.hostname === domain || url?.hostname.endsWith(`.${domain}`);
	return url &&
		(url.origin === own.origin ||
			(url.protocol === 'https:' && (isOf('slack.com') || isOf(own.hostname))))
		? text
		: undefined;
}
