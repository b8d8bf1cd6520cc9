import {
	endOf,
	type ApiKey,
	type KeyBudget,
	type KeyDay,
	type KeyUsage,
} from '../../core/api-keys/api-key.ts';
import {dayOf, periodEnd} from '../../core/api-keys/key-periods.ts';
import {countOf, grouped} from '../../core/counted.ts';
import {derive} from '../../core/derive.ts';
import {sinceTerm, termsOf, textTerm} from '../../core/filter/terms.ts';
import {ageText, dayTime, utcTime} from '../../terminal/text/time.ts';
import {column, from, type AsOf, type Fact, type Noun, type Word} from '../noun.ts';

/** What was used by day; absent until it is read. */
export type KeyMore = {readonly days?: readonly KeyDay[]};

const soonMs = 7 * 86_400_000;

const ageOf = (at: number | undefined, now: number): string =>
	at === undefined ? 'never' : ageText(now - at);

/** The keys as they are listed: the newest first, and those that were revoked below. */
export const keysInOrder = derive((keys: readonly ApiKey[]): readonly ApiKey[] => {
	const newest = keys.toReversed();
	return [
		...newest.filter(({revokedAt}) => revokedAt === undefined),
		...newest.filter(({revokedAt}) => revokedAt !== undefined),
	];
});

const bound = (value: number | undefined): string =>
	value === undefined ? 'no bound' : grouped(value);

/** What a person calls it. */
export const keyName = ({name, id}: ApiKey): string => (name === '' ? id : name);

const tokensOf = ({inputTokens, outputTokens}: KeyUsage): number => inputTokens + outputTokens;

const share = ({usage}: ApiKey, {tokens}: KeyBudget): number => tokensOf(usage.period) / tokens;

const budgetWords = ({tokens, per}: KeyBudget): string => `${tokens}/${per}`;

/** `chat,models of small-*`, and whether agents may act for it. */
const scopeWords = ({endpoints, models, agents, kind}: ApiKey): string =>
	[
		endpoints.join(','),
		...(models.length === 1 && models[0] === '*' ? [] : [`of ${models.join(',')}`]),
		...(kind === 'live' && !agents ? ['no agents'] : []),
	].join(' ');

const limitWords = ({rpm, parallel, budget}: ApiKey): string =>
	[
		...(rpm === undefined ? [] : [`${rpm} rpm`]),
		...(parallel === undefined ? [] : [`${parallel} at a time`]),
		...(budget ? [budgetWords(budget)] : []),
	].join(', ') || '-';

/** Where a key stands, with its sign: never the colour alone. */
function stateWord(key: ApiKey, {now}: AsOf): Required<Word> {
	const end = endOf(key, now);
	if (end) {
		return end === 'revoked'
			? {text: '- revoked', tone: 'quiet'}
			: {text: '✗ expired', tone: 'bad'};
	}

	if (key.retiring && key.retiring.until > now) {
		return {text: `◐ rotating ${ageText(key.retiring.until - now)}`, tone: 'accent'};
	}

	if (key.expiresAt === undefined) {
		return {text: '● active', tone: 'good'};
	}

	return key.expiresAt - now < soonMs
		? {text: `! ends in ${ageText(key.expiresAt - now)}`, tone: 'warn'}
		: {text: `● ${dayOf(key.expiresAt - 1)}`, tone: 'good'};
}

/** The same for the command line: `active`, or why it is not. */
function printedState(key: ApiKey, {now}: AsOf): string {
	const {retiring, expiresAt} = key;
	const rotating =
		retiring && retiring.until > now ? `rotating until ${utcTime(retiring.until)}` : undefined;
	return (
		endOf(key, now) ??
		rotating ??
		(expiresAt === undefined ? 'active' : `until ${dayOf(expiresAt - 1)}`)
	);
}

function usedByDay(days: KeyMore['days']): readonly Fact[] {
	if (!days) {
		return [];
	}

	const most = Math.max(1, ...days.map(tokensOf));
	return [
		{title: 'Used by day, UTC'},
		...(days.length === 0 ? [{text: 'nothing in the last 40 days', tone: 'quiet'} as const] : []),
		...days.toReversed().map(one => ({
			name: one.day,
			value: `${grouped(one.requests)} req  ${grouped(one.inputTokens)} in  ${grouped(one.outputTokens)} out`,
			chart: tokensOf(one) / most,
		})),
	];
}

