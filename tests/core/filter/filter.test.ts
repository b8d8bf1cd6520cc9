import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Delivery} from '../../../source/core/delivery.ts';
import {deliveryVocabulary} from '../../../source/core/filter/delivery-vocabulary.ts';
import {parseFilter, type Vocabulary} from '../../../source/core/filter/filter.ts';
import {receivedBody} from '../../../source/core/filter/payload-terms.ts';
import {
	runVocabulary,
	approvalVocabulary,
	groupVocabulary,
} from '../../../source/core/filter/vocabularies.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {testNow} from '../../helpers/show-shell.tsx';

const row = (overrides: Partial<Delivery> = {}, count = 1) => {
	const delivery = makeDelivery({receivedAt: testNow - 60_000, ...overrides});
	return {key: delivery.id, delivery, count};
};

const passes = (filter: string, overrides: Partial<Delivery> = {}) =>
	parseFilter(filter, deliveryVocabulary).matches(row(overrides), testNow);

test.for<[filter: string, overrides: Partial<Delivery>, expected: boolean]>([
	['', {}, true],
	['route:gh-*', {route: 'gh-review'}, true],
	['route:gh-*', {route: 'old-gh-review'}, false],
	['route:review', {route: 'gh-review'}, true],
	['route:a,b', {route: 'b'}, true],
	['route:GH', {route: 'gh-review'}, true],
	['subject:retry', {subject: 'acme/api#7 opened · Retry the upload'}, true],
	['subject:acme/api#7*', {subject: 'acme/api#70 opened'}, true],
	['subject:retry', {}, false],
	['"the upload"', {subject: 'acme/api#7 opened · Retry the upload'}, true],
	['event:*.opened', {event: 'issues.opened'}, true],
	['status:401', {status: 401, outcome: 'signature'}, true],
	['status:4xx', {status: 429, outcome: 'rate'}, true],
	['status:4xx', {status: 202}, false],
	['status>=400', {status: 502, outcome: 'delivery'}, true],
	['status:duplicate', {status: 200, outcome: 'duplicate'}, true],
	['-status:duplicate', {status: 200, outcome: 'duplicate'}, false],
	['status:ignored', {status: 200, outcome: 'ignored:filter'}, true],
	['ignored:filter', {status: 200, outcome: 'ignored:filter'}, true],
	['ms>20', {durationMs: 21}, true],
	['ms>20', {durationMs: 20}, false],
	['ms>1s', {durationMs: 1001}, true],
	['size>10k', {bodyBytes: 10_001}, true],
	['size<1mb', {bodyBytes: 999_999}, true],
	['since:5m', {receivedAt: testNow - 299_000}, true],
	['since:5m', {receivedAt: testNow - 301_000}, false],
	['since:11:30', {receivedAt: testNow - 29 * 60_000}, true],
	['since:11:30', {receivedAt: testNow - 31 * 60_000}, false],
	['since:12:30', {receivedAt: testNow - 23 * 3_600_000}, true],
	['has:⚑', {flags: 2}, true],
	['has:flags', {flags: 0}, false],
	['has:run', {runId: 3}, true],
	['has:replay', {replayOf: 'x'}, true],
	['id:abc', {deliveryId: 'xabcx'}, true],
	['"two words"', {event: 'has two words in it'}, true],
	['-"two words"', {event: 'has two words in it'}, false],
	['two words', {event: 'words two'}, true],
	['route:gh -status:duplicate ms<9', {route: 'gh-review', durationMs: 3}, true],
	['ignored:filter', {status: 200, outcome: 'ignored:event'}, false],
	['ignored:filter', {}, false],
	['outcome:signature', {status: 401, outcome: 'signature'}, true],
	['outcome:signature,rate', {status: 404, outcome: 'route'}, false],
	['outcome:ignored:filter', {status: 200, outcome: 'ignored:filter'}, true],
	['"unknown:name"', {event: 'unknown:name'}, true],
	['"unknown:name"', {event: 'unknown'}, false],
	['https://a.example', {event: 'https://a.example/b'}, true],
	['skew', {trace: [{step: 'signature', verdict: 'stop', detail: 'skew +412 s'}]}, true],
])('%s of %o is %s', ([filter, overrides, expected]) => {
	expect(passes(filter, overrides)).toBe(expected);
});

const known =
	'route:, event:, subject:, status:, outcome:, id:, ms:, size:, since:, has:, ignored:, payload.…:';

