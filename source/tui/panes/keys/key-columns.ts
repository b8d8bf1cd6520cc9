import {endOf, type ApiKey, type KeyBudget} from '../../../core/api-keys/api-key.ts';
import {scopeWords} from '../../../core/api-keys/key-words.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {ageText} from '../../entries/server-columns.ts';
import {clean, type Line} from '../../lines/line.ts';
import type {Tone} from '../../theme/theme.ts';

/** Cells of each column; 0 leaves it out. */
export type KeyColumns = {
	readonly name: number;
	readonly id: number;
	readonly scope: number;
	readonly rpm: number;
	readonly budget: number;
	readonly used: number;
};

const kindCells = 4;
const hintCells = 18;
const stateCells = 14;
const fixed = 2 + kindCells + 1 + hintCells + 1 + stateCells;

/** How `width` cells are shared: what has no room stands in the detail. */
export function keyColumns(width: number): KeyColumns {
	const has = (least: number, cells: number) => (width >= least ? cells : 0);
	const columns = {
		id: has(116, 16),
		scope: width >= 116 ? 21 : has(104, 14),
		rpm: has(76, 5),
		budget: has(70, 13),
		used: has(64, 5),
	};
	const taken = Object.values(columns).reduce((sum, cells) => sum + (cells > 0 ? cells + 1 : 0), 0);
	return {...columns, name: Math.max(8, Math.min(24, width - fixed - taken - 1))};
}

const cellOf = (text: Safe, cells: number, align: 'start' | 'end' = 'start'): Safe =>
	cells === 0 ? literal('') : safe`${fit(text, cells, {align})} `;

/** The names of the columns. */
export const keyHeader = ({name, id, scope, rpm, budget, used}: KeyColumns): Safe =>
	safe`  ${cellOf(literal('name'), name)}${cellOf(literal('kind'), kindCells)}${cellOf(literal('id'), id)}${cellOf(literal('key'), hintCells)}${cellOf(literal('for'), scope)}${cellOf(literal('rpm'), rpm, 'end')}${cellOf(literal('budget'), budget)}${cellOf(literal('last'), used)}${literal('state')}`;

const dayMs = 86_400_000;
const soonMs = 7 * dayMs;

/** Where a key stands, with its sign: never the colour alone. */
export function keyWord(key: ApiKey, now: number): {readonly text: Safe; readonly tone: Tone} {
	const end = endOf(key, now);
	if (end) {
		return end === 'revoked'
			? {text: literal('- revoked'), tone: 'quiet'}
			: {text: literal('✗ expired'), tone: 'bad'};
	}

	if (key.retiring && key.retiring.until > now) {
		return {text: safe`◐ rotating ${ageText(key.retiring.until - now)}`, tone: 'accent'};
	}

	if (key.expiresAt === undefined) {
		return {text: literal('● active'), tone: 'good'};
	}

	return key.expiresAt - now < soonMs
		? {text: safe`! ends in ${ageText(key.expiresAt - now)}`, tone: 'warn'}
		: {
				text: safe`● ${clean(new Date(key.expiresAt - 1).toISOString().slice(0, 10))}`,
				tone: 'good',
			};
}

/** The share of its budget that a key has used, 0 to 1 and beyond. */
export const budgetShare = ({usage: {period}}: ApiKey, {tokens}: KeyBudget): number =>
	(period.inputTokens + period.outputTokens) / tokens;

/** `███░░░░░  40%` in `cells` cells. */
export function budgetBar(share: number, cells: number): Safe {
	const words = `${Math.min(999, Math.floor(share * 100))}%`.padStart(5);
	const room = Math.max(1, cells - words.length);
	// What is used at all is seen, and full is full.
	const filled = share >= 1 ? room : Math.min(room - 1, Math.ceil(share * room));
	return clean('█'.repeat(filled) + '░'.repeat(room - filled) + words);
}

export const budgetTone = (share: number): Tone =>
	share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'accent';

/** One key as one row. */
export function keyRow(
	key: ApiKey,
	{columns, now}: {readonly columns: KeyColumns; readonly now: number},
	isSelected: boolean,
): Line {
	const word = keyWord(key, now);
	const share = key.budget && budgetShare(key, key.budget);
	const last = key.lastUsedAt === undefined ? literal('never') : ageText(now - key.lastUsedAt);
	return [
		{text: isSelected ? literal('> ') : literal('  '), tone: 'accent'},
		{
			text: cellOf(clean(key.name === '' ? '-' : key.name), columns.name),
			tone: isSelected ? 'selected' : word.tone === 'quiet' ? 'quiet' : 'plain',
		},
		{text: cellOf(clean(key.kind), kindCells), tone: key.kind === 'test' ? 'warn' : 'quiet'},
		{
			text: safe`${cellOf(clean(key.id), columns.id)}${cellOf(clean(key.hint), hintCells)}${cellOf(clean(scopeWords(key)), columns.scope)}${cellOf(key.rpm === undefined ? literal('-') : safe`${key.rpm}`, columns.rpm, 'end')}`,
			tone: 'quiet',
		},
		{
			text: cellOf(
				share === undefined ? literal('-') : budgetBar(share, columns.budget),
				columns.budget,
			),
			tone: share === undefined ? 'quiet' : budgetTone(share),
		},
		{text: cellOf(last, columns.used), tone: 'quiet'},
		{text: word.text, tone: word.tone},
	];
}
