import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {doubtNow, proposalsNow} from '../filter/completing.ts';
import {line, type Line, type Span} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {LineRow} from '../view/line-block.tsx';
import {useStore, useShell, usePane} from '../view/shell-context.ts';

/** The row above a filter's field: its completions, or its problem. */
export function ProposalsRow({width}: {readonly width: number}) {
	const shell = useShell();
	usePane();
	// Payload fields become available when the payload is loaded.
	useStore(shell.loads, count => count);
	return <LineRow row={proposalLine(shell, width)} width={width} />;
}

/** What Tab inserts, or the problem. */
function proposalLine(shell: Shell, width: number): Line {
	const {words, chosen = -1} = proposalsNow(shell);
	if (words.length > 0) {
		return [{text: literal(' tab '), tone: 'accent'}, ...wordSpans(words, chosen, width - 6)];
	}

	const {problem} = shell.openList()?.get().filter ?? {};
	if (problem !== undefined) {
		return line(safe` ✗ ${escapeLine(problem)}; the rest applies`, 'bad');
	}

	const doubt = doubtNow(shell);
	return doubt === undefined
		? line(literal(' esc clears   enter back to the list'), 'quiet')
		: line(safe` ? ${escapeLine(doubt)}`, 'warn');
}

/** As many words as fit, including the chosen one. */
function wordSpans(words: readonly string[], chosen: number, width: number): readonly Span[] {
	const texts = words.map((word): Safe => escapeLine(word));
	const cells = texts.map(text => widthOf(text) + 1);
	const sum = (from: number, to: number) =>
		cells.slice(from, to).reduce((total, one) => total + one, 0);
	let from = 0;
	while (from < chosen && sum(from, chosen + 1) + 4 > width) {
		from += 1;
	}

	let to = from;
	while (to < texts.length && sum(from, to + 1) + 4 <= width) {
		to += 1;
	}

	// A word that is too long is cut by the row.
	to = Math.max(to, from + 1);
	return [
		{text: from > 0 ? literal('… ') : literal(''), tone: 'quiet'},
		...texts.slice(from, to).map((text, index): Span => {
			const isChosen = from + index === chosen;
			return {text: safe`${text} `, tone: isChosen ? 'strong' : 'plain'};
		}),
		{text: to < texts.length ? literal('…') : literal(''), tone: 'quiet'},
	];
}