test.for([
	['ms>abc', '"abc" is not a number here'],
	['route:', 'route: wants a value'],
	['-', 'nothing to look for'],
	['"open', 'the closing " is missing'],
	['has:wings', 'has: takes ⚑, flags, run or replay'],
	['since:25:00', 'since: takes 5m or 14:30'],
	['since:soon', 'since: takes 5m or 14:30'],
	['route>gh', '">" compares numbers only'],
	['size>5q', '"5q" is not a number here'],
	['~', '~ wants a text'],
	['payload:x', 'payload takes a path: payload.action:opened'],
	['payload.action:', 'payload.action: wants a value'],
	['payload.number>many', '"many" is not a number here'],
	['payload.', 'payload takes a path, an operator and a value: payload.pull_request.draft:true'],
	['-payload.', 'payload takes a path, an operator and a value: payload.pull_request.draft:true'],
	[
		'payload.pull_request.dr',
		'payload takes a path, an operator and a value: payload.pull_request.draft:true',
	],
	[
		'payload.action=opened',
		'payload takes a path, an operator and a value: payload.pull_request.draft:true',
	],
	['foo:bar', `Unknown filter key foo: use ${known}`],
	['-foo:bar', `Unknown filter key foo: use ${known}`],
	['foo:', `Unknown filter key foo: use ${known}`],
	['foo>3', `Unknown filter key foo: use ${known}`],
] as const)('%s is left out because %s', ([text, problem]) => {
	const filter = parseFilter(text, deliveryVocabulary);

	expect(filter.problem).toBe(problem);
	expect(filter.isEmpty).toBe(true);
});

test('a word finds a row by every reason that it keeps, not by the newest alone', () => {
	const {matches} = parseFilter('"other secret"', deliveryVocabulary);
	const reasons = [
		{detail: 'matches an other secret', count: 1},
		{detail: 'skew', count: 2},
	];

	expect(matches({...row({}, 3), reasons}, testNow)).toBe(true);
	expect(matches(row({}, 3), testNow)).toBe(false);
});

test.for(['"payload.action"', 'a.payload.action', 'payload', 'hooks.example.com'])(
	'%s is free text: it is no path that somebody has begun',
	text => {
		const filter = parseFilter(text, deliveryVocabulary);

		expect(filter.problem).toBeUndefined();
		expect(filter.isEmpty).toBe(false);
	},
);

test('an invalid part is marked and the rest is applied', () => {
	const filter = parseFilter('route:gh ms>x push', deliveryVocabulary);

	expect(filter.pieces.map(({problem}) => problem !== undefined)).toEqual([false, true, false]);
	expect(filter.matches(row({route: 'gh', event: 'push'}), testNow)).toBe(true);
	expect(filter.matches(row({route: 'gh', event: 'other'}), testNow)).toBe(false);
});

const word = fc.oneof(
	fc.constantFrom('route:gh', 'status:4xx', 'ms>20', 'has:⚑', '"two words"', 'since:5m', 'push'),
	fc.string({maxLength: 12}),
	fc
		.tuple(fc.constantFrom('route:', 'event:', 'ms>', 'size<', 'since:', 'has:'), fc.string())
		.map(parts => parts.join('')),
);

const anyRow = fc
	.record({
		route: fc.constantFrom('gh', 'gh-review', 'alerts'),
		event: fc.string({maxLength: 10}),
		status: fc.constantFrom(200, 202, 401, 429),
		durationMs: fc.nat(100),
		flags: fc.nat(2),
	})
	.map(overrides => row(overrides));

test('any text is understood or marked, and every word of it belongs to one piece', () => {
	fc.assert(
		fc.property(
			fc.array(word).map(words => words.join(' ')),
			anyRow,
			(text, item) => {
				const {pieces, matches} = parseFilter(text, deliveryVocabulary);
				matches(item, testNow);
				let rest = text.slice(0, 1000);
				for (const {start, end} of pieces.toReversed()) {
					rest = rest.slice(0, start) + rest.slice(end);
				}

				expect(rest.trim()).toBe(rest.replaceAll(/[^ ]/g, '').trim());
			},
		),
	);
});

test('a word and its negation never agree, unless both are marked', () => {
	fc.assert(
		fc.property(word, anyRow, (text, item) => {
			fc.pre(!text.includes(' ') && !text.startsWith('-') && text !== '');
			const positive = parseFilter(text, deliveryVocabulary);
			const negative = parseFilter(`-${text}`, deliveryVocabulary);
			const expected =
				positive.problem === undefined ? !positive.matches(item, testNow) : positive.problem;
			expect(negative.problem ?? negative.matches(item, testNow)).toBe(expected);
		}),
	);
});

