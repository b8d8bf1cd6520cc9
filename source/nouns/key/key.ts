import {endOf, type ApiKey, type KeyBudget, type KeyUsage, periodEnd} from '../../core/api-key.ts';
import {dayOf} from '../../core/clock.ts';
import {derive} from '../../core/derive.ts';
import {sinceTerm, termsOf, textTerm} from '../../core/filter/terms.ts';
import {compact, countOf, grouped} from '../../core/names.ts';
import type {RunSums} from '../../core/run-sums.ts';
import {ageText, dayTime, utcTime} from '../../terminal/text/time.ts';
import {column, mainColumn, fact, from, type AsOf, type Noun, type Word} from '../noun.ts';
import {sumFacts} from '../run/run-sums.ts';

const soonMs = 7 * 86_400_000;

/** 1 for a revoked key, else 0. */
const revokedRank = ({revokedAt}: ApiKey) => Number(revokedAt !== undefined);

/** The keys in list order: newest first, revoked ones last. */
export const keysInOrder = derive((keys: readonly ApiKey[]): readonly ApiKey[] =>
	keys.toReversed().toSorted((one, other) => revokedRank(one) - revokedRank(other)),
);

const agoText = (at: number, now: number): string => `${ageText(now - at)} ago, ${dayTime(at)}`;

const passesUntil = ({hint, until}: NonNullable<ApiKey['retiring']>): string =>
	`${hint} passes until ${dayTime(until)}`;

const bound = (value: number | undefined): string =>
	value === undefined ? 'no bound' : grouped(value);

/** What a person calls it. */
export const keyName = ({name, id}: ApiKey): string => (name === '' ? id : name);

const tokensOf = ({inputTokens, outputTokens}: KeyUsage): number => inputTokens + outputTokens;

const share = ({usage}: ApiKey, {tokens}: KeyBudget): number => tokensOf(usage.period) / tokens;

/** `chat,models of small-*`, and whether agents may act for the key. */
const scopeWords = ({endpoints, models, agents, kind}: ApiKey): string =>
	compact([
		endpoints.join(','),
		models.join() !== '*' && `of ${models.join(',')}`,
		kind === 'live' && !agents && 'no agents',
	]).join(' ');

const limitWords = ({rpm, parallel, budget}: ApiKey): string =>
	compact([
		rpm !== undefined && `${rpm} rpm`,
		parallel !== undefined && `${parallel} at a time`,
		budget && `${budget.tokens}/${budget.per}`,
	]).join(', ') || '-';

/** A key's state: with a sign, never by colour alone, and as `printed` by the command line. */
function standing(key: ApiKey, {now}: AsOf): Required<Word> & {readonly printed: string} {
	const {retiring, expiresAt} = key;
	switch (endOf(key, now)) {
		case 'revoked':
			return {text: '- revoked', tone: 'quiet', printed: 'revoked'};
		case 'expired':
			return {text: '✗ expired', tone: 'bad', printed: 'expired'};
		case undefined:
	}

	if (retiring && retiring.until > now) {
		const printed = `rotating until ${utcTime(retiring.until)}`;
		return {text: `◐ rotating ${ageText(retiring.until - now)}`, tone: 'accent', printed};
	}

	if (expiresAt === undefined) {
		return {text: '● active', tone: 'good', printed: 'active'};
	}

	const day = dayOf(expiresAt - 1);
	const printed = `until ${day}`;
	return expiresAt - now < soonMs
		? {text: `! ends in ${ageText(expiresAt - now)}`, tone: 'warn', printed}
		: {text: `● ${day}`, tone: 'good', printed};
}

/** What a key's facts depend on besides the keys. */
export type KeyMore = {
	/** Run totals by key; absent if not loaded. */
	readonly sums?: RunSums | undefined;
};

/** A key of the chat API. @see manual/api-keys.md */
export const keyNoun: Noun<ApiKey, KeyMore> = {
	one: 'key',
	many: 'keys',
	argument: 'id',
	argumentSays: 'identifier of the key, or its name where no other key has it',
	missing: 'key_not_found',
	id: ({id}) => id,
	name: keyName,
	columns: [
		mainColumn(
			'name',
			{least: 8, most: 24},
			{
				value: ({name}) => name || '-',
				tone: (key, known) => (standing(key, known).tone === 'quiet' ? 'quiet' : 'plain'),
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
			value: ({lastUsedAt}, {now}) =>
				lastUsedAt === undefined ? 'never' : ageText(now - lastUsedAt),
			printed: ({lastUsedAt}) => (lastUsedAt === undefined ? 'never' : dayOf(lastUsedAt)),
		}),
		column('state', 14, {
			value: (key, known) => standing(key, known).text,
			tone: (key, known) => standing(key, known).tone,
			printed: (key, known) => standing(key, known).printed,
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
		standing(key, known),
	],
	facts(key, {now, sums}) {
		const {retiring, expiresAt, revokedAt, lastUsedAt, budget, usage} = key;
		const isTest = key.kind === 'test';
		const period = grouped(tokensOf(usage.period));
		return [
			...fact('id', key.id),
			...fact('key', key.hint),
			...fact('before', retiring && retiring.until > now ? passesUntil(retiring) : undefined),
			...fact('made', dayTime(key.createdAt)),
			...fact('expires', expiresAt === undefined ? 'never' : utcTime(expiresAt)),
			...fact('revoked', revokedAt === undefined ? undefined : dayTime(revokedAt)),
			...fact('last used', lastUsedAt === undefined ? 'never' : agoText(lastUsedAt, now)),
			...fact('endpoints', key.endpoints.join(', ')),
			...fact(
				'models',
				isTest ? 'the offline model, whatever is asked for' : key.models.join(', '),
			),
			...fact(
				'agents',
				isTest ? 'without tools' : key.agents ? 'may act for it' : 'may not act for it',
			),
			...fact('rpm', bound(key.rpm)),
			...fact('parallel', bound(key.parallel)),
			...(budget
				? fact(
						'budget',
						`${period} of ${grouped(budget.tokens)} tokens a ${budget.per}, anew ${utcTime(periodEnd(now, budget.per))}`,
						{meter: share(key, budget)},
					)
				: fact('budget', 'no bound')),
			...fact(
				'in all',
				`${countOf(usage.all.requests, 'request')}, ${grouped(usage.all.inputTokens)} tokens in, ${grouped(usage.all.outputTokens)} out`,
			),
			...sumFacts(sums, 'Runs under its name', one => one.key === key.name),
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
			name: textTerm(key => key.name, {says: 'its name', example: 'name:laptop'}),
			id: textTerm(key => key.id, {says: 'its identifier', example: 'id:key_0a1B'}),
			kind: textTerm(key => key.kind, {
				says: 'whether it is for tests',
				example: 'kind:test',
				words: ['live', 'test'],
			}),
			endpoint: textTerm(key => key.endpoints.join(' '), {
				says: 'one of its endpoints',
				example: 'endpoint:approvals',
			}),
			since: sinceTerm(key => key.lastUsedAt ?? 0, {
				says: 'used within a span, or since a time of the last day',
				example: 'since:1d',
			}),
		}),
		haystack: key =>
			`${key.name} ${key.id} ${key.hint} ${key.kind} ${scopeWords(key)} ${standing(key, {now: 0}).printed}`.toLowerCase(),
	},
};
