import type {Clock} from '../core/clock.ts';
import {idempotencyMs} from '../core/delivery.ts';

const maxKeys = 10_000;

export type HourMemory = {
	/** What was remembered of `key` within the hour, if anything. */
	recall(key: string): string | undefined;
	remember(key: string, value: string): void;
};

/** Short texts of the last hour, in memory, at most 10,000; the oldest go first. @see manual/receiver.md#order-of-decisions */
export function createHourMemory(clock: Clock): HourMemory {
	const entries = new Map<string, {readonly value: string; readonly at: number}>();

	return {
		recall(key) {
			const entry = entries.get(key);
			return entry && clock.monotonic() - entry.at < idempotencyMs ? entry.value : undefined;
		},
		remember(key, value) {
			entries.delete(key);
			entries.set(key, {value, at: clock.monotonic()});
			if (entries.size > maxKeys) {
				const [oldest = key] = entries.keys();
				entries.delete(oldest);
			}
		},
	};
}
