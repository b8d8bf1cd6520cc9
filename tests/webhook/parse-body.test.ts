import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {codeHostEventHeaders} from '../../source/core/payload.ts';
import {parseBody} from '../../source/webhook/request-content.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

const form = 'application/x-www-form-urlencoded';

const payloadOf = (text: string, type = form, headers: Readonly<Record<string, string>> = {}) => {
	const parsed = parseBody(Buffer.from(text), {'content-type': type, ...headers});
	return parsed.ok ? parsed.payload : parsed.error;
};

test('`application/x-www-form-urlencoded` bodies become an object', () => {
	expect(payloadOf('a=1&b=two+words&c=%C3%A9&a=2')).toEqual({a: '2', b: 'two words', c: 'é'});
	expect(payloadOf('a=1', `${form.toUpperCase()}; charset=utf-8`)).toEqual({a: '1'});
	expect(payloadOf('just-a-key')).toEqual({'just-a-key': ''});
});

test('a form field named __proto__ is a field', () => {
	const payload = payloadOf('__proto__=x');
	expect(Object.entries(payload ?? {})).toEqual([['__proto__', 'x']]);
});

test('a form field `payload` that holds a JSON object gives that object', () => {
	expect(payloadOf(`payload=${encodeURIComponent('{"a":1}')}&b=2`)).toEqual({
		payload: {a: 1},
		b: '2',
	});
	expect(payloadOf('payload=[1]')).toEqual({payload: '[1]'});
	expect(payloadOf('payload={broken')).toEqual({payload: '{broken'});
});

test('a form field `payload` that is nested more than 128 levels deep stays text', () => {
	const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
	const fieldOf = (levels: number) => payloadOf(`payload=${encodeURIComponent(nested(levels))}`);
	expect(fieldOf(128)).toEqual({payload: JSON.parse(nested(128))});
	expect(fieldOf(129)).toEqual({payload: nested(129)});
	expect(fieldOf(50_000)).toEqual({payload: nested(50_000)});
});

test.for(codeHostEventHeaders.map(name => [name] as const))(
	'with the event header of a code host (%s), the JSON in `payload=` is the payload',
	([name]) => {
		const ofCodeHost = (text: string) =>
			payloadOf(`payload=${encodeURIComponent(text)}&b=2`, form, {[name]: 'push'});
		expect(ofCodeHost('{"action":"opened"}')).toEqual({action: 'opened'});
		expect(ofCodeHost('[1]')).toEqual([1]);
		expect(ofCodeHost('{broken')).toBe('Malformed JSON body');
		expect(ofCodeHost('')).toBe('Malformed JSON body');
		expect(payloadOf('a=1', form, {[name]: 'push'})).toEqual({a: '1'});
		expect(payloadOf('payload=%7B%7D', form, {[name]: ''})).toEqual({payload: {}});
	},
);

test.for([
	['', form, 'Empty body'],
	['a=%zz', form, 'Malformed form body'],
	['a=%ff', form, 'Malformed form body'],
	['a=%', form, 'Malformed form body'],
	['a=1', 'application/json', 'Malformed JSON body'],
	['\ufeff{}', 'application/json', 'Malformed JSON body'],
	['NaN', 'application/json', 'Malformed JSON body'],
])('empty or malformed: 400: %j as %s', ([text = '', type, error]) => {
	expect(payloadOf(text, type)).toBe(error);
});

test('invalid UTF-8: 400', () => {
	expect(parseBody(Buffer.from([0x22, 0xff, 0x22]), {})).toEqual({
		ok: false,
		error: 'Body is not UTF-8',
	});
});

test('no bytes and no content type make it throw', () => {
	const type = fc.oneof(fc.constantFrom(form, 'application/json', ''), fc.string());
	fc.assert(
		fc.property(fc.uint8Array({maxLength: 200}), type, (bytes, contentType) => {
			expect(typeof parseBody(Buffer.from(bytes), {'content-type': contentType}).ok).toBe(
				'boolean',
			);
		}),
		{numRuns: propertyRuns(1000)},
	);
});

test('a JSON object that its client calls a form (curl without a header) is read as JSON', () => {
	const body = Buffer.from('{"number": 7}');

	expect(parseBody(body, {'content-type': form})).toEqual({
		ok: true,
		payload: {number: 7},
		kind: 'JSON',
		rawJson: body,
	});
});