test('several words pass what each of them passes', () => {
	fc.assert(
		fc.property(fc.array(word, {maxLength: 5}), anyRow, (words, item) => {
			// A ~ alone looks for the word behind it.
			fc.pre(words.every(text => !/["\s]|^-?~$/.test(text)));
			const each = words.every(text =>
				parseFilter(text, deliveryVocabulary).matches(item, testNow),
			);
			expect(parseFilter(words.join(' '), deliveryVocabulary).matches(item, testNow)).toBe(each);
		}),
	);
});

const withBody = (text: string, headers: Readonly<Record<string, string>> = {}) => ({
	...row(),
	received: () => receivedBody({body: new TextEncoder().encode(text), headers}),
});

const payload =
	'{"action": "opened", "number": 42, "draft": true, "pull_request": {"title": "Fix \\u00e9clair \\"now\\"", "labels": ["bug", "p2"]}}';

test.for<[filter: string, expected: boolean]>([
	['payload.action:opened', true],
	['payload.action:OPEN', true],
	['payload.action:closed,opened', true],
	['payload.action:o*d', true],
	['payload.number:42', true],
	['payload.number:4', false],
	['payload.number>41', true],
	['payload.number>=43', false],
	['payload.draft:true', true],
	['payload.draft:tru', false],
	['payload.pull_request.labels:bug', true],
	['payload.pull_request.labels.1:p2', true],
	['payload.pull_request:*', true],
	['payload.nothing:*', false],
	['-payload.draft:true', false],
	['-payload.nothing:*', true],
	['~ opened', true],
	['~opened', true],
	['~ "fix éclair"', true],
	['~"éclair \\"', false],
	['-~ opened', false],
	['~ nowhere', false],
	['~ opened route:gh', true],
	['~ opened route:other', false],
])('in a payload %s is %s', ([filter, expected]) => {
	const {matches, readsBody} = parseFilter(filter, deliveryVocabulary);

	expect(matches(withBody(payload), testNow)).toBe(expected);
	expect(readsBody).toBe(true);
});

test('a payload in the form of a code host is read like any other', () => {
	const form = `payload=${encodeURIComponent('{"action":"opened"}')}`;
	const headers = {
		'x-github-event': 'push',
		'content-type': 'application/x-www-form-urlencoded',
	};
	const {matches} = parseFilter('payload.action:opened', deliveryVocabulary);

	expect(matches(withBody(form, headers), testNow)).toBe(true);
});

test('what was not kept holds no text and no field', () => {
	for (const filter of ['~ opened', 'payload.action:*']) {
		expect(parseFilter(filter, deliveryVocabulary).matches(row(), testNow)).toBe(false);
	}
});

test('every term says what it is, and its example is understood', () => {
	const vocabularies: ReadonlyArray<Vocabulary<never>> = [
		deliveryVocabulary,
		runVocabulary,
		groupVocabulary,
		approvalVocabulary,
	];
	for (const vocabulary of vocabularies) {
		for (const term of [
			...vocabulary.terms.values(),
			...(vocabulary.body ? [vocabulary.body] : []),
		]) {
			expect(term.says).not.toBe('');
			expect(parseFilter(term.example, vocabulary).problem).toBe(undefined);
			for (const one of term.words ?? []) {
				expect(term.understand(one, ':', '')).not.toHaveProperty('problem');
			}
		}
	}
});

test('a pattern of many stars is answered at once', () => {
	expect(passes(`route:${'*a'.repeat(400)}b`, {route: 'a'.repeat(2000)})).toBe(false);
});

test('a payload that is nested however deep is there, and ends no search', () => {
	const nested = 100_000;
	const body = new TextEncoder().encode(
		`{"a":${'['.repeat(nested)}${']'.repeat(nested)},"b":[[1]]}`,
	);
	const received = () => receivedBody({headers: {}, body});
	const holds = (text: string) =>
		parseFilter(text, deliveryVocabulary).matches({...row(), received}, testNow);
	expect(holds('payload.a:*')).toBe(true);
	expect(holds('payload.a:x')).toBe(false);
	expect(holds('-payload.a:x')).toBe(true);
	expect(holds('payload.b:[[1]]')).toBe(true);
	expect(holds('~ "[[1]]"')).toBe(true);
});

test('of a large body the text is looked at and no payload is made, and of a huge one the beginning', () => {
	const mebibyte = 1024 * 1024;
	const holds = (filter: string, size: number) => {
		const body = new TextEncoder().encode(`{"a":"x","t":"${'y'.repeat(size)} end"}`);
		const received = () => receivedBody({headers: {}, body});
		return parseFilter(filter, deliveryVocabulary).matches({...row(), received}, testNow);
	};

	expect(holds('payload.a:x', mebibyte)).toBe(true);
	expect(holds('payload.a:x', 2 * mebibyte)).toBe(false);
	expect(holds('~ " end"', 2 * mebibyte)).toBe(true);
	expect(holds('~ yyy', 8 * mebibyte)).toBe(true);
	expect(holds('~ " end"', 8 * mebibyte)).toBe(false);
});
