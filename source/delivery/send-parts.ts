import {sleep, type Clock} from '../core/clock.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {MessagePart, SenderWorld, Sent, TargetKind} from '../platforms/target-kind.ts';
import type {createChatPaces} from './hand-over.ts';
import {hashOf, memoKind, deliveryName, noteIn, startOf} from './senders.ts';

/** Longest time for sending one part, and for all waits of one part together, milliseconds. */
const maxSendMs = 30_000;
const maxWaitMs = 60_000;

/** Limits that start now. */
export const limitsFrom = (clock: Pick<Clock, 'monotonic'>, limitMs: number) => ({
	limitMs,
	until: clock.monotonic() + limitMs,
});

/** Pause before the first retry of a part that may have arrived; each further pause is four times as long. */
const firstRepeatMs = 1000;

/** Shortest wait, whatever a platform asks for: without it, a platform that asks for none would get endless retries. */
const leastWaitMs = 1000;

/** A text that is sent to one place. */
export type Sending = {
	readonly kind: Pick<TargetKind, 'kind' | 'afterBreak'> & {
		/** As in `TargetKind`, for this place. */
		readonly keyWindowMs?: number | undefined;
	};
	readonly message: OutgoingMessage;
	readonly address: unknown;
	/** The messages that the text is split into. */
	readonly texts: readonly string[];
	/** Sends one message. */
	readonly send: (message: OutgoingMessage, part: MessagePart) => Promise<SentPart>;
	/** The error while the platform cannot be used, with the wait until its next check. */
	readonly holds?: (() => DeliveryError | undefined) | undefined;
	/** The throttle of the chat. */
	readonly pace?: ReturnType<ReturnType<typeof createChatPaces>>;
	/** When the waiting sender of the event gives up, by `Clock.monotonic`; absent: no sender waits. */
	readonly until?: number | undefined;
	readonly signal: AbortSignal;
};

type SentPart = Sent & {readonly place: string};

export const stopped = () =>
	new DeliveryError('delivery_aborted', 'Cannot deliver: the delivery was stopped');

/**
 * Sends the messages of a text one after the other; resolves with a line for people. For a kind that is `resumed` each step is stored before it happens.
 *
 * @throws DeliveryError, and what `Memos.put` throws
 */
