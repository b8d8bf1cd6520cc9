import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {
	deliverValues,
	effectOf,
	placeOf,
	platformKinds,
	reachesPeople,
	targetKinds,
	targetNamed,
} from '../../source/platforms/platforms.ts';
import type {PlatformSettings} from '../../source/platforms/target-kind.ts';

test('a value of `deliver` names one kind', () => {
	expect(new Set(deliverValues).size).toBe(deliverValues.length);
	expect(deliverValues).toEqual(targetKinds.flatMap(({kind, aliases = []}) => [kind, ...aliases]));
});

test.for([
	['log', false, 'repeated'],
	['forge_comment', true, 'uncertain'],
	...platformKinds.map(({kind}) => [kind, true, 'resumed'] as const),
	['pigeon', true, undefined],
] as const)('%s: read by people %s, after a break %s', ([kind, people, afterBreak]) => {
	expect([reachesPeople(kind), targetNamed(kind)?.afterBreak]).toEqual([people, afterBreak]);
});

test('there are sixteen platforms', () => {
	expect(platformKinds).toHaveLength(16);
});

const withWebhooks = platformKinds.filter(({fields}) => Object.hasOwn(fields ?? {}, 'webhooks'));

test.for(withWebhooks)('$kind: an empty list of webhooks is none', ({settings}) => {
	const [none, empty] = [{}, {webhooks: {}}].map(
		written => settings.parse({enabled: true, ...written}) as PlatformSettings,
	);
	expect(none?.lacks).toContain('"webhooks"');
	expect(empty).toEqual(none);
});

const addresses = platformKinds.flatMap(({kind, settings, fields = {}}) =>
	['api_base', 'homeserver'].flatMap(key =>
		Object.hasOwn(fields, key) ? [{kind, key, settings}] : [],
	),
);

test.for(addresses)(
	'$kind: paths are asked behind $key, so that it ends with none of "?", "#"',
	({key, settings}) => {
		const reads = (address: string) => settings.safeParse({enabled: true, [key]: address}).success;
		expect(reads('https://example.org/base/')).toBe(true);
		expect(
			['https://example.org/?a=b', 'https://example.org/#a', 'http://example.org'].filter(reads),
		).toEqual([]);
	},
);

test.for<[string, JsonObject, string, string]>([
	['log', {chat_id: 'x'}, 'the log', 'writes the answer to the log'],
	[
		'forge_comment',
		{repo: 'acme/api', pr_number: 7},
		'a comment on acme/api#7',
		'posts a comment to acme/api#7',
	],
	['forge_comment', {repo: []}, 'a comment on ?#?', 'posts a comment to ?#?'],
	['email', {}, 'email (home channel)', 'sends a message to email home channel'],
	['email', {chat_id: 'a@b.c'}, 'email a@b.c', 'sends a message to email a@b.c'],
	['email', {chat_id: ['a@b.c']}, 'email ?', 'sends a message to email ?'],
	[
		'telegram',
		{chat_id: null},
		'telegram (home channel)',
		'sends a message to telegram home channel',
	],
	['pigeon', {chat_id: 'a\u001b[2J'}, 'pigeon a␛[2J', 'sends a message to pigeon a␛[2J'],
])('%s with %j in words', ([kind, extra, place, effect]) => {
	expect(placeOf({kind, extra})).toBe(place);
	expect(effectOf({kind, extra})).toBe(effect);
});

test.for(targetKinds)('what sends to $kind can be loaded', async kind => {
	expect(await kind.load()).toHaveProperty('connect');
});

test.for([
	[true, true],
	['true', true],
	['false', false],
	[undefined, false],
] as const)('`sticky: %j` of a forge comment: %s', ([sticky, value]) => {
	const extra = {repo: 'acme/api', pr_number: 7, ...(sticky !== undefined && {sticky})};
	const kind = targetNamed('forge_comment');
	expect(kind?.problem?.(extra, 'forge_comment')).toBe(undefined);
	expect(kind?.check(extra, {cli: 'gh'})).toMatchObject({ok: true, value: {sticky: value}});
	expect(effectOf({kind: 'forge_comment', extra})).toBe(
		value ? 'keeps one comment on acme/api#7 up to date' : 'posts a comment to acme/api#7',
	);
});

test.for(['yes', '{sticky}', 1, {}])('`sticky: %j` is refused before anything is sent', sticky => {
	const extra = {repo: 'acme/api', pr_number: 7, sticky};
	const kind = targetNamed('forge_comment');
	expect(kind?.problem?.(extra, 'forge_comment')?.reason).toMatch(
		/deliver_extra\.sticky is ".+" and must be true or false$/,
	);
	expect(kind?.check(extra, {cli: 'gh'})).toMatchObject({ok: false, code: 'target_invalid'});
});
