import type {Config} from '../../config/config.ts';
import {sleep} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import type {World} from '../../core/world.ts';
import {respond} from '../../http/http-messages.ts';
import {createHttpServer} from '../../http/http-server.ts';
import {listen} from '../../http/listen.ts';
import type {RoomWorld, StoreWait} from '../rooms.ts';

/** Pause between two tries to open the store, milliseconds. */
const againMs = 2000;
const retryAfterSeconds = 10;

/** Holds a server's port until the store is open. */
type Placeholder = AsyncDisposable & {readonly key: string};

/**
 * Tries to open a shared store until that succeeds. Meanwhile the ports of this gateway answer 503, and the log says why. The configuration is read again before each
 * attempt, since a wrong setting may be the cause.
 *
 * @throws the reason of `ending`
 */
export async function awaitStore<Opened>(
	open: () => Promise<Opened>,
	{
		live,
		onWaiting,
		ending,
		...world
	}: Pick<RoomWorld, 'clock' | 'emit' | 'live' | 'log'> & StoreWait,
): Promise<Opened> {
	const {clock, emit, log} = world;
	await using servers = createPlaceholders(world);
	let said: string | undefined;
	for (;;) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- sequential attempts
			const opened = await open();
			if (said !== undefined) {
				log.note('The store is open');
			}

			live.opened();
			onWaiting(undefined);
			return opened;
		} catch (error) {
			const reason = messageOf(error);
			if (reason !== said) {
				said = reason;
				log.error(`${reason}; it is tried again until it can be opened`);
				emit({type: 'webhook-refused', at: clock.now(), code: codeOf(error), reason});
				onWaiting(reason);
			}
		}

		// oxlint-disable-next-line no-await-in-loop -- as above
		await servers.follow(live.current());
		// oxlint-disable-next-line no-await-in-loop -- a pause between two attempts
		await sleep(clock, againMs, ending);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await live.catchUp();
	}
}

function createPlaceholders(world: Pick<World, 'clock' | 'log'>) {
	const {log} = world;
	let open: readonly Placeholder[] = [];
	let said = '';
	return {
		/** Listens on the configured ports of the gateway. Never rejects. */
		async follow({webhook, api}: Pick<Config, 'webhook' | 'api'>) {
			const wanted = [
				{section: 'platforms.webhook', ...webhook, body: webhookBody},
				{section: 'api', ...api, body: apiBody},
			].filter(({enabled}) => enabled);
			const keys = new Set(wanted.map(keyOf));
			const [kept, gone] = [
				open.filter(({key}) => keys.has(key)),
				open.filter(({key}) => !keys.has(key)),
			];
			open = kept;
			await Promise.all(gone.map(async one => one[Symbol.asyncDispose]()));
			for (const one of wanted.filter(other => !kept.some(({key}) => key === keyOf(other)))) {
				try {
					// oxlint-disable-next-line no-await-in-loop -- there are two
					open = [...open, await standAt(world, one)];
				} catch (error) {
					const text = messageOf(error);
					if (text !== said) {
						log.error(text);
					}

					said = text;
				}
			}
		},
		async [Symbol.asyncDispose]() {
			await Promise.all(open.map(async one => one[Symbol.asyncDispose]()));
		},
	};
}

type Wanted = {
	readonly section: string;
	readonly host: string;
	readonly port: number;
	readonly body: string;
};

const keyOf = ({section, host, port}: Omit<Wanted, 'body'>): string =>
	JSON.stringify([section, host, port]);

const unavailable = 'The store of this gateway cannot be reached';

const webhookBody = JSON.stringify({
	error: unavailable,
	status: 'unavailable',
	platform: 'webhook',
});

const apiBody = JSON.stringify({
	error: {message: unavailable, type: 'server_error', param: null, code: 'journal_unavailable'},
});

/** Answers every request with 503. */
async function standAt(
	{clock, log}: Pick<World, 'clock' | 'log'>,
	wanted: Wanted,
): Promise<Placeholder> {
	const {section, host, port, body} = wanted;
	const http = createHttpServer({
		async handle(pair) {
			pair.request.on('error', () => {});
			pair.response.on('error', () => {});
			respond(pair, {status: 503, body, retryAfterSeconds, close: true}, clock);
		},
		clock,
		log,
		onRefused() {},
		onEvicted() {},
		onDropped() {},
	});
	const url = await listen(http.server, {host, port}, section);
	log.note(`Answers 503 on ${url} until the store can be opened`);
	return {
		key: keyOf(wanted),
		async [Symbol.asyncDispose]() {
			const closed = new Promise(resolve => {
				http.server.close(resolve);
			});
			http.closeIdle();
			// Answers under way are short; the real server must not wait for the port.
			http.server.closeAllConnections();
			await closed;
		},
	};
}
