import type {ApiKey, KeyDay, KeyUsage} from '../../../core/api-keys/api-key.ts';
import {periodEnd} from '../../../core/api-keys/key-periods.ts';
import {budgetWords} from '../../../core/api-keys/key-words.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {ageText} from '../../entries/server-columns.ts';
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';
import {dayTime} from '../../lines/time.ts';
import type {Loaded} from '../../state/loader.ts';
import {budgetBar, budgetShare, budgetTone, keyWord} from './key-columns.ts';

const titleCells = 10;

const count = (value: number): string => value.toLocaleString('en');

const tokensOf = ({inputTokens, outputTokens}: KeyUsage): number => inputTokens + outputTokens;

const factRows = (title: string, value: string, width: number): readonly Line[] =>
	wrapText(value, width - titleCells - 2).map((row, index): Line => [
		{text: safe`  ${fit(index === 0 ? clean(title) : literal(''), titleCells)}`, tone: 'quiet'},
		{text: row},
	]);

/** `2026-12-31 23:59Z`: days and ends of keys are those of UTC. */
const utc = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;

/** One key as rows of `width` cells: what it may, what it used, by day. */
export function keyDetail(
	key: ApiKey,
	{
		days,
		now,
		width,
	}: {readonly days: Loaded<readonly KeyDay[]>; readonly now: number; readonly width: number},
): readonly Line[] {
	const {retiring, expiresAt, revokedAt, lastUsedAt, budget, usage} = key;
	const share = budget && budgetShare(key, budget);
	const facts: ReadonlyArray<readonly [string, string | undefined]> = [
		['id', key.id],
		['key', key.hint],
		[
			'before',
			retiring && retiring.until > now
				? `${retiring.hint} passes until ${dayTime(retiring.until)}`
				: undefined,
		],
		['made', dayTime(key.createdAt)],
		['expires', expiresAt === undefined ? 'never' : utc(expiresAt)],
		['revoked', revokedAt === undefined ? undefined : dayTime(revokedAt)],
		[
			'last used',
			lastUsedAt === undefined
				? 'never'
				: `${ageText(now - lastUsedAt)} ago, ${dayTime(lastUsedAt)}`,
		],
		['endpoints', key.endpoints.join(', ')],
		[
			'models',
			key.kind === 'test' ? 'the offline model, whatever is asked for' : key.models.join(', '),
		],
		[
			'agents',
			key.kind === 'test' ? 'without tools' : key.agents ? 'may act for it' : 'may not act for it',
		],
		['rpm', key.rpm === undefined ? 'no bound' : count(key.rpm)],
		['parallel', key.parallel === undefined ? 'no bound' : count(key.parallel)],
		[
			'budget',
			budget
				? `${count(tokensOf(usage.period))} of ${count(budget.tokens)} tokens a ${budget.per}, anew ${utc(periodEnd(now, budget.per))}`
				: 'no bound',
		],
	];
	return [
		[
			{text: safe`${clean(key.name === '' ? key.id : key.name)}  `, tone: 'strong'},
			...(key.kind === 'test' ? [{text: literal('test  '), tone: 'warn' as const}] : []),
			keyWord(key, now),
		],
		...facts.flatMap(([title, value]) =>
			value === undefined ? [] : factRows(title, value, width),
		),
		...(budget && share !== undefined
			? [
					[
						{text: clean(' '.repeat(titleCells + 2))},
						{
							text: budgetBar(share, Math.max(10, Math.min(40, width - titleCells - 4))),
							tone: budgetTone(share),
						},
						{text: safe`  ${clean(budgetWords(budget))}`, tone: 'quiet' as const},
					],
				]
			: []),
		...factRows(
			'in all',
			`${count(usage.all.requests)} ${usage.all.requests === 1 ? 'request' : 'requests'}, ${count(usage.all.inputTokens)} tokens in, ${count(usage.all.outputTokens)} out`,
			width,
		),
		blankLine,
		line(literal('Used by day, UTC'), 'title'),
		...dayRows(days, width),
	];
}

function dayRows(days: Loaded<readonly KeyDay[]>, width: number): readonly Line[] {
	if (days.status === 'failed') {
		return wrapText(`✗ ${days.reason}`, width - 2).map(row => line(safe`  ${row}`, 'bad'));
	}

	if (days.status === 'loading') {
		return [line(literal('  loading'), 'quiet')];
	}

	const used = days.status === 'ready' ? days.value.toReversed() : [];
	if (used.length === 0) {
		return [line(literal('  nothing in the last 40 days'), 'quiet')];
	}

	const most = Math.max(1, ...used.map(tokensOf));
	const words = used.map(({requests, inputTokens, outputTokens}): Safe =>
		clean(`${count(requests)} req  ${count(inputTokens)} in  ${count(outputTokens)} out`),
	);
	const wordCells = Math.max(...words.map(text => text.length));
	const room = Math.max(0, Math.min(30, width - 2 - 10 - 2 - wordCells - 2));
	return used.map((one, index): Line => {
		const filled = Math.ceil((tokensOf(one) / most) * room);
		return [
			{text: safe`  ${clean(one.day)}  `, tone: 'quiet'},
			{text: fit(words[index] ?? literal(''), wordCells)},
			{text: clean(`  ${'█'.repeat(filled)}`), tone: 'accent'},
		];
	});
}
