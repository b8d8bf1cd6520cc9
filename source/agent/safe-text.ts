import type {Redact} from '../core/redact.ts';
import {createRedactedPieces} from '../core/redacted-pieces.ts';

/** What the model says, on its way to those who read along. */
export type SafeText = {
	/** Another answer begins; what is still held back of the one before is forgotten. */
	begin(): void;
	add(text: string): Promise<void>;
	/** The answer is whole: nothing is held back any more. */
	end(): Promise<void>;
};

/**
 * Redacts a text that comes in pieces. What may be the beginning of a credential is held back until it is known what it is: mostly the last word. `write` is awaited;
 * `begins` says that its text is the first of an answer.
 */
export function createSafeText({
	redact,
	write,
}: {
	readonly redact: Redact;
	readonly write: (text: string, begins: boolean) => Promise<void>;
}): SafeText {
	let pieces = createRedactedPieces(redact);
	let begins = true;

	const pass = async (text: string) => {
		if (text !== '') {
			const first = begins;
			begins = false;
			await write(text, first);
		}
	};

	return {
		begin() {
			pieces = createRedactedPieces(redact);
			begins = true;
		},
		add: async text => pass(pieces.add(text)),
		end: async () => pass(pieces.end()),
	};
}
