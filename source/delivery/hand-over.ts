import {createHash} from 'node:crypto';
import {sleep} from '../core/clock.ts';
import {idempotencyMs} from '../core/delivery.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {createKeyedMutex} from '../core/keyed-mutex.ts';
import {within} from '../core/within.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {Sender, SenderWorld, TargetKind} from '../platforms/target-kind.ts';

/** How long sending one part may take, and how long one may be waited for besides, as its platform asks or before it is repeated, milliseconds: of a run, and while the sender of an event waits. */
const limits = {
	run: {sendMs: 30_000, waitMs: 60_000},
	direct: {sendMs: 5000, waitMs: 5000},
} as const;

/** Pause before the first repetition of a part that may have arrived; each further one is four times as long. */
const firstRepeatMs = 1000;

const memoKind = 'delivery';

/** Texts that may wait for others to the same place. */
const maxWaiting = 32;

/** What is kept of a delivery beyond this process. */
type Note = {
	/** Digest of its text, its parts and its place: of another one nothing has arrived. */
	readonly digest: string;
	/** Parts that have arrived. */
	readonly arrived: number;
	/** When the next part was first begun, as long as nobody knows how that ended; milliseconds since 1970. */
	readonly begunAt?: number;
	/** When this was written. */
	readonly at: number;
};

type Delivery = {
	readonly kind: Pick<TargetKind, 'kind' | 'afterBreak' | 'keyWindowMs'>;
	readonly sender: Pick<Sender<unknown>, 'split' | 'send'>;
	readonly message: OutgoingMessage;
	readonly address: unknown;
	readonly signal: AbortSignal;
};

type HandOverWorld = Pick<SenderWorld, 'clock' | 'memos'>;

/**
 * Sends the parts of a text, one after the other. Of a kind that is `resumed` each step is noted before it happens, so that another try, also of another process, goes on with the part
 * that has not arrived; and texts to one place follow each other whole. Resolves with a line for a person.
 *
 * @throws DeliveryError, and what `Memos.put` throws
 * @see manual/delivery.md#tries
 */
export function createHandOver(world: HandOverWorld): (delivery: Delivery) => Promise<string> {
	const turns = createKeyedMutex(maxWaiting);
	const sendParts = createSendParts(world);
	return async delivery => {
		const {kind, address, signal} = delivery;
		if (kind.afterBreak !== 'resumed') {
			return sendParts(delivery);
		}

		const turn = Promise.withResolvers<void>();
		const sent = turns.runExclusive(JSON.stringify([kind.kind, address]), async () => {
			turn.resolve();
			return sendParts(delivery);
		});
		try {
			// Its own end counts once it is under way: what was written may have arrived.
			await within(Promise.race([turn.promise, sent]), signal);
		} catch (error) {
			void sent.catch(() => {});
			throw signal.aborted && !(error instanceof DeliveryError) ? stopped() : error;
		}

		const summary = await sent;
		if (summary === undefined) {
			throw new DeliveryError(
				'delivery_busy',
				`Cannot deliver: more than ${maxWaiting} texts wait for the same chat`,
			);
		}

		return summary;
	};
}

const stopped = () =>
	new DeliveryError('delivery_aborted', 'Cannot deliver: the delivery was stopped');

