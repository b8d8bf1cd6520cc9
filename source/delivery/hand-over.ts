import {keepLast} from '../core/bounds.ts';
import {within, type Clock} from '../core/clock.ts';
import {createKeyedMutex} from '../core/mutex.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {Place} from '../platforms/platform.ts';
import {usualParts} from '../platforms/settings.ts';
import type {PlatformSettings, Sender, SenderWorld, TargetKind} from '../platforms/target-kind.ts';
import {createKeepUp} from './keep-up.ts';
import type {PlatformState} from './platform-state.ts';
import {createSendParts, type Sending, stopped} from './send-parts.ts';

/** Texts that may wait for others to the same chat. */
const maxWaiting = 32;

/** More messages to one kind of target at a time are refused for now: each may be a process or a connection. */
const maxAtOnce = 32;

/** What the sender of an event waits for a delivery in all, milliseconds. */
const directMs = 5000;

/** Of that time, what may be waited between its messages. */
const directShare = 0.6;

type Delivery = {
	readonly kind: Pick<TargetKind, 'afterBreak' | 'edits' | 'keyWindowMs' | 'kind' | 'pace'>;
	readonly settings: unknown;
	readonly sender: Pick<Sender<unknown>, 'edit' | 'send' | 'split'>;
	readonly message: OutgoingMessage;
	/** What `kind.check` made; of a platform a `Place`. */
	readonly address: unknown;
	/** Hears how each try ends. */
	readonly state?: PlatformState | undefined;
	readonly signal: AbortSignal;
};

type HandOverWorld = Pick<SenderWorld, 'clock' | 'memos'>;

const busy = (why: string) => new DeliveryError('delivery_busy', `Cannot deliver: ${why}`);

/**
 * Sends the parts of a text, one after the other. Texts to one chat of a platform follow each other whole, at the pace that it takes. Resolves with a line for a person.
 *
 * @throws DeliveryError, and what `Memos.put` throws
 * @see manual/delivery.md#tries
 */
export function createHandOver(world: HandOverWorld): (delivery: Delivery) => Promise<string> {
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
		delivery: Delivery & {readonly until: number | undefined},
		queue: string,
	): Promise<string> => {
		const {kind, settings, sender, state, signal, message, until} = delivery;
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
		const place = delivery.address as Place;
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform they are these
		const {perMinute, maxParts} = settings as PlatformSettings;
		const usual = typeof kind.pace === 'function' ? kind.pace(place.chat) : (kind.pace ?? 0);
		const pace = paceOf(queue, perMinute ?? usual);
		// A text that a sender waits for has to get through in time: it is cut, rather than torn.
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
			...(state &&
				message.isTest !== true && {holds: () => state.holds(settings, until !== undefined)}),
			...(pace && {pace}),
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

	return async delivery => {
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
		const held = isDirect && message.isTest !== true && state?.holds(settings, true);
		if (held) {
			throw held;
		}

		const until = isDirect ? world.clock.monotonic() + directMs : undefined;

		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
		const queue = JSON.stringify([kind.kind, (address as Place).chat]);
		const turn = Promise.withResolvers<void>();
		const giveUp = new AbortController();
		// What waits for the platform has the turn of the chat.
		const place = message.isTest === true ? `${queue} test` : queue;
		const sent = turns.runExclusive(place, async () => {
			turn.resolve();
			if (giveUp.signal.aborted) {
				throw stopped();
			}

			return toPlace({...delivery, until}, queue);
		});
		const cancel =
			until === undefined ? undefined : world.clock.after(directMs, () => giveUp.abort());
		try {
			// Its own end counts once it is under way: what was written may have arrived.
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

/** When messages may go to one chat. */
export type ChatPace = {
	/** How long the next message has to wait, milliseconds; 0: it may go now. */
	waitMs(): number;
	/** A message goes now. */
	took(): void;
	/** So many messages may go within `ms` of a chat that none went to lately. */
	within(ms: number): number;
};

const minuteMs = 60_000;

/** No two messages to a chat follow each other quicker, unless its platform takes more than 60 a minute. */
const leastGapMs = 1000;

/** More chats than messages go to in a minute; the ones that were used longest ago are forgotten. */
const maxChats = 1000;

/** The paces of chats: at most so many messages in any minute, and not all of them at once. In memory: a start forgets them. */
export function createChatPaces(
	clock: Pick<Clock, 'monotonic'>,
): (chat: string, perMinute: number) => ChatPace | undefined {
	const chats = new Map<string, number[]>();
	return (chat, perMinute) => {
		if (perMinute <= 0) {
			return undefined;
		}

		return {
			waitMs() {
				const times = chats.get(chat) ?? [];
				const now = clock.monotonic();
				const gapMs = Math.min(leastGapMs, minuteMs / perMinute);
				const afterLast = (times.at(-1) ?? -Infinity) + gapMs;
				const afterWindow = (times.at(-perMinute) ?? -Infinity) + minuteMs;
				return Math.max(0, Math.ceil(Math.max(afterLast, afterWindow) - now));
			},
			within: ms =>
				Math.min(perMinute, 1 + Math.floor(ms / Math.min(leastGapMs, minuteMs / perMinute))),
			took() {
				const now = clock.monotonic();
				const times = (chats.get(chat) ?? []).filter(time => time > now - minuteMs);
				keepLast(chats, [chat, [...times, now]], maxChats);
			},
		};
	};
}
