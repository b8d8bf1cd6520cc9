/** A call of the process in the sandbox, one JSON object per line; `id` is repeated in the answer. */
export type HelperCall = {readonly id: number} & HelperAsk;

export type HelperAsk =
	/** `offset`: the first line, from 1; `limit`: the most lines. */
	| {
			readonly act: 'read';
			readonly path: string;
			readonly offset: number;
			readonly limit: number;
	  }
	| {
			readonly act: 'search';
			readonly path: string;
			readonly pattern: string;
			readonly glob?: string;
	  }
	/** Computes the effect of a change without making it. */
	| {readonly act: 'preview'; readonly change: FileChange}
	/** `basis`: from the preview; the file must be unchanged since. Absent: not checked. */
	| {readonly act: 'change'; readonly change: FileChange; readonly basis?: string};

export type FileChange =
	| {readonly kind: 'write'; readonly path: string; readonly content: string}
	| {
			readonly kind: 'edit';
			readonly path: string;
			readonly oldText: string;
			readonly newText: string;
	  };

export type HelperAnswer = {
	readonly id: number;
	readonly text: string;
	readonly isError?: boolean;
	readonly preview?: ChangePreview;
};

/** The effect of a change. Texts are the files' own, unescaped. */
export type ChangePreview = {
	/** The path's target, following links. */
	readonly real: string;
	/** Describes the current file to a person: `nothing: a new file`. */
	readonly now: string;
	/** As in `diff -u`, from the first `@@` on; absent if the change is too large to compare. */
	readonly lines?: readonly string[];
	/** Identifies the current file and its location. */
	readonly basis: string;
};

export const lineFeed = 10;

/** Splits a stream of bytes into lines. */
export function createLineCutter() {
	let pieces: Buffer[] = [];
	return {
		/** The lines completed by `chunk`. */
		add(chunk: Buffer): readonly string[] {
			const lines: string[] = [];
			let rest = chunk;
			for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed)) {
				lines.push(Buffer.concat([...pieces, rest.subarray(0, end)]).toString());
				pieces = [];
				rest = rest.subarray(end + 1);
			}

			pieces.push(rest);
			return lines;
		},
		/** The size of the incomplete line. */
		heldBytes: () => pieces.reduce((sum, {length}) => sum + length, 0),
	};
}

/** The largest text that is written or inserted, in bytes. */
export const maxContentBytes = 5_000_000;

/** The largest file that is read whole, in bytes. */
export const maxWholeBytes = 20_000_000;

export const maxReadLines = 2000;

/** The most bytes of a file in one answer; below the limit of any tool result. */
export const maxReadBytes = 399_000;

export const maxHits = 200;