const createSendParts =
	({clock, memos}: HandOverWorld) =>
	async ({kind, sender, message, address, signal}: Delivery): Promise<string> => {
		const {sendMs, waitMs} = limits[message.runId === undefined ? 'direct' : 'run'];
		const texts = sender.split?.(message.text) ?? [message.text];
		const name = nameOf(message);
		const digest = hashOf([kind.kind, address ?? null, texts]);
		const notes = kind.afterBreak === 'resumed' ? memos : undefined;
		let {arrived, begunAt} = startOf(noteIn(await notes?.get(memoKind, name)), {
			digest,
			message,
			now: clock.now(),
		});
		const write = async () => {
			const note: Note = {
				digest,
				arrived,
				at: clock.now(),
				...(begunAt !== undefined && {begunAt}),
			};
			await notes?.put(memoKind, name, note);
		};

		/** Whether the platform would take a part that was first begun at `from` only once, `afterMs` from now. A clock that was set back knows nothing. */
		const isKnownAgain = (from: number, afterMs = 0) => {
			const age = clock.now() + afterMs - from;
			return age >= 0 && age < (kind.keyWindowMs ?? 0);
		};

		/** A failure of a part that an earlier try, or this one, may have sent. */
		const doubtful = (failure: DeliveryError, from: number): DeliveryError =>
			new DeliveryError(
				'delivery_uncertain',
				failure.isUncertain
					? failure.message
					: `${failure.message}; an earlier try of it may have arrived`,
				{
					isUncertain: true,
					...((failure.isUncertain || failure.retryable) && isKnownAgain(from) && {passes: true}),
					...(failure.isPlatformDown && {isDown: true}),
					...(failure.retryAfterMs !== undefined && {retryAfterMs: failure.retryAfterMs}),
				},
			);

		const sendPart = async (index: number): Promise<string> => {
			const part = {
				index,
				of: texts.length,
				key: hashOf([name, digest, index]).slice(0, 25),
				limitMs: sendMs,
				signal,
			};
			let [waitedMs, repeatMs] = [0, firstRepeatMs];
			for (;;) {
				const isInDoubt = begunAt !== undefined;
				if (begunAt !== undefined && !isKnownAgain(begunAt)) {
					throw new DeliveryError(
						'delivery_uncertain',
						`Cannot go on: an earlier try broke off while it sent part ${index + 1} of ${texts.length}, which may have arrived`,
					);
				}

				begunAt ??= clock.now();
				const from = begunAt;
				// oxlint-disable-next-line no-await-in-loop -- one try after the other
				await write();
				let failure: DeliveryError;
				try {
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
					return await sender.send({...message, text: texts[index] ?? ''}, address, part);
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

				const pauseMs = isUncertain ? repeatMs : retryable ? retryAfterMs : undefined;
				if (
					pauseMs === undefined ||
					waitedMs + pauseMs > waitMs ||
					(begunAt !== undefined && !isKnownAgain(begunAt, pauseMs))
				) {
					throw failure;
				}

				waitedMs += pauseMs;
				repeatMs *= isUncertain ? 4 : 1;
				try {
					// oxlint-disable-next-line no-await-in-loop -- a pause between two tries
					await sleep(clock, pauseMs, signal);
				} catch {
					throw failure;
				}
			}
		};

		let summary = 'all of it had arrived before';
		while (arrived < texts.length) {
			if (signal.aborted) {
				throw stopped();
			}

			// oxlint-disable-next-line no-await-in-loop -- one part after the other
			summary = await sendPart(arrived);
			arrived += 1;
			begunAt = undefined;
			try {
				// oxlint-disable-next-line no-await-in-loop -- one part after the other
				await write();
			} catch (error) {
				// All of it is out: whoever hands it over writes that down, and tries as long as it takes.
				if (arrived < texts.length) {
					throw error;
				}
			}
		}

		return texts.length === 1 ? summary : `${summary} (${texts.length} parts)`;
	};

/** Where a delivery begins, by what is noted of it. @throws DeliveryError `delivery_uncertain` when a part of another text is out whose end nobody saw */
function startOf(
	note: Note | undefined,
	{
		digest,
		message: {runId, startedAt},
		now,
	}: {readonly digest: string; readonly message: OutgoingMessage; readonly now: number},
): {readonly arrived: number; readonly begunAt?: number | undefined} {
	// Senders may use an identifier again for another event later.
	if (!note || (runId === undefined && now - note.at >= idempotencyMs)) {
		return {arrived: 0};
	}

	// A person has put the run back since: that is their word that the part may be sent again.
	const isReleased = note.begunAt !== undefined && (startedAt ?? 0) > note.begunAt;
	const begunAt = isReleased ? undefined : note.begunAt;
	if (note.digest === digest) {
		return {arrived: note.arrived, begunAt};
	}

	if (begunAt !== undefined) {
		throw new DeliveryError(
			'delivery_uncertain',
			'Cannot go on: an earlier try broke off while it sent another text or to another place, where a part may have arrived',
		);
	}

	return {arrived: 0};
}

/** What a delivery is called: the same for each try. */
const nameOf = ({profile, route, delivery, identifier, runId}: OutgoingMessage): string =>
	JSON.stringify([profile, route, identifier ?? delivery ?? null, runId ?? null]);

const hashOf = (value: unknown): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('hex');

function noteIn(memo: JsonValue | undefined): Note | undefined {
	if (!isJsonObject(memo)) {
		return undefined;
	}

	const {digest, arrived, begunAt, at} = memo;
	return typeof digest === 'string' && typeof arrived === 'number' && typeof at === 'number'
		? {digest, arrived, at, ...(typeof begunAt === 'number' && {begunAt})}
		: undefined;
}
