import type {Clock} from '../../core/clock.ts';
import {reasonIn} from './stderr-reason.ts';

/** Lines that are kept of the beginning, and in all. */
const headLines = 40;
const maxLines = 120;

/** Of a server that had worked, what it said longer ago than this has nothing to do with its end. */
const recentMs = 10_000;

export type StderrMemory = {
	/** `line` is cleaned, redacted and short. */
	push(line: string): void;
	last(): string | undefined;
	/** The line that says what is wrong, and where the rest is when there is more; `undefined` when it said nothing. */
	reason(options: {readonly isEstablished: boolean}): string | undefined;
};

/** The first and the last lines of a server's standard error. */
export function createStderrMemory(clock: Clock): StderrMemory {
	const lines: Array<{readonly at: number; readonly text: string}> = [];
	return {
		push(text) {
			if (lines.length >= maxLines) {
				lines.splice(headLines, 1);
			}

			lines.push({at: clock.monotonic(), text});
		},
		last: () => lines.at(-1)?.text,
		reason({isEstablished}) {
			const since = isEstablished ? clock.monotonic() - recentMs : 0;
			const recent = lines.filter(({at}) => at >= since);
			const line = reasonIn((recent.length > 0 ? recent : lines.slice(-1)).map(({text}) => text));
			return line === undefined || lines.length === 1
				? line
				: `${line} (the rest is in logs/mcp-stderr.log)`;
		},
	};
}
