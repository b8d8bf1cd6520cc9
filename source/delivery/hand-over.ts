import {keepLast} from '../core/bounds.ts';
import {within, type Clock} from '../core/clock.ts';
import {createKeyedMutex} from '../core/mutex.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {MessagePlace} from '../platforms/platform.ts';
import {usualParts} from '../platforms/settings.ts';
import type {PlatformSettings, Sender, SenderWorld, TargetKind} from '../platforms/target-kind.ts';
import {createKeepUp} from './keep-up.ts';
import type {PlatformState} from './platform-state.ts';
import {createSendParts, type Sending, stopped} from './send-parts.ts';

/** Most texts that wait for earlier ones to the same chat. */
const maxWaiting = 32;

/** Most messages to one kind of target at once, since each may be a process or a connection; further ones are refused for now. */
const maxAtOnce = 32;

/** Longest time that the sender of an event waits for a direct delivery, milliseconds. */
const directMs = 5000;

/** The part of `directMs` that may be spent on pauses between messages. */
const directShare = 0.6;

type Delivery = {
	readonly kind: Pick<TargetKind, 'afterBreak' | 'edits' | 'keyWindowMs' | 'kind' | 'pace'>;
	readonly settings: unknown;
	readonly sender: Pick<Sender<unknown>, 'edit' | 'send' | 'split'>;
	readonly message: OutgoingMessage;
	/** The value of `kind.check`; for platforms a `MessagePlace`. */
	readonly address: unknown;
	/** Records the result of each try. */
	readonly state?: PlatformState | undefined;
	readonly signal: AbortSignal;
};

const busy = (why: string) => new DeliveryError('delivery_busy', `Cannot deliver: ${why}`);

/**
 * Sends the parts of a text one after the other. Texts to one chat of a platform are not interleaved, and keep the pace that the platform allows. Resolves with a line for
 * people.
 *
 * @throws DeliveryError, and what `Memos.put` throws
 * @see manual/delivery.md#tries
 */
