import {type TextRun, unmarkedText} from './parse.ts';

const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'});

/** How far around a position grapheme boundaries are looked for, UTF-16 units. */
const graphemeWindow = 256;

/** How far below the limit the search may stop, as a fraction of it: the cut moves back to a word anyway. */
const roomToSpare = 1 / 64;

/** Cuts after a line or a sentence if that uses at least half of the room, after a word if it uses a quarter; otherwise after the next smaller unit. The values are divisors. */
const least = {line: 2, sentence: 2, word: 4} as const;

/**
 * Cuts runs in two so that the first part fits (`over` as in `Room`): after a line, else a sentence, a word, a grapheme, a code point. `undefined` if not even a code point
 * fits. Line breaks or blanks between the two parts are dropped; in code at most one character.
 */
export function cutText(
	runs: readonly TextRun[],
	over: (runs: readonly TextRun[]) => number,
	kind: 'text' | 'code' = 'text',
): {readonly head: readonly TextRun[]; readonly tail: readonly TextRun[]} | undefined {
	const length = runs.reduce((sum, {text}) => sum + text.length, 0);
	const last = largest(length - 1, place => over(runsTo(runs, place)), roomToSpare);
	if (last === 0) {
		return undefined;
	}

	const text = unmarkedText(runsTo(runs, last + graphemeWindow));
	for (const place of placesUpTo(last, text, kind)) {
		const head = runsTo(runs, place);
		if (place > 0 && unmarkedText(head).trim() !== '' && over(head) <= 0) {
			return {head, tail: runsFrom(runs, place, kind)};
		}
	}

	const place = isTorn(text, last) ? last - 1 : last;
	return place === 0 ? undefined : {head: runsTo(runs, place), tail: runsFrom(runs, place, kind)};
}

/**
 * The largest number up to `max` for which `over` is not positive, or one smaller by a fraction of at most `slack`. `over` should grow about linearly: the search
 * interpolates between a few attempts.
 */
export function largest(max: number, over: (count: number) => number, slack = 0): number {
	let [low, lowOver, rate] = [0, NaN, NaN];
	let [high, highOver] = [max + 1, NaN];
	let count = 1;
	for (let tries = 1; high - low > Math.max(1, low * slack); tries += 1) {
		const found = over(count);
		if (found <= 0) {
			rate = (found - lowOver) / (count - low);
			[low, lowOver] = [count, found];
		} else {
			[high, highOver] = [count, found];
		}

		const share = lowOver / (lowOver - highOver);
		const aim =
			high > max
				? low + (rate > 0 ? -lowOver / rate : low * 7)
				: low + (high - low) * (share > 0 && tries % 4 > 0 ? share : 1 / 2);
		count = Math.min(high - 1, Math.max(low + 1, Math.floor(aim)));
	}

	return low;
}

/** Positions to cut at, best first. */
function* placesUpTo(last: number, text: string, kind: 'text' | 'code'): Generator<number> {
	const line = text.lastIndexOf('\n', last);
	if (line >= (kind === 'code' ? 1 : last / least.line)) {
		yield line;
	}

	if (kind === 'text') {
		const from = Math.ceil(last / least.sentence);
		const ends = [...text.slice(from, last + 1).matchAll(/[.!?…]["')\]]*(?=\s)|[。！？]/g)];
		const end = ends.at(-1);
		if (end) {
			yield from + end.index + end[0].length;
		}
	}

	for (let word = last; word >= last / least.word; word -= 1) {
		if (/\s/.test(text.charAt(word))) {
			yield word;
			break;
		}
	}

	const from = Math.max(0, last - graphemeWindow);
	const grapheme = graphemes.segment(text.slice(from)).containing(last - from);
	if (grapheme && grapheme.index > 0) {
		yield from + grapheme.index;
	}
}

const isTorn = (text: string, place: number): boolean =>
	/^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(place - 1, place + 1));

function runsTo(runs: readonly TextRun[], place: number): readonly TextRun[] {
	const head: TextRun[] = [];
	let length = 0;
	for (const run of runs) {
		if (length + run.text.length >= place) {
			return place > length ? [...head, {...run, text: run.text.slice(0, place - length)}] : head;
		}

		head.push(run);
		length += run.text.length;
	}

	return head;
}

function runsFrom(
	runs: readonly TextRun[],
	place: number,
	kind: 'text' | 'code',
): readonly TextRun[] {
	let length = 0;
	const index = runs.findIndex(({text}) => (length += text.length) > place);
	const run = runs[index];
	if (!run) {
		return [];
	}

	const between = kind === 'code' ? /^\s/ : /^(?:\n+|[^\S\n]+)/;
	const text = run.text.slice(run.text.length - (length - place)).replace(between, '');
	const others = runs.slice(index + 1);
	return text === '' ? others : [{...run, text}, ...others];
}
