import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {FilterSpec} from '../../source/config/route.ts';
import type {JsonValue} from '../../source/core/json.ts';
import {membershipOf} from '../../source/webhook/filter-files.ts';
import {deepEqual} from '../../source/webhook/filter-operators.ts';
import {compileField, compileFilters} from '../../source/webhook/filter.ts';
import {compileGroupKey, groupNameOf} from '../../source/webhook/group-key.ts';
import {parseBody} from '../../source/webhook/request-content.ts';
import {
	compileExtra,
	parseTemplate,
	rawDump,
	renderTemplate,
} from '../../source/webhook/template.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {anyFilter, anyPath, anyPayload, anyTemplate} from './hostile-input.ts';

const headers = {'x-a': 'b', cookie: ['c', 'd']};

/** Whether a number in it is too large to be exact: where a text goes to is not filled in with such a one. */
const holdsLostDigits = (value: JsonValue): boolean =>
	typeof value === 'number'
		? Number.isInteger(value) && !Number.isSafeInteger(value)
		: typeof value === 'object' && value !== null && Object.values(value).some(holdsLostDigits);

test('template: no input throws, the text is well-formed', () => {
	fc.assert(
		fc.property(anyTemplate, anyPayload, fc.string({unit: 'binary'}), (source, payload, event) => {
			const context = {payload, event};
			const {text, unresolved} = renderTemplate(parseTemplate(source), context);
			expect(text.isWellFormed()).toBe(true);
			expect(unresolved.every(key => source.includes(`{${key}}`))).toBe(true);
			const extra = compileExtra({chat_id: source, nested: [payload, {deep: source}]})(context);
			expect(extra['chat_id'] === text || holdsLostDigits(payload)).toBe(true);
		}),
		{numRuns: propertyRuns(2000)},
	);
});

test('coalescing key: no input throws, the name of the group is one safe line of at most 256 characters', () => {
	fc.assert(
		fc.property(fc.oneof(anyTemplate, anyPath), anyPayload, (source, payload) => {
			const key = compileGroupKey(source)({payload, event: 'e'});
			const name = key.ok ? groupNameOf(key.text, text => text) : 'none';
			expect(name).toMatch(/^[^\p{Cc}\p{Cs}]{1,256}$/u);
			expect(key.ok || key.missing.length > 0 || source === '').toBe(true);
		}),
		{numRuns: propertyRuns(2000)},
	);
});

test.for([
	['\ud800', '\udfff', '\ufffd'],
	['A\ud800', 'A\ud801'],
	[`\udc00${'x'.repeat(300)}`, `\udc01${'x'.repeat(300)}`],
])('keys that are no well-formed text stay apart: %j', keys => {
	const names = keys.map(key => groupNameOf(key, text => text));
	expect(new Set(names).size).toBe(keys.length);
});

test('a key that looks like the name of another is another one', () => {
	let key = 'x'.repeat(300);
	const names = [key];
	for (let step = 0; step < 5; step += 1) {
		key = groupNameOf(key, text => text);
		names.push(key);
	}

	expect(new Set(names).size).toBe(names.length);
	expect(names.slice(1).every(name => /~[0-9a-f]{16}$/.test(name))).toBe(true);
	expect(groupNameOf('~0123456789abcde', text => text)).toBe('~0123456789abcde');
});

test('two keys have one name only when they are one key', () => {
	fc.assert(
		fc.property(
			fc.string({unit: 'binary', minLength: 1, maxLength: 400}),
			fc.string({unit: 'binary', minLength: 1, maxLength: 400}),
			(left, right) => {
				const redact = (text: string) => text.replaceAll('a', '[redacted]');
				expect(groupNameOf(left, redact) === groupNameOf(right, redact)).toBe(left === right);
			},
		),
		{numRuns: propertyRuns(2000)},
	);
});

test('field path: no input throws, nothing inherited is found', () => {
	fc.assert(
		fc.property(anyPath, anyPayload, (path, payload) => {
			const value = compileField(path)({payload, event: 'e', headers});
			expect(typeof value).not.toBe('function');
		}),
		{numRuns: propertyRuns(3000)},
	);
});

test('filter: no input throws; an entry and its opposite never both match', () => {
	fc.assert(
		fc.property(anyFilter, anyPayload, (spec, payload) => {
			const context = {payload, event: 'e', headers};
			const passes = (filter: FilterSpec) =>
				compileFilters([filter], () => false)(context) === undefined;
			expect(passes({not: spec})).toBe(!passes(spec));
		}),
		{numRuns: propertyRuns(3000)},
	);
});

test('parse-body: no bytes throw; what comes out is not larger than a form can make it', () => {
	fc.assert(
		fc.property(
			fc.uint8Array({maxLength: 300}),
			fc.constantFrom(undefined, 'application/json', 'application/x-www-form-urlencoded', 'ö'),
			(bytes, type) => {
				const body = Buffer.from(bytes);
				const parsed = parseBody(body, {'content-type': type});
				const size = parsed.ok ? JSON.stringify(parsed.payload).length : 0;
				// A control character is one byte on the wire and six in JSON.
				expect(size).toBeLessThanOrEqual(body.length * 6 + 10);
			},
		),
		{numRuns: propertyRuns(5000)},
	);
});

const deep = (depth: number, [open, close]: readonly [string, string]) =>
	JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`) as JsonValue;

test.for([
	['lists', ['[', ']']],
	['objects', ['{"a":', '}']],
] as const)('what is nested 50,000 levels deep throws nowhere: %s', ([, braces]) => {
	const payload = {a: deep(50_000, braces)};
	const context = {payload, event: 'e', headers};
	expect(rawDump(payload)).toHaveLength(4000);
	expect(renderTemplate(parseTemplate('{a}'), context).text).toHaveLength(2000);
	expect(compileGroupKey('a')(context).ok).toBe(true);
	expect(deepEqual(payload, {a: deep(50_000, braces)})).toBe(false);
	expect(membershipOf('[[1]]')(payload.a)).toBe(false);
	for (const operator of ['equals', 'not_equals', 'contains'] as const) {
		const check = compileFilters([{field: 'a', [operator]: payload.a}], () => false);
		expect(() => check(context)).not.toThrow();
	}
});
