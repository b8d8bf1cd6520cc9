import type {Clock} from '../core/clock.ts';
import {isRejection, type StoredDelivery} from '../core/delivery.ts';

const mebibyte = 1024 * 1024;
const secondMs = 1000;

/** What may be noted in a second, and what may wait to be written. */
const whole = {perSecond: 50, waitingBytes: 4 * mebibyte};
/** The part of it that rejections may take. */
const rejections = {perSecond: 10, waitingBytes: 2 * mebibyte};

/** What a note weighs beside its body, in bytes: trace, headers and overhead, roughly. */
const noteOverheadBytes = 1024;

export type NoteBudget = ReturnType<typeof createNoteBudget>;

/** How much is noted of what changes nothing, so that a flood of requests cannot fill the disk, nor one of rejections hide the rest. */
export function createNoteBudget(clock: Clock) {
	const all = createShare(clock, whole);
	const rejected = createShare(clock, rejections);
	let dropped = 0;
	return {
		/** Whether another note may wait: at most 50 a second and 4 MiB at once, of which rejections, which any stranger can make, have at most 10 and 2 MiB. A refused note is counted; for an accepted one the result is called once it is written or given up. */
		take(delivery: StoredDelivery): (() => void) | undefined {
			const bytes = noteOverheadBytes + (delivery.body?.byteLength ?? 0);
			const shares = isRejection(delivery) ? [all, rejected] : [all];
			if (!shares.every(share => share.hasRoomFor(bytes))) {
				dropped += 1;
				return undefined;
			}

			for (const share of shares) {
				share.add(bytes);
			}

			return () => {
				for (const share of shares) {
					share.remove(bytes);
				}
			};
		},
		dropped: () => dropped,
	};
}

function createShare(clock: Clock, {perSecond, waitingBytes}: typeof whole) {
	let secondStart = Number.NEGATIVE_INFINITY;
	let taken = 0;
	let waiting = 0;
	return {
		hasRoomFor(bytes: number): boolean {
			if (clock.monotonic() - secondStart >= secondMs) {
				secondStart = clock.monotonic();
				taken = 0;
			}

			return taken < perSecond && waiting + bytes <= waitingBytes;
		},
		add(bytes: number) {
			taken += 1;
			waiting += bytes;
		},
		remove(bytes: number) {
			waiting -= bytes;
		},
	};
}
