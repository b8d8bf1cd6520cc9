import type {Redact} from '../core/redact.ts';

/** What the model says, on its way to those who read along. */
export type SafeText = {
	/** Another answer begins; what is still held back of the one before is forgotten. */
	begin(): void;
	add(text: string): Promise<void>;
	/** The answer is whole: nothing is held back any more. */
	end(): Promise<void>;
};

/** What is longer is no credential: nobody waits for its end. */
const maxHeldLength = 32_768;

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
	let held = '';
	let begins = true;

	const pass = async (text: string) => {
		if (text !== '') {
			const first = begins;
			begins = false;
			await write(text, first);
		}
	};

	const flush = async () => {
		const rest = held;
		held = '';
		await pass(redact(rest));
	};

	return {
		begin() {
			held = '';
			begins = true;
		},
		async add(text) {
			held += text;
			const head = held.slice(0, redact.openFrom?.(held) ?? held.length);
			const tail = held.slice(head.length);
			const shown = redact(head);
			// A credential that lies across the cut is found in the whole, and not in its halves.
			if (held.length > maxHeldLength) {
				await flush();
			} else if (tail === '' || shown + redact(tail) === redact(held)) {
				held = tail;
				await pass(shown);
			}
		},
		end: flush,
	};
}
