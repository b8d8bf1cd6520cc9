import {
	apiEndpoints,
	keyKinds,
	usualEndpoints,
	type KeyGrant,
	maxKeyNameLength,
	readBudget,
	readExpiry,
} from '../../core/api-key.ts';
import type {JsonValue} from '../../core/json.ts';
import {contentOf} from '../field-kinds.ts';
import {field, trimmed, type FieldRecord, type FieldValue, type FieldReading} from '../field.ts';

/** Text stored as typed, and converted by `read` when sent; `read` returns an error as text. */
const readAs = (read: (text: string) => JsonValue): FieldReading => ({
	typed: String,
	taken(typed) {
		const text = typed.trim();
		const problem = text === '' ? undefined : read(text);
		return typeof problem === 'string'
			? {ok: false, problem}
			: {ok: true, value: text === '' ? undefined : text};
	},
	sent: read,
});

const bound = {least: 1, most: 1_000_000};

/** The form for a new key at `now` (milliseconds since 1970). */
export const keyFields = (now: number): readonly FieldRecord[] => [
	field('name', 'text', {
		description: 'What it is for.',
		option: {flags: '--name <name>'},
		required: true,
		most: maxKeyNameLength,
		own: trimmed,
	}),
	field('kind', 'choice', {
		description: 'A test key reaches the offline model alone and delivers nothing.',
		option: {flags: '--test', value: 'test'},
		required: true,
		initial: 'live',
		options: keyKinds.map(value => ({value, title: value})),
	}),
	field('endpoints', 'choices', {
		description: 'What it is for; approvals lets it answer calls that wait for a person.',
		option: {flags: '--endpoints <names>'},
		required: true,
		initial: [...usualEndpoints],
		options: apiEndpoints.map(value => ({value, title: value})),
	}),
	field('models', 'texts', {
		description:
			'Public models, with commas between them; * stands for any characters. Empty: all.',
		option: {flags: '--models <ids>'},
	}),
	field('agents', 'boolean', {
		description: 'Whether models that are agents may act for it.',
		option: {flags: '--agents <answer>'},
		initial: true,
	}),
	field('rpm', 'integer', {
		description: 'Requests in a minute. Empty: no bound.',
		option: {flags: '--rpm <n>'},
		...bound,
	}),
	field('parallel', 'integer', {
		description: 'Requests at a time. Empty: no bound.',
		option: {flags: '--parallel <n>'},
		...bound,
	}),
	field('budget', 'text', {
		description: 'Tokens in a day, week or month: 100000/day. Empty: no bound.',
		option: {flags: '--budget <tokens>'},
		own: readAs(readBudget),
	}),
	field('expiresAt', 'text', {
		description: 'Its last day by UTC, 2026-12-31, or a time with its offset. Empty: never.',
		title: 'expires',
		option: {flags: '--expires <when>'},
		own: readAs(at => readExpiry(at, now)),
	}),
];

/** The key to create from a valid form at `now`. */
export function grantOf(values: Readonly<Record<string, FieldValue>>, now: number): KeyGrant {
	const content = contentOf({fields: keyFields(now), values});
	const grant = {name: '', models: ['*'], agents: true, ...content};
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field is one of a grant
	return grant as unknown as KeyGrant;
}
