import {
	apiEndpoints,
	keyKinds,
	usualEndpoints,
	type KeyGrant,
} from '../../core/api-keys/api-key.ts';
import {maxKeyNameLength, readBudget, readExpiry} from '../../core/api-keys/read-grant.ts';
import {field, type FieldRecord, type FieldValue, type Reading} from '../field.ts';

/** A text that is read when it is needed, and judged as it is typed. */
const readAs = (read: (text: string) => string | number | object): Reading => ({
	typed: value => (typeof value === 'string' ? value : JSON.stringify(value)),
	taken(text) {
		const problem = text.trim() === '' ? undefined : read(text);
		return typeof problem === 'string'
			? {ok: false, problem}
			: {ok: true, value: text.trim() === '' ? undefined : text.trim()};
	},
});

const most = 1_000_000;

/** What a new key is asked to be at `now`, milliseconds since 1970. */
export const keyFields = (now: number): readonly FieldRecord[] => [
	field('name', 'text', {
		title: 'name',
		option: {flags: '--name <name>'},
		description: 'What it is for.',
		required: true,
		most: maxKeyNameLength,
	}),
	field('kind', 'choice', {
		title: 'kind',
		option: {flags: '--test', value: 'test'},
		description: 'A test key reaches the offline model alone and delivers nothing.',
		required: true,
		initial: 'live',
		options: keyKinds.map(value => ({value, title: value})),
	}),
	field('endpoints', 'choices', {
		title: 'endpoints',
		option: {flags: '--endpoints <names>'},
		description: 'What it is for; approvals lets it answer calls that wait for a person.',
		required: true,
		initial: [...usualEndpoints],
		options: apiEndpoints.map(value => ({value, title: value})),
	}),
	field('models', 'texts', {
		title: 'models',
		option: {flags: '--models <ids>'},
		description:
			'Public models, with commas between them; * stands for any characters. Empty: all.',
	}),
	field('agents', 'boolean', {
		title: 'agents',
		option: {flags: '--agents <answer>'},
		description: 'Whether models that are agents may act for it.',
		initial: true,
	}),
	field('rpm', 'integer', {
		title: 'rpm',
		option: {flags: '--rpm <n>'},
		description: 'Requests in a minute. Empty: no bound.',
		least: 1,
		most,
	}),
	field('parallel', 'integer', {
		title: 'parallel',
		option: {flags: '--parallel <n>'},
		description: 'Requests at a time. Empty: no bound.',
		least: 1,
		most,
	}),
	field('budget', 'text', {
		title: 'budget',
		option: {flags: '--budget <tokens>'},
		description: 'Tokens in a day, week or month: 100000/day. Empty: no bound.',
		own: readAs(readBudget),
	}),
	field('expires', 'text', {
		title: 'expires',
		option: {flags: '--expires <when>'},
		description: 'Its last day by UTC, 2026-12-31, or a time with its offset. Empty: never.',
		own: readAs(text => readExpiry(text, now)),
	}),
];

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const numberOf = (value: unknown): number | undefined =>
	value === undefined || value === '' ? undefined : Number(value);

const listed = (value: unknown): readonly string[] =>
	Array.isArray(value) ? value.filter(one => typeof one === 'string') : [];

/** What the form asks for at `now`; the name of a field with its problem where that cannot be. */
export function grantOf(
	values: Readonly<Record<string, FieldValue>>,
	now: number,
): KeyGrant | {readonly problem: string} {
	const budgetText = textOf(values['budget']);
	const expiryText = textOf(values['expires']);
	const budget = budgetText === '' ? undefined : readBudget(budgetText);
	const expiresAt = expiryText === '' ? undefined : readExpiry(expiryText, now);
	if (typeof budget === 'string' || typeof expiresAt === 'string') {
		return {problem: typeof budget === 'string' ? `budget: ${budget}` : `expires: ${expiresAt}`};
	}

	const models = listed(values['models']);
	const chosen = new Set(listed(values['endpoints']));
	const rpm = numberOf(values['rpm']);
	const parallel = numberOf(values['parallel']);
	return {
		name: textOf(values['name']),
		kind: values['kind'] === 'test' ? 'test' : 'live',
		endpoints: apiEndpoints.filter(endpoint => chosen.has(endpoint)),
		models: models.length > 0 ? [...models] : ['*'],
		agents: values['agents'] !== false,
		...(rpm !== undefined && {rpm}),
		...(parallel !== undefined && {parallel}),
		...(budget && {budget}),
		...(expiresAt !== undefined && {expiresAt}),
	};
}
