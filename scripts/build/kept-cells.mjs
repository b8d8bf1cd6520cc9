// What the patched Ink keeps from frame to frame of the texts that it draws: their cells, their lines, and what leads from one look to another. Every bound is of a few screens.

/** Cells of a few screens, and as many texts: what is on the screen now, and what it showed before. */
const maxCells = 32_768;
const maxTexts = 8192;
/** Changes of looks; a theme has some dozens. */
const maxChanges = 4096;

/** What a row of the screen begins as. Ink replaces cells and never changes one, so that they may all be the same. */
const blank = {type: 'char', value: ' ', fullWidth: false, styles: []};

/** A row of blank cells. */
export const blankRow = width => Array.from({length: width}, () => blank);

const isSameLook = (one, other) =>
	one === other ||
	(one.length === other.length &&
		one.every(({code, endCode}, at) => code === other[at].code && endCode === other[at].endCode));

const nameOf = styles => styles.map(({code}) => code).join('');

/** What `toText`, Ink's own way from cells to text, makes of cells, of which some may be missing here. The codes that lead from one look to another are kept. */
function createTextOf(toText) {
	const known = new Map();
	const [before, after] = ['\u0000', '\u0001'];
	const plain = [];
	const between = (from, to) => {
		const text = toText([
			{value: before, styles: from},
			{value: after, styles: to},
		]);
		return text.slice(text.indexOf(before) + 1, text.indexOf(after));
	};

	const change = (from, to) => {
		const name = `${nameOf(from)} ${nameOf(to)}`;
		let codes = known.get(name);
		if (codes === undefined) {
			if (known.size >= maxChanges) {
				known.clear();
			}

			codes = between(from, to);
			known.set(name, codes);
		}

		return codes;
	};

	return cells => {
		let text = '';
		let looks = plain;
		for (const cell of cells) {
			if (cell === undefined) {
				continue;
			}

			if (!isSameLook(looks, cell.styles)) {
				text += change(looks, cell.styles);
				looks = cell.styles;
			}

			text += cell.value;
		}

		return isSameLook(looks, plain) ? text : text + change(looks, plain);
	};
}

/**
 * `latest()` gives the caches of a frame, which are those of the frame before unless they are full. `OutputCaches` is Ink's class of them, `toText` makes text of cells.
 */
export function createKept(OutputCaches, toText) {
	const textOf = createTextOf(toText);

	class KeptCaches extends OutputCaches {
		lines = new Map();
		cells = 0;

		/** The cells also know how many columns they take (`columns`), and whether each takes one (`isEven`, of the list). */
		getStyledChars(text) {
			const known = this.styledChars.size;
			const cells = super.getStyledChars(text);
			if (this.styledChars.size > known) {
				this.cells += cells.length;
				this.#learn(cells);
			}

			return cells;
		}

		getLines(text) {
			let cached = this.lines.get(text);
			if (cached === undefined) {
				const lines = [[]];
				for (const cell of this.getStyledChars(text)) {
					if (cell.value === '\n') {
						lines.push([]);
					} else {
						lines.at(-1).push(cell);
					}
				}

				cached = lines.map(line => textOf(line));
				this.lines.set(text, cached);
			}

			return cached;
		}

		get isFull() {
			return this.cells > maxCells || this.widths.size > maxTexts || this.lines.size > maxTexts;
		}

		#learn(cells) {
			let last;
			let isEven = true;
			for (const cell of cells) {
				const width = this.getStringWidth(cell.value);
				isEven &&= width === 1;
				cell.columns = Math.max(1, width);
				// Of one look there is one list of styles, so that a change is seen at once.
				if (last && isSameLook(last, cell.styles)) {
					cell.styles = last;
				}

				last = cell.styles;
			}

			cells.isEven = isEven;
		}
	}

	let kept = new KeptCaches();
	return {
		textOf,
		latest() {
			if (kept.isFull) {
				kept = new KeptCaches();
			}

			return kept;
		},
	};
}
