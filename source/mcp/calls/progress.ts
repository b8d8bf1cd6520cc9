import type {Progress} from '@modelcontextprotocol/client';
import type {Clock} from '../../core/clock.ts';
import type {Redact} from '../../core/redact.ts';
import {cell} from '../../core/untrusted.ts';

/** At most 5 in a second. */
const pauseMs = 200;
const longestLine = 200;

/** Tells `onProgress` of a call's progress in one cleaned line, at most 5 times in a second; what comes faster is not told. */
export function createProgressReporter(
	onProgress: (text: string) => void,
	{clock, redact}: {readonly clock: Clock; readonly redact: Redact},
): (progress: Progress) => void {
	let next = -Infinity;
	return progress => {
		const now = clock.monotonic();
		if (now >= next) {
			next = now + pauseMs;
			onProgress(cell(redact(lineOf(progress)), longestLine).text);
		}
	};
}

function lineOf({progress, total, message}: Progress): string {
	const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
	return message ? `${message.slice(0, longestLine * 2)} (${count})` : count;
}
