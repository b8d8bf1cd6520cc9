import {randomUUID} from 'node:crypto';
import {alertPlace, alertTarget, type AlertConfig} from '../../config/alerts.ts';
import {createTimer} from '../../core/clock.ts';
import type {AlertView} from '../../core/config-view.ts';
import {messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {Need} from '../../nouns/needs.ts';
import {isUncertain} from '../../platforms/delivery-error.ts';
import {alertText} from './alert-text.ts';

/** How long needs are gathered before a message is sent, milliseconds. Shorter for a request for approval, which is denied after five minutes. */
const gatherMs = 30_000;
const gatherApprovalsMs = 5000;

/** A need that ends and returns within this time (a reconnecting server, a restarted gateway) is not reported again. */
const sameMs = 120_000;

/** Delay before a failed message is retried, milliseconds; the entry's pace if that is shorter. Doubles with each further failure, up to an hour. */
const retryMs = 300_000;
const shortestRetryMs = 30_000;
const longestRetryMs = 3_600_000;

const maxTold = 1000;

/** One entry of `alerts`, with the needs that its chat has been told of. */
export type CalledChat = ReturnType<typeof createCalledChat>;

export type CalledChatWorld = Pick<World, 'clock' | 'log'> & {
	readonly deliverer: Pick<Deliverer, 'deliver'>;
	/** The machine and the profile that messages name. */
	readonly host: string;
	readonly profile: string;
	/** Returns the current needs. */
	readonly needs: () => readonly Need[];
	/** Persists what the chat was told. @throws SvcError `journal_unavailable` */
	readonly keep: (value: JsonValue) => Promise<void>;
	/** Whether it is this gateway that sends alerts. */
	readonly isHeld: () => boolean;
	/** Called after each attempt to send. */
	readonly onTried: () => void;
};

/** `kept`: the persisted state of this chat. */
export function createCalledChat(
	{clock, log, deliverer, host, profile, needs, keep, isHeld, onTried}: CalledChatWorld,
	first: AlertConfig,
	kept: JsonValue | undefined,
) {
	const timer = createTimer(clock);
	const killed = new AbortController();
	/** Keys of needs that the chat was told; the value is when the need ended (`Clock.monotonic`), `undefined` while it lasts. */
	const told = new Map<string, number | undefined>(toldIn(kept).map(key => [key, undefined]));
	/** Keys of needs not yet reported, with when each was first seen by `Clock.now` (`at`) and by `Clock.monotonic` (`from`). */
	const seen = new Map<string, {readonly at: number; readonly from: number}>();
	let entry = first;
	/** When the last one was sent, milliseconds since 1970. */
	let sentAt = sentAtIn(kept);
	/** `sentAt` by `Clock.monotonic`, so that setting back the wall clock holds no message back. */
	let sentFrom =
		sentAt === undefined ? -Infinity : clock.monotonic() - Math.max(0, clock.now() - sentAt);
	/** Earliest next attempt, by `Clock.monotonic`. */
	let retryAt = -Infinity;
	let problem: string | undefined;
	let failures = 0;
	let isSending = false;

	/** Needs of the kinds that the entry lists, except those about its own platform: each failed message would cause another. */
	const own = (all: readonly Need[]): readonly Need[] =>
		all.filter(
			({kind, platform}) =>
				kind !== undefined && entry.on.includes(kind) && platform !== entry.platform,
		);

	const keepTold = async () => {
		try {
			await keep({at: sentAt ?? null, told: [...told.keys()].slice(-maxTold)});
		} catch (error) {
			log.warn(
				`Cannot note what ${alertPlace(entry)} was told, and it may be told again: ${messageOf(error)}`,
			);
		}
	};

	const compare = (all: readonly Need[]) => {
		const [at, from] = [clock.now(), clock.monotonic()];
		const open = new Map(own(all).map(need => [need.key, need]));
		const before = told.size;
		for (const [key, goneAt] of told) {
			if (goneAt !== undefined && from - goneAt >= sameMs) {
				told.delete(key);
			} else {
				told.set(key, open.has(key) ? undefined : (goneAt ?? from));
			}
		}

		for (const key of seen.keys()) {
			if (!open.has(key)) {
				seen.delete(key);
			}
		}

		for (const key of open.keys()) {
			if (!told.has(key) && !seen.has(key)) {
				seen.set(key, {at, from});
			}
		}

		if (told.size < before) {
			void keepTold();
		}

		const ms = isSending ? undefined : restMs(open);
		timer.cancel();
		if (ms !== undefined) {
			timer.set(ms, () => {
				void tell();
			});
		}

		return {open, isDue: ms === 0};
	};

	/** Time until the next message is due; `undefined` when there is nothing to report. */
	const restMs = (open: ReadonlyMap<string, Need>): number | undefined => {
		const now = clock.monotonic();
		const gatheredMs = [...seen].map(
			([key, {from}]) =>
				from + (open.get(key)?.kind === 'approval' ? gatherApprovalsMs : gatherMs) - now,
		);
		return gatheredMs.length === 0
			? undefined
			: Math.max(0, sentFrom + entry.atMostMs - now, retryAt - now, Math.min(...gatheredMs));
	};

	const tell = async () => {
		const now = clock.now();
		// Some needs may have been settled meanwhile; the remaining ones may have to be gathered for longer.
		const {open, isDue} = compare(needs());
		if (!isDue || !isHeld()) {
			return;
		}

		timer.cancel();
		const fresh = [...open.values()].flatMap(need => {
			const began = seen.get(need.key);
			return began ? [{...need, seenAt: began.at}] : [];
		});
		isSending = true;
		const failure = await failureOf(
			deliverer.deliver(
				{
					text: alertText(fresh, {host, profile, now}),
					target: alertTarget(entry),
					profile: 'default',
					route: 'alerts',
					event: 'alert',
					// Unique per message: two entries may send at the same moment, and a log record about one must not name the other.
					delivery: `alert-${randomUUID()}`,
					isBackground: true,
					offline: false,
				},
				killed.signal,
			),
		);
		if (killed.signal.aborted) {
			return;
		}

		isSending = false;
		problem = failure?.text;
		if (failure && !failure.isUncertain) {
			log.warn(`Cannot send an alert to ${alertPlace(entry)}, it is tried again: ${failure.text}`);
			const shortest = Math.max(shortestRetryMs, Math.min(retryMs, entry.atMostMs));
			retryAt = clock.monotonic() + Math.min(longestRetryMs, shortest * 2 ** failures);
			failures += 1;
		} else {
			for (const {key} of fresh) {
				seen.delete(key);
				told.set(key, undefined);
			}

			sentAt = clock.now();
			sentFrom = clock.monotonic();
			retryAt = -Infinity;
			failures = 0;
			if (failure) {
				log.warn(
					`An alert to ${alertPlace(entry)} may have arrived, it is not repeated: ${failure.text}`,
				);
			} else {
				log.note(`An alert was sent to ${alertPlace(entry)}`, {things: fresh.length});
			}

			await keepTold();
		}

		onTried();
	};

	return {
		/** Compares the current needs with what the chat was told, and schedules its next message. */
		compare(all: readonly Need[]) {
			compare(all);
		},
		/** Applies a new configuration of the entry. */
		follow(next: AlertConfig) {
			entry = next;
			// The new configuration may have removed the cause of failures, so retry at once.
			retryAt = -Infinity;
			failures = 0;
		},
		/** Whether needs have to be compared again as time passes. */
		isOpen: (): boolean => told.size + seen.size > 0,
		view: (): AlertView => ({
			platform: entry.platform,
			...(entry.chat !== undefined && {chat: escapeLine(entry.chat, 200)}),
			on: [...entry.on],
			...(sentAt !== undefined && {sentAt}),
			...(problem !== undefined && {problem}),
		}),
		[Symbol.dispose]() {
			killed.abort();
			timer[Symbol.dispose]();
		},
	};
}

async function failureOf(sending: Promise<unknown>) {
	try {
		await sending;
		return undefined;
	} catch (error) {
		return {isUncertain: isUncertain(error), text: escapeLine(messageOf(error), 600)};
	}
}

const toldIn = (kept: JsonValue | undefined): readonly string[] =>
	isJsonObject(kept) && Array.isArray(kept['told'])
		? kept['told'].filter(key => typeof key === 'string')
		: [];

const sentAtIn = (kept: JsonValue | undefined): number | undefined =>
	isJsonObject(kept) && typeof kept['at'] === 'number' ? kept['at'] : undefined;
