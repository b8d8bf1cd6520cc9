import type {Clock} from '../core/clock.ts';

const mebibyte = 1024 * 1024;
const secondMs = 1000;

/** What may be noted in a second, and what may wait to be written. */
const whole = {perSecond: 50, waitingBytes: 4 * mebibyte};
/** The part of it that rejections may take. */
const rejections = {perSecond: 10, waitingBytes: 2 * mebibyte};

/** What a note weighs beside its body, in bytes: trace, headers and overhead, roughly. */
export const noteOverheadBytes = 1024;

/** How much a note weighs, and whether it is about a rejection: those can be had by any stranger. */
export type NoteWeight = {readonly bytes: number; readonly isRejection: boolean};

/** How much is noted of what changes nothing, so that a flood of requests cannot fill the disk, nor one of rejections hide the rest. */
export type NoteBudget = {
	/**
	 * Whether another note may wait: at most 50 a second and 4 MiB at once, of which rejections have at most 10 and 2 MiB. A refused one is
	 * counted.
	 */
	take(weight: NoteWeight): boolean;
	/** The note is written or given up. */
	release(weight: NoteWeight): void;
	dropped(): number;
};

export function createNoteBudget(clock: Clock): NoteBudget {
	const all = createShare(clock, whole);
	const rejected = createShare(clock, rejections);
	let dropped = 0;
	const sharesOf = ({isRejection}: NoteWeight) => (isRejection ? [all, rejected] : [all]);
	return {
		take(weight) {
			const shares = sharesOf(weight);
			if (!shares.every(share => share.hasRoomFor(weight.bytes))) {
				dropped += 1;
				return false;
			}

			for (const share of shares) {
				share.add(weight.bytes);
			}

			return true;
		},
		release(weight) {
			for (const share of sharesOf(weight)) {
				share.remove(weight.bytes);
			}
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
