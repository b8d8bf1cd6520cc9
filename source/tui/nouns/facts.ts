import {escapeLine} from '../../core/untrusted.ts';
import type {AsOf, Fact, Noun} from '../../nouns/noun.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {blankLine, clipLine, line, wrapText, type Line, type Span} from '../lines/line.ts';
import {meterText, meterTone} from './table.ts';

/** The facts about an item in rows of `width` cells. */
export function nounDetail<Item, More>(
	{
		head,
		facts,
		factCells,
		factIndent = 2,
	}: Pick<Noun<Item, More>, 'head' | 'facts' | 'factCells' | 'factIndent'>,
	item: Item,
	{known, width}: {readonly known: AsOf & More; readonly width: number},
): readonly Line[] {
	return [
		head(item, known).flatMap(({text, tone = 'plain'}, index): Line => [
			...(index === 0 ? [] : [{text: literal('  ')}]),
			{text: escapeLine(text), tone},
		]),
		...factRows(facts(item, known), {factCells, factIndent, width}),
	];
}

/** Facts as rows of `width` cells; names take `factCells` of them. */
export const factRows = (facts: readonly Fact[], room: Room): readonly Line[] =>
	facts.flatMap(fact => factLines(fact, room));

type Room = {
	readonly factCells: number;
	readonly factIndent?: number;
	readonly width: number;
};

function factLines(fact: Fact, {factCells, factIndent = 2, width}: Room): readonly Line[] {
	const indent = escapeLine(' '.repeat(factIndent));
	if ('title' in fact) {
		return [blankLine, line(escapeLine(fact.title), 'title')];
	}

	if ('words' in fact) {
		const words = fact.words.map(({text, tone = 'plain'}) => ({text: escapeLine(text), tone}));
		return [clipLine([{text: indent}, ...words], width)];
	}

	if ('text' in fact) {
		const [own = ''] = /^ {0,14}/.exec(fact.text) ?? [];
		const before = safe`${indent}${escapeLine(own)}`;
		return wrapText(fact.text.slice(own.length), width - before.length).map(row =>
			line(safe`${before}${row}`, fact.tone),
		);
	}

	const {name, value, tone = 'plain', meter} = fact;
	const named = (index: number): Span => ({
		text: safe`${indent}${fit(index === 0 ? escapeLine(name) : literal(''), factCells)}`,
		tone: 'quiet',
	});
	return [
		...wrapText(value, width - factCells - factIndent).map((row, index): Line => [
			named(index),
			{text: row, tone},
		]),
		...(meter === undefined
			? []
			: [
					[
						named(1),
						{
							text: meterText(meter, Math.max(10, Math.min(mostMeter, width - factCells - 4))),
							tone: meterTone(meter),
						},
					],
				]),
	];
}

const mostMeter = 40;
