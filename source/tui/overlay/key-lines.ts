import {literal, safe} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import {formLines} from '../forms/form-lines.ts';
import type {KeyCard} from '../keys/key-card.ts';
import {blankLine, clean, line, wrapText, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import type {BoxContent} from './box-content.ts';

const widest = 84;

const told = (words: string, width: number, tone: Tone = 'plain'): readonly Line[] =>
	wrapText(words, width - 4).map(row => line(safe`  ${row}`, tone));

/** A key of the chat API: whether it is made, what it is to be, or the one time that it is there. */
export function keyLines(card: KeyCard, room: {readonly width: number}): BoxContent {
	const width = Math.min(room.width, widest);
	switch (card.kind) {
		case 'offer':
			return {
				title: titled('A key for the chat API?'),
				width,
				rows: [
					...offerLines(width),
					blankLine,
					...told(
						'm makes it and shows it; Esc makes none, and this is not asked again; q quits',
						width,
						'quiet',
					),
				],
			};
		case 'form': {
			const {rows, cursor} = formLines(card.form, width);
			return {
				title: titled('A new key for the chat API'),
				width,
				rows: [
					blankLine,
					...rows,
					blankLine,
					...told('a makes the key and shows it once, Esc makes none', width, 'quiet'),
				],
				shown: 1 + cursor.last,
			};
		}

		case 'shown':
			return {
				title: titled(card.isRotated ? 'The new secret of a key' : 'A new key'),
				width,
				rows: [
					...shownLines(card, width),
					blankLine,
					...told('c copies it; y closes this when you have kept it', width, 'quiet'),
				],
			};
	}
}

const titled = (text: string): readonly Line[] => [[{text: clean(text), tone: 'title'}]];

/** Why a first key is offered. */
export const offerLines = (width: number): readonly Line[] => [
	blankLine,
	...told(
		'The chat API is on, and there has never been a key: it answers everybody 401. The first is called "first" and has no bounds; pane Keys makes others.',
		width,
	),
	...told('It is made when you ask for it, and shown once.', width),
];

/** The key itself, and what to do with it. */
export const shownLines = (
	{key, secret, url, isRotated}: Extract<KeyCard, {readonly kind: 'shown'}>,
	width: number,
): readonly Line[] => [
	blankLine,
	...told(
		`✓ ${isRotated ? 'New secret of' : 'Made'} ${key.name === '' ? key.id : `${key.name} (${key.id})`}`,
		width,
		'good',
	),
	...(key.retiring
		? told(`The one before passes until ${dayTime(key.retiring.until)}.`, width)
		: []),
	blankLine,
	...told('This is shown once, and kept nowhere:', width, 'warn'),
	line(safe`  ${clean(secret)}`, 'strong'),
	...(url === undefined
		? told('The chat API does not listen now: see api in config.yaml.', width, 'quiet')
		: [line(safe`  ${literal('base URL')}  ${clean(url)}`, 'quiet')]),
];
