/** A call of the process in the sandbox, one JSON object a line; `id` comes back with the answer. */
export type HelperCall = {readonly id: number} & HelperAsk;

export type HelperAsk =
	/** `offset`: the first line, from 1; `limit`: lines at most. */
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
	/** What a change would do; changes nothing. */
	| {readonly act: 'preview'; readonly change: FileChange}
	/** `basis`: of the preview, whose file the change must find unchanged; absent: any file. */
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

/** What a change would do. Texts are those of the files, unclean. */
export type ChangePreview = {
	/** Where the path leads, links followed. */
	readonly real: string;
	/** The present file, for a person: `nothing: a new file`. */
	readonly now: string;
	/** As in `diff -u`, from the first `@@` on; absent where it is too large to be read. */
	readonly lines?: readonly string[];
	/** Identifies the present file and its place. */
	readonly basis: string;
};

export const lineFeed = 10;

/** Cuts a stream of bytes into lines. */
export function createLineCutter() {
	let pieces: Buffer[] = [];
	return {
		/** The lines that end in `chunk`. */
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
		/** Bytes of the line that has not ended. */
		heldBytes: () => pieces.reduce((sum, {length}) => sum + length, 0),
	};
}

/** Bytes of a text that is written, or takes the place of another. */
export const maxContentBytes = 5_000_000;

/** Bytes of a file that is read whole. */
export const maxWholeBytes = 20_000_000;

export const maxReadLines = 2000;

/** Bytes of a file in one answer; less than the limit of any tool result. */
export const maxReadBytes = 399_000;

export const maxHits = 200;