export function createHandOver(world: Pick<SenderWorld, 'clock' | 'memos'>) {
	const turns = createKeyedMutex(maxWaiting);
	const paceOf = createChatPaces(world.clock);
	const sendParts = createSendParts(world);
	const keepUp = createKeepUp(world, sendParts);
	const underWay = new Map<string, number>();
	const oneOfMany = async <Result>(kind: string, send: () => Promise<Result>): Promise<Result> => {
		const count = underWay.get(kind) ?? 0;
		if (count >= maxAtOnce) {
			throw busy(`${maxAtOnce} messages to ${kind} are under way`);
		}

		underWay.set(kind, count + 1);
		try {
			return await send();
		} finally {
			underWay.set(kind, (underWay.get(kind) ?? 1) - 1);
		}
	};

	const toPlace = async (
		{kind, settings, sender, state, signal, message}: Delivery,
		place: MessagePlace,
		{queue, until}: {readonly queue: string; readonly until: number | undefined},
	): Promise<string> => {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform they are these
		const {perMinute, maxParts} = settings as PlatformSettings;
		const usual = typeof kind.pace === 'function' ? kind.pace(place.chat) : (kind.pace ?? 0);
		const pace = paceOf(queue, perMinute ?? usual);
		// A text for which a sender waits must arrive in time: it is cut rather than sent in part.
		const mostParts =
			until !== undefined && pace
				? Math.max(1, Math.min(maxParts ?? usualParts, pace.within(directMs * directShare)))
				: undefined;
		const {keyWindowMs} = kind;
		const observed = async <Result>(attempt: () => Promise<Result>) =>
			oneOfMany(kind.kind, async () => (state ? state.observe(settings, attempt) : attempt()));
		const window = typeof keyWindowMs === 'function' ? keyWindowMs(place.chat) : keyWindowMs;
		const split = (most = mostParts) => sender.split?.(message.text, place, most) ?? [message.text];
		const edit = place.isSticky ? sender.edit : undefined;
		const where = `${kind.kind} ${place.chat}`;
		const sending: Sending = {
			kind: {...kind, keyWindowMs: window},
			message,
			address: place,
			texts: edit && !message.isWhole ? split(1) : split(),
			send: async (part, limits) => ({
				place: where,
				...(await observed(async () => sender.send(part, place, limits))),
			}),
			holds: message.isTest ? undefined : () => state?.holds(settings, until !== undefined),
			pace,
			until,
			signal,
		};
		const summary = await (edit
			? keepUp({
					...sending,
					place,
					where,
					edit: async (part, limits) => observed(async () => edit(part, place, limits)),
					maxEdits: kind.edits ?? 0,
				})
			: sendParts(sending));
		return [
			summary,
			...(sending.texts.at(-1)?.includes('[cut: the whole text has ') ? ['cut'] : []),
			...(place.ignored.length > 0 ? [`ignored: ${place.ignored.join(', ')}`] : []),
		].join('; ');
	};

	return async (delivery: Delivery): Promise<string> => {
		const {kind, address, signal, message, sender, state, settings} = delivery;
		if (kind.afterBreak !== 'resumed') {
			return oneOfMany(kind.kind, async () =>
				sendParts({
					kind: {kind: kind.kind, afterBreak: kind.afterBreak},
					message,
					address,
					texts: [message.text],
					send: async (part, limits) => ({
						place: kind.kind,
						...(await sender.send(part, address, limits)),
					}),
					signal,
				}),
			);
		}

		const isDirect = message.runId === undefined && !message.isBackground;
		const held = isDirect && !message.isTest && state?.holds(settings, true);
		if (held) {
			throw held;
		}

		const until = isDirect ? world.clock.monotonic() + directMs : undefined;
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
		const place = address as MessagePlace;
		const queue = JSON.stringify([kind.kind, place.chat]);
		const turn = Promise.withResolvers<void>();
		const giveUp = new AbortController();
		// A text holds the turn of its chat while it waits for its platform; a test message must not wait for that.
		const line = message.isTest ? `${queue} test` : queue;
		const sent = turns.runExclusive(line, async () => {
			turn.resolve();
			if (giveUp.signal.aborted) {
				throw stopped();
			}

			return toPlace(delivery, place, {queue, until});
		});
		const cancel =
			until === undefined ? undefined : world.clock.after(directMs, () => giveUp.abort());
		try {
			// Once a delivery has begun, its own result counts: the text may have arrived.
			await within(Promise.race([turn.promise, sent]), AbortSignal.any([signal, giveUp.signal]));
		} catch (error) {
			void sent.catch(() => {});
			if (error instanceof DeliveryError) {
				throw error;
			}

			throw giveUp.signal.aborted
				? busy(`other texts for the same chat took longer than ${directMs / 1000} s`)
				: signal.aborted
					? stopped()
					: error;
		} finally {
			cancel?.();
		}

		const summary = await sent;
		if (summary === undefined) {
			throw busy(`more than ${maxWaiting} texts wait for the same chat`);
		}

		return summary;
	};
}

const minuteMs = 60_000;

/** Shortest time between two messages to a chat, unless its platform allows more than 60 a minute. */
const leastGapMs = 1000;

/** Most chats whose message times are kept; the least recently used are dropped. Fewer chats than that get messages within a minute. */
const maxChats = 1000;

/** Throttles messages to each chat: at most `perMinute` in any minute, with gaps between them; `undefined`: no limit. Kept in memory only, so that a restart resets it. */
export function createChatPaces(clock: Pick<Clock, 'monotonic'>) {
	const chats = new Map<string, number[]>();
	return (chat: string, perMinute: number) => {
		if (perMinute <= 0) {
			return undefined;
		}

		const gapMs = Math.min(leastGapMs, minuteMs / perMinute);
		return {
			/** Milliseconds until the next message may be sent; 0: now. */
			waitMs() {
				const times = chats.get(chat) ?? [];
				const now = clock.monotonic();
				const afterLast = (times.at(-1) ?? -Infinity) + gapMs;
				const afterWindow = (times.at(-perMinute) ?? -Infinity) + minuteMs;
				return Math.max(0, Math.ceil(Math.max(afterLast, afterWindow) - now));
			},
			/** Number of messages that may be sent within `ms` to a chat without recent messages. */
			within: (ms: number) => Math.min(perMinute, 1 + Math.floor(ms / gapMs)),
			/** Records that a message is sent now. */
			took() {
				const now = clock.monotonic();
				const times = (chats.get(chat) ?? []).filter(time => time > now - minuteMs);
				keepLast(chats, [chat, [...times, now]], maxChats);
			},
		};
	};
}
