import {boundText} from '../core/bounds.ts';
import {redactJson} from '../core/redact.ts';
import type {TranscriptEntry} from '../core/run.ts';
import type {World} from '../core/world.ts';

/** Longest text of one entry, in bytes of UTF-8. */
const maxEntryBytes = 64 * 1024;

/** Writes down what happens in a run, as it happens. */
export type Transcript = {
	/** Adds an entry; does nothing after `close()`. */
	add(kind: TranscriptEntry['kind'], text: string, data?: TranscriptEntry['data']): void;
	/** What comes late (a tool that ignored its signal) is no longer part of the run. */
	close(): void;
};

/**
 * A transcript that stamps, redacts and bounds each entry, then hands it to `write`. Redaction comes first: a secret cut in half
 * would not be found.
 */
export function createTranscript(
	world: Pick<World, 'clock' | 'redact'> & {
		readonly write: (entry: TranscriptEntry) => void;
	},
): Transcript {
	const {clock, redact, write} = world;
	let open = true;
	return {
		add(kind, text, data) {
			if (open) {
				const entry = {at: clock.now(), kind, text: boundText(redact(text), maxEntryBytes)};
				write(data ? {...entry, data: redactJson(data, redact.known ?? redact)} : entry);
			}
		},
		close() {
			open = false;
		},
	};
}
