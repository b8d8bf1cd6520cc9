/* oxlint-disable no-control-regex -- control sequences are the subject */
/** Sequences that the program may write, each with its reason; everything else that begins with a control is foreign. */
const allowed: readonly RegExp[] = [
	// Line ends, carriage return.
	/^[\r\n]+/,
	// Bell, for approvals.
	/^\u0007/,
	// Cursor movement and erasing within the screen; never the scrollback (3J).
	/^\u001B\[\d*(?:;\d*)?[ABCDEFGHdf]/,
	/^\u001B\[[012]?[JK]/,
	/^\u001B\[\d*[XP@LMST]/,
	// Colours and attributes, but not hidden text (8).
	/^\u001B\[(?:(?!8[;m])\d+(?:;(?!8[;m])\d+)*)?m/,
	/^\u001B\[(?:38|48);5;\d+m/,
	/^\u001B\[(?:38|48);2;\d+;\d+;\d+m/,
	// Alternate screen, cursor, bracketed paste, synchronised output, focus and mouse reports.
	/^\u001B\[\?(?:1049|25|2004|2026|1004|1000|1002|1003|1006)[hl]/,
	// Kitty keyboard: query, push, pop.
	/^\u001B\[(?:\?u|>\d+u|<u)/,
	// Title: push, set, pop.
	/^\u001B\[2[23];2t/,
	/^\u001B\]2;[^\p{Cc}]*\u0007/u,
	// What the background is, and whether anything more comes.
	/^\u001B\]11;\?\u0007\u001B\[c/,
	// Copying.
	/^\u001B\]52;c;[A-Za-z0-9+/=]*\u0007/,
	/^\u001BPtmux;\u001B\u001B\]52;c;[A-Za-z0-9+/=]*\u0007\u001B\\/,
];

/** What no program may print to a person: controls that are no sequence, hidden and direction-changing characters. */
const suspicious =
	/[\p{Cc}\p{Cs}\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/u;

/** Sequences in `output` that are not on the list above, each with what follows; at most ten. */
export function foreignSequences(output: string): readonly string[] {
	const foreign: string[] = [];
	let rest = output;
	while (rest !== '' && foreign.length < 10) {
		const index = rest.search(suspicious);
		if (index === -1) {
			break;
		}

		rest = rest.slice(index);
		const known = allowed
			.map(pattern => pattern.exec(rest)?.[0])
			.find(match => match !== undefined);
		if (known === undefined) {
			foreign.push(JSON.stringify(rest.slice(0, 40)));
		}

		rest = rest.slice(known?.length ?? 1);
	}

	return foreign;
}
