import type {Clock} from '../core/clock.ts';
import {isRejection, type StoredDelivery} from '../core/delivery.ts';

const mebibyte = 1024 * 1024;
const secondMs = 1000;

/** Limits of all notes: number per second, and total size waiting to be written. */
const whole = {perSecond: 50, waitingBytes: 4 * mebibyte};
/** The part of these limits that rejections may use. */
const rejections = {perSecond: 10, waitingBytes: 2 * mebibyte};

/** Estimated size of a note without its body, bytes: trace, headers and overhead. */
const noteOverheadBytes = 1024;

export type NoteBudget = ReturnType<typeof createNoteBudget>;

/** Limits how much is stored about requests that change nothing, so that a flood of them cannot fill the disk, nor a flood of rejections hide the rest. */
export function createNoteBudget(clock: Clock) {
	const all = createShare(clock, whole);
	const rejected = createShare(clock, rejections);
	let dropped = 0;
	return {
		/**
		 * Reserves room for a note: at most 50 a second and 4 MiB waiting, of which rejections, which any stranger can cause, get at most 10 and 2 MiB. `undefined` when refused,
		 * which is counted; otherwise call the result once the note is written or given up.
		 */
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
