import {nearestName} from '../../core/nearest-name.ts';
import type {Safe} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {clean} from '../lines/line.ts';
import type {Asked, Choice, Out, Typed} from './asked.ts';

/** The choices as they are read: with a number before those that one may choose by it. */
export const choiceLines = (choices: readonly Choice[]): readonly Safe[] =>
	choices.map(({word, label, why, isExact = false}, index) => {
		const name = isExact ? empty : safe`${index + 1}. `;
		const shown = word === '' || word === label ? label : safe`${clean(word)}: ${label}`;
		return safe`${name}${shown}${why ? safe`, not now: ${why}` : empty}`;
	});

/** The choice that a line names: by its word, its number, its label, or the only one whose label begins so. */
export function choiceNamed(choices: readonly Choice[], text: string): Choice | undefined {
	const wanted = text.toLowerCase();
	const exactly =
		choices.find(({word}) => word !== '' && word === text) ??
		choices.find(({keys = [], isExact = false}) => !isExact && keys.includes(text));
	const byWord = choices.find(({word}) => word !== '' && word.toLowerCase() === wanted);
	const open = choices.filter(({isExact = false}) => !isExact);
	const numbered = /^\d{1,3}$/.test(text) ? choices[Number(text) - 1] : undefined;
	const byNumber = numbered?.isExact === true ? undefined : numbered;
	const byLabel = open.find(({label}) => label.toLowerCase() === wanted);
	const begun =
		wanted.length < 2 ? [] : open.filter(({label}) => label.toLowerCase().startsWith(wanted));
	return exactly ?? byWord ?? byNumber ?? byLabel ?? (begun.length === 1 ? begun[0] : undefined);
}

/** Gives a typed line to what is asked; what means nothing there gets one line that says what does. */
export function answerAsked(asked: Asked, typed: Typed, out: Out): void {
	const text = typed.text.trim();
	if (text === '' && asked.skip) {
		asked.skip(out);
		return;
	}

	const choice = text === '' ? undefined : choiceNamed(asked.choices, text);
	if (choice) {
		if (choice.why) {
			out.say(safe`Not now: ${choice.why}`);
		} else {
			choice.run(typed, out);
		}
	} else if (asked.take && text !== '') {
		asked.take(typed, out);
	} else if (text === '?' || text.toLowerCase() === 'help') {
		out.read(choiceLines(asked.choices));
	} else if (text.toLowerCase() === 'again') {
		asked.read(out);
	} else {
		out.say(canBeSaid(asked.choices, text));
	}
}

/** Read out no longer than this. */
const mostWords = 14;

const wordsOf = (choices: readonly Choice[]): readonly string[] =>
	choices.map(({word}) => word).filter(word => word !== '');

/** What can be said, in one line: words, and a number where some are chosen by it. */
export function sayable(choices: readonly Choice[]): Safe {
	const last = choices.findLastIndex(({isExact = false}) => !isExact) + 1;
	const exactWords = wordsOf(choices.filter(({isExact = false}) => isExact || last === 0));
	const number = last === 0 ? [] : [last === 1 ? '1' : `a number from 1 to ${last}`];
	return clean([...number, ...exactWords.slice(0, mostWords)].join(', '));
}

function canBeSaid(choices: readonly Choice[], text: string): Safe {
	const near = text.length < 2 ? undefined : nearestName(text, wordsOf(choices));
	const wrong =
		text === '' ? literal('Nothing was said.') : safe`"${clean(text)}" is no answer here.`;
	return near === undefined
		? safe`${wrong} Say ${sayable(choices)}, or again to hear the question once more.`
		: safe`${wrong} Did you mean "${clean(near)}"?`;
}
