import type {Safe} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {own} from '../../terminal/text/safe.ts';
import type {Filter} from '../filter/filter.ts';
import {clean, type Line, type Span} from '../panes/line.ts';

/** Parts of a title with a rule between them and to the end: `── Traffic ── route:gh-* ── 312 of 4,812 ─────`. */
export function ruleLine(parts: readonly Line[], width: number): Line {
	const spans = parts
		.filter(part => part.length > 0)
		.flatMap((part): Line => [{text: own('── '), tone: 'quiet'}, ...part, {text: own(' ')}]);
	const used = spans.reduce((sum, span) => sum + widthOf(span.text), 0);
	return [...spans, {text: clean('─'.repeat(Math.max(0, width - used))), tone: 'quiet'}];
}

/** A filter as it was typed, with what is not applied marked, and the reason of the first such part. */
export function filterSpans(text: string, {pieces, problem}: Filter<never>): Line {
	if (text.trim() === '') {
		return [];
	}

	const spans: Span[] = pieces.flatMap(({start, end, problem: wrong}, index) => [
		...(index > 0 ? [{text: own(' ')}] : []),
		{
			text: clean(text.slice(start, end)),
			tone: wrong === undefined ? 'accent' : 'invalid',
		} as const,
	]);
	return problem === undefined ? spans : [...spans, {text: clean(`  ✗ ${problem}`), tone: 'bad'}];
}

/** `4,812`. */
export const grouped = (count: number): Safe =>
	clean(String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ','));
