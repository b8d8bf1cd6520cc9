import {createTimer} from '../../core/clock.ts';
import {isJsonObject, parsedJson, type JsonObject} from '../../core/json.ts';
import {memberAt, textAt} from '../ask.ts';
import type {Behind} from '../catch-up.ts';
import {
	codeWords,
	listenFailure,
	readConnection,
	readFrames,
	type Connection,
} from '../connection.ts';
import type {Hearing, CreateListener} from '../listener.ts';
import type {Socket} from '../socket.ts';
import {askMattermost} from './api.ts';
import type {MattermostSettings} from './descriptor.ts';
import {oursIn, placeIn, postDetailsIn, type Thread} from './inbound.ts';
import {createTaker} from './take.ts';

const askMs = 30_000;
const helloMs = 10_000;
const pingMs = 30_000;
const pongMs = 10_000;

/**
 * Listens to the web socket, which neither acknowledges nor repeats events: after each break, and after a gap in the events' numbers, known channels are queried for posts
 * after the last one received there.
 *
 * @see manual/delivery-mattermost.md#conversations, https://developers.mattermost.com/api-documentation/#/#websocket
 */
export const createListener: CreateListener<MattermostSettings> = (settings, world) => {
	const {clock, openSocket} = world;
	const ask = askMattermost(settings, world, ({isJson}) => isJson);
	const behind: Behind = new Map();
	const threads = new Map<string, Thread>();

	/** Reads one connection, starting with its hello. */
	const read = async (
		socket: Socket,
		{handle}: Connection,
		{hearing, taker}: {readonly hearing: Hearing; readonly taker: ReturnType<typeof createTaker>},
	): Promise<void> => {
		let isReady = false;
		/** The expected number of the next event. */
		let nextSeq: number | undefined;
		let pings = 0;
		using timer = createTimer(clock);
		const plan = () =>
			timer.set(pingMs, () => {
				pings += 1;
				socket.send(JSON.stringify({action: 'ping', seq: pings}));
				timer.set(pongMs, () => socket.close(1000));
			});

		const handleEvent = (event: JsonObject, name: string) => {
			const seq = memberAt(event, 'seq');
			const isGap = typeof seq === 'number' && nextSeq !== undefined && seq > nextSeq;
			nextSeq = typeof seq === 'number' ? seq + 1 : nextSeq;
			if (isGap || (name === 'hello' && !isReady)) {
				handle(async () => taker.catchUp());
			}

			if (name === 'hello' && !isReady) {
				isReady = true;
				plan();
				hearing.onListening();
			}

			const post = name === 'posted' ? parsedJson(textAt(event, 'data', 'post')) : undefined;
			const place = isJsonObject(post) ? placeIn(post) : undefined;
			if (isJsonObject(post) && place) {
				const isDirect = textAt(event, 'data', 'channel_type') === 'D';
				handle(async () => taker.take([{post, place, isDirect}], postDetailsIn(event)));
			}
		};

		const limit = () => (isReady ? undefined : helloMs);
		await readFrames(socket, limit, event => {
			const name = textAt(event, 'event');
			if (name !== '') {
				handleEvent(event, name);
			} else if (pings > 0 && memberAt(event, 'seq_reply') === pings) {
				plan();
			}
		});
		if (!isReady) {
			throw listenFailure(
				'mattermost',
				`the connection ended before it said hello${codeWords(socket)}`,
			);
		}
	};

	return {
		async listen(hearing, {cursor, signal}) {
			await readConnection('mattermost', signal, async connection => {
				const {signal: ended} = connection;
				const limits = {limitMs: askMs, signal: ended};
				const ours = oursIn(await ask({method: 'GET', path: '/users/me'}, limits));
				if (!ours) {
					throw listenFailure('mattermost', 'the server does not say which user the bot is');
				}

				const taking = {ask, behind, cursor, hearing, signal: ended, world};
				const taker = createTaker(taking, ours, threads);
				using socket = await openSocket(addressOf(settings), {
					platform: 'mattermost',
					headers: {authorization: `Bearer ${settings.botToken}`},
					signal: ended,
				});
				await read(socket, connection, {hearing, taker});
			});
		},
	};
};

const addressOf = ({apiBase}: Pick<MattermostSettings, 'apiBase'>): string =>
	`${apiBase.replace(/^http/, 'ws')}/api/v4/websocket`;
