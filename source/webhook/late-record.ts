import {messageOf} from '../core/errors.ts';
import type {World} from '../core/world.ts';
import type {DeliveryKey, Intake} from '../store/port.ts';

/** When a record that failed is tried again, milliseconds after the try before. */
const delaysMs = [2000, 10_000, 60_000, 300_000, 900_000] as const;

/** Records that may wait for another try: they hold their bodies. */
const maxWaiting = 64;

type Entry = Parameters<Intake['record']>[0];

export type LateRecords = {
	readonly intake: Intake;
	/** Tries what waits a last time, and waits for nothing: a store that closes writes what it was given. */
	close(): void;
};

/**
 * An intake for messages whose end is known when the journal fails. `record` rejects as before, and is tried again after 2 s, 10 s, 1 min, 5 min and 15 min, and before its identifier is
 * reserved once more; until then the identifier stays taken, as it was reserved. At most 64 records wait; those beyond are given up.
 *
 * @see manual/receiver.md#answers
 */
export function createLateRecords({
	intake,
	clock,
	log,
}: Pick<World, 'clock' | 'log'> & {readonly intake: Intake}): LateRecords {
	const waiting = new Map<Entry, () => void>();

	const record = async (entry: Entry, onFailure: (reason: string) => void) => {
		const {id: delivery} = entry.delivery;
		try {
			await intake.record(entry);
			log.info('Recorded a delivery that the journal had refused', {delivery});
		} catch (error) {
			onFailure(messageOf(error));
		}
	};

	const giveUp =
		({delivery: {id: delivery}}: Entry) =>
		(reason: string) => {
			log.error(`Cannot record a delivery, its identifier stays taken for the hour: ${reason}`, {
				delivery,
			});
		};

	const plan = (entry: Entry, tries: number, reason: string) => {
		const delayMs = delaysMs[tries];
		if (delayMs === undefined || waiting.size >= maxWaiting) {
			giveUp(entry)(reason);
			return;
		}

		const cancel = clock.after(delayMs, () => {
			waiting.delete(entry);
			void record(entry, failure => {
				plan(entry, tries + 1, failure);
			});
		});
		waiting.set(entry, cancel);
	};

	return {
		intake: {
			...intake,
			async reserve(delivery, idempotencyMs) {
				const late = [...waiting].find(([entry]) => nameOf(entry.delivery) === nameOf(delivery));
				if (late) {
					const [entry, cancel] = late;
					cancel();
					waiting.delete(entry);
					await record(entry, failure => {
						plan(entry, 0, failure);
					});
				}

				return intake.reserve(delivery, idempotencyMs);
			},
			async record(entry) {
				try {
					await intake.record(entry);
				} catch (error) {
					plan(entry, 0, messageOf(error));
					throw error;
				}
			},
		},
		close() {
			for (const [entry, cancel] of waiting) {
				cancel();
				void record(entry, giveUp(entry));
			}

			waiting.clear();
		},
	};
}

/** Names of profiles and routes hold no space. */
const nameOf = ({profile, route, deliveryId}: DeliveryKey) => `${profile} ${route} ${deliveryId}`;