/** A key of the chat API. @see manual/api-keys.md */
export const keyNoun: Noun<ApiKey, KeyMore> = {
	one: 'key',
	many: 'keys',
	argument: 'id',
	missing: 'key_not_found',
	id: ({id}) => id,
	name: keyName,
	columns: [
		column(
			'name',
			{least: 8, most: 24},
			{
				value: ({name}) => name || '-',
				tone: (key, known) => (stateWord(key, known).tone === 'quiet' ? 'quiet' : 'plain'),
				isMain: true,
			},
		),
		column('kind', 4, {
			value: ({kind}) => kind,
			tone: ({kind}) => (kind === 'test' ? 'warn' : 'quiet'),
		}),
		column('id', from(116, 16), ({id}) => id),
		column('key', 18, ({hint}) => hint),
		column('for', width => (width >= 116 ? 21 : from(104, 14)(width)), scopeWords),
		column('rpm', from(76, 5), {value: ({rpm}) => String(rpm ?? '-'), align: 'end'}),
		column('budget', from(70, 13), {
			value: () => '-',
			meter: key => key.budget && share(key, key.budget),
		}),
		column('limits', 0, limitWords),
		column(
			'used',
			0,
			({usage: {period, all}}) => `${tokensOf(period)} tokens, ${all.requests} requests`,
		),
		column('last', from(64, 5), {
			value: ({lastUsedAt}, {now}) => ageOf(lastUsedAt, now),
			printed: ({lastUsedAt}) => (lastUsedAt === undefined ? 'never' : dayOf(lastUsedAt)),
		}),
		column('state', 14, {
			value: (key, known) => stateWord(key, known).text,
			tone: (key, known) => stateWord(key, known).tone,
			printed: printedState,
		}),
	],
	printed: {
		columns: ['id', 'name', 'key', 'state', 'for', 'limits', 'used', 'last'],
		whole: ['id'],
		optional: ['last', 'limits', 'used', 'for'],
		empty: 'No keys: make one with "svc keys create"',
	},
	factCells: 10,
	head: (key, known) => [
		{text: keyName(key), tone: 'strong'},
		...(key.kind === 'test' ? [{text: 'test', tone: 'warn'} as const] : []),
		stateWord(key, known),
	],
	facts(key, known) {
		const {retiring, expiresAt, revokedAt, lastUsedAt, budget, usage, kind} = key;
		const {now, days} = known;
		const isTest = kind === 'test';
		return [
			{name: 'id', value: key.id},
			{name: 'key', value: key.hint},
			...(retiring && retiring.until > now
				? [{name: 'before', value: `${retiring.hint} passes until ${dayTime(retiring.until)}`}]
				: []),
			{name: 'made', value: dayTime(key.createdAt)},
			{name: 'expires', value: expiresAt === undefined ? 'never' : utcTime(expiresAt)},
			...(revokedAt === undefined ? [] : [{name: 'revoked', value: dayTime(revokedAt)}]),
			{
				name: 'last used',
				value: `${ageOf(lastUsedAt, now)}${lastUsedAt === undefined ? '' : ` ago, ${dayTime(lastUsedAt)}`}`,
			},
			{name: 'endpoints', value: key.endpoints.join(', ')},
			{
				name: 'models',
				value: isTest ? 'the offline model, whatever is asked for' : key.models.join(', '),
			},
			{
				name: 'agents',
				value: isTest ? 'without tools' : key.agents ? 'may act for it' : 'may not act for it',
			},
			{name: 'rpm', value: bound(key.rpm)},
			{name: 'parallel', value: bound(key.parallel)},
			budget
				? {
						name: 'budget',
						value: `${grouped(tokensOf(usage.period))} of ${grouped(budget.tokens)} tokens a ${budget.per}, anew ${utcTime(periodEnd(now, budget.per))}`,
						meter: share(key, budget),
					}
				: {name: 'budget', value: 'no bound'},
			{
				name: 'in all',
				value: `${countOf(usage.all.requests, 'request')}, ${grouped(usage.all.inputTokens)} tokens in, ${grouped(usage.all.outputTokens)} out`,
			},
			...usedByDay(days),
		];
	},
	copies: {
		notes: ['The key itself was shown once, and is kept nowhere.'],
		of: ({id, hint}, {api}) => [
			{key: 'i', label: 'identifier', text: id},
			{key: 'k', label: 'its first and last characters', text: hint},
			...(api?.state === 'listening'
				? [{key: 'u', label: 'base URL of the chat API', text: `${api.url}/v1`}]
				: []),
		],
	},
	vocabulary: {
		terms: termsOf<ApiKey>({
			name: textTerm(key => key.name, {says: 'what it is called', example: 'name:laptop'}),
			id: textTerm(key => key.id, {says: 'its identifier', example: 'id:key_0a1B'}),
			kind: textTerm(key => key.kind, {
				says: 'whether it is for tests',
				example: 'kind:test',
				words: ['live', 'test'],
			}),
			endpoint: textTerm(key => key.endpoints.join(' '), {
				says: 'what it is for',
				example: 'endpoint:approvals',
			}),
			since: sinceTerm(key => key.lastUsedAt ?? 0, {
				says: 'used since: so long ago, or that time of the last day',
				example: 'since:1d',
			}),
		}),
		haystack: key =>
			`${key.name} ${key.id} ${key.hint} ${key.kind} ${scopeWords(key)} ${printedState(key, {now: 0})}`.toLowerCase(),
	},
};
