import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {doubtNow, proposalsNow} from '../filter/completing.ts';
import {line, type Line, type Span} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {LineRow} from '../view/line-block.tsx';
import {useStore, useShell, usePane} from '../view/shell-context.ts';

/** Above the field of a filter: how it may go on, or what is wrong with it. */
export function ProposalsRow({width}: {readonly width: number}) {
	const shell = useShell();
	usePane();
	// The fields of the payload that is there by then.
	useStore(shell.loads, count => count);
	return <LineRow row={proposalLine(shell, width)} width={width} />;
}

/** What Tab puts in, or what is wrong. */
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

/** As many as fit, the chosen one among them. */
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

	// One that is too long is cut by the row.
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
