import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	conversationName,
	conversationNamed,
	isRuledBy,
	type Origin,
	originFacts,
	originKinds,
	originOf,
	ruleOwnerOf,
} from '../../source/core/origin.ts';
import {
	type SessionOwner,
	sessionOwnerFacts,
	sessionOwnerId,
	sessionOwnerOf,
} from '../../source/core/session.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

const job = {id: 'job_1', name: 'nightly'};
const conversation = {platform: 'telegram', chat: '12345', user: '99'};

const origins: ReadonlyArray<readonly [Parameters<typeof originOf>[0], Origin]> = [
	[
		{route: 'gh', delivery: 'd7'},
		{kind: 'delivery', route: 'gh', delivery: 'd7'},
	],
	[
		{route: 'gh', delivery: 'd7', job},
		{kind: 'delivery', route: 'gh', delivery: 'd7', job},
	],
	[{job}, {kind: 'job', job}],
	[{chat: {key: 'laptop'}}, {kind: 'key', name: 'laptop'}],
	[{chat: {key: 'terminal'}}, {kind: 'person'}],
	[{conversation}, {kind: 'chat', ...conversation}],
];

test.for(origins)(
	'what is kept of a run, %j, comes from %j, and the other way round',
	([kept, origin]) => {
		expect(originOf({route: '-', ...kept})).toEqual(origin);
		expect(originFacts(origin)).toEqual(kept);
	},
);

test('every kind of origin is among them', () => {
	expect([...new Set(origins.map(([, {kind}]) => kind))]).toEqual(originKinds);
});

test("a run of which nothing is known counts as a stranger's, and no rule is for it", () => {
	const origin = originOf({});
	expect(origin).toEqual({kind: 'delivery', route: '-'});
	expect(ruleOwnerOf(origin)).toBeUndefined();
	expect(isRuledBy({kind: 'route', name: '-'}, origin)).toBe(false);
});

test('a rule for a conversation is for its threads too, and for no other conversation', () => {
	const owner = {kind: 'chat', name: 'telegram:12345'} as const;
	expect(ruleOwnerOf({kind: 'chat', ...conversation, thread: '17'})).toEqual(owner);
	expect(isRuledBy(owner, {kind: 'chat', ...conversation, thread: '17'})).toBe(true);
	expect(isRuledBy(owner, {kind: 'chat', ...conversation, chat: '123456'})).toBe(false);
	expect(isRuledBy(owner, {kind: 'key', name: 'telegram:12345'})).toBe(false);
	expect(isRuledBy({kind: 'route', name: 'telegram:12345'}, {kind: 'chat', ...conversation})).toBe(
		false,
	);
});

test('the name of a conversation is "telegram:12345" (or "telegram:12345/17" with a thread), and leads back to it', () => {
	expect(conversationName({platform: 'telegram', chat: '12345'})).toBe('telegram:12345');
	expect(conversationName({platform: 'telegram', chat: '12345', thread: '17'})).toBe(
		'telegram:12345/17',
	);
	const identifier = fc.string({
		unit: fc.constantFrom('a', 'b', ':', '/', '%', '2', 'F', '5', ' ', '\n', '$', '@', '<'),
	});
	fc.assert(
		fc.property(
			fc.record(
				{
					platform: fc.constantFrom('telegram', 'matrix', 'email'),
					chat: identifier,
					thread: identifier,
				},
				{requiredKeys: ['platform', 'chat']},
			),
			place => {
				expect(conversationNamed(conversationName(place))).toEqual(place);
			},
		),
		{numRuns: propertyRuns(1000)},
	);
});

test.for<SessionOwner>([
	{kind: 'person'},
	{kind: 'key', id: 'key_1', name: 'laptop', isTest: false},
	{kind: 'chat', platform: 'matrix', chat: '!a/b:example.org', thread: '$1/2'},
])('a session keeps whose it is: %j', owner => {
	expect(sessionOwnerOf(sessionOwnerFacts(owner))).toEqual(owner);
	expect(sessionOwnerId(owner) === '').toBe(owner.kind === 'person');
});