export const createSendParts =
	({clock, memos}: Pick<SenderWorld, 'clock' | 'memos'>) =>
	async (sending: Sending): Promise<string> => {
		const {kind, message, address, texts, send, holds, pace, until, signal} = sending;
		/** Milliseconds left for the whole delivery. */
		const leftMs = () => Math.max(0, (until ?? Infinity) - clock.monotonic());
		const name = deliveryName(message);
		const digest = hashOf([kind.kind, address ?? null, texts]);
		const notes = kind.afterBreak === 'resumed' ? memos : undefined;
		let {arrived, begunAt} = startOf(noteIn(await notes?.get(memoKind, name)), {
			digest,
			message,
			now: clock.now(),
		});
		const write = async () => {
			const begun = begunAt !== undefined && {begunAt};
			await notes?.put(memoKind, name, {digest, arrived, at: clock.now(), ...begun});
		};

		/** Whether the platform still deduplicates a part that was first sent at `from`, `afterMs` from now. False if the clock was set back. */
		const isKnownAgain = (from: number, afterMs = 0) => {
			const age = clock.now() + afterMs - from;
			return age >= 0 && age < (kind.keyWindowMs ?? 0);
		};

		/** The error for a part that this try or an earlier one may have sent. */
		const doubtful = (error: DeliveryError, from: number): DeliveryError => {
			const {passes, ...rest} = error.failure;
			const mayPass = error.isUncertain || passes;
			return new DeliveryError(
				'delivery_uncertain',
				error.isUncertain
					? error.message
					: `${error.message}; an earlier try of it may have arrived`,
				{...rest, isUncertain: true, ...(mayPass && isKnownAgain(from) && {passes: true})},
			);
		};

		/** Waits until the platform and the chat accept a message; resolves with the total wait for the part, milliseconds. */
		const untilReady = async (waitedMs: number): Promise<number> => {
			for (let waited = waitedMs; ;) {
				const held = holds?.();
				const ms = held ? held.retryAfterMs : (pace?.waitMs() ?? 0);
				if (ms === 0) {
					return waited;
				}

				if (ms === undefined || waited + ms > maxWaitMs || ms >= leftMs()) {
					throw (
						held ??
						new DeliveryError(
							'delivery_busy',
							`Cannot deliver: ${kind.kind} takes the next message to that chat in ${Math.ceil((ms ?? 0) / 1000)} s`,
							{passes: true, retryAfterMs: ms},
						)
					);
				}

				waited += ms;
				// oxlint-disable-next-line no-await-in-loop -- one pause after the other
				await sleep(clock, ms, signal).catch(() => {
					throw stopped();
				});
			}
		};

		const sendPart = async (index: number): Promise<SentPart> => {
			const key = hashOf([name, digest, index]).slice(0, 25);
			let [waitedMs, repeatMs] = [0, firstRepeatMs];
			for (;;) {
				const isInDoubt = begunAt !== undefined;
				if (begunAt !== undefined && !isKnownAgain(begunAt)) {
					throw new DeliveryError(
						'delivery_uncertain',
						`Cannot go on: an earlier try broke off while it sent part ${index + 1} of ${texts.length}, which may have arrived`,
					);
				}

				try {
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
					waitedMs = await untilReady(waitedMs);
				} catch (error) {
					throw begunAt !== undefined && error instanceof DeliveryError
						? doubtful(error, begunAt)
						: error;
				}

				begunAt ??= clock.now();
				const from = begunAt;
				// oxlint-disable-next-line no-await-in-loop -- one try after the other
				await write();
				let failure: DeliveryError;
				pace?.took();
				try {
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
					return await send(
						{...message, text: texts[index] ?? ''},
						{
							index,
							of: texts.length,
							key,
							signal,
							...limitsFrom(clock, Math.min(maxSendMs, leftMs())),
						},
					);
				} catch (error) {
					if (!(error instanceof DeliveryError)) {
						throw error;
					}

					failure = error;
				}

				const {isUncertain, retryable, retryAfterMs} = failure;
				if (isUncertain || isInDoubt) {
					failure = doubtful(failure, from);
				} else {
					begunAt = undefined;
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
					await write();
				}

				const toldMs = retryAfterMs === undefined ? undefined : Math.max(leastWaitMs, retryAfterMs);
				const nextMs = isUncertain ? repeatMs : retryable ? toldMs : undefined;
				if (
					nextMs === undefined ||
					waitedMs + nextMs > maxWaitMs ||
					nextMs >= leftMs() ||
					(begunAt !== undefined && !isKnownAgain(begunAt, nextMs))
				) {
					throw failure;
				}

				waitedMs += nextMs;
				repeatMs *= isUncertain ? 4 : 1;
				const failed = failure;
				// oxlint-disable-next-line no-await-in-loop -- a pause between two tries
				await sleep(clock, nextMs, signal).catch(() => {
					throw failed;
				});
			}
		};

		const sent: SentPart[] = [];
		while (arrived < texts.length) {
			if (signal.aborted) {
				throw stopped();
			}

			try {
				// oxlint-disable-next-line no-await-in-loop -- one part after the other
				sent.push(await sendPart(arrived));
			} catch (error) {
				throw texts.length > 1 && error instanceof DeliveryError
					? error.about(`part ${arrived + 1} of ${texts.length}`)
					: error;
			}
			arrived += 1;
			begunAt = undefined;
			try {
				// oxlint-disable-next-line no-await-in-loop -- one part after the other
				await write();
			} catch (error) {
				// All parts have arrived: the caller records that, and retries until it succeeds.
				if (arrived < texts.length) {
					throw error;
				}
			}
		}

		return summaryOf(sent, texts.length);
	};

/** `telegram 12 (message 881)`, `telegram 12 (3 parts: 881, 882, 883)`; a resumed try names only its own parts. */
function summaryOf(sent: readonly SentPart[], of: number): string {
	const [first] = sent;
	if (!first) {
		return 'already delivered by an earlier try';
	}

	const ids = sent.flatMap(({id}) => id ?? []).join(', ');
	const parts =
		of === 1
			? ids && `message ${ids}`
			: `${sent.length === of ? '' : `the last ${sent.length} of `}${of} parts${ids && `: ${ids}`}`;
	return parts === '' ? first.place : `${first.place} (${parts})`;
}
