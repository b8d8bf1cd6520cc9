import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {JsonValue} from '../../source/core/json.ts';
import {dumpJson} from '../../source/webhook/dump-json.ts';
import {
	parseTemplate,
	rawDump,
	compileExtra,
	renderTemplate,
} from '../../source/webhook/template.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

const render = (source: string, payload: JsonValue, event = 'push') =>
	renderTemplate(parseTemplate(source), {payload, event}).text;

test('`{a.b.c}` resolves to the nested payload value', () => {
	expect(render('PR {pull.head.ref}!', {pull: {head: {ref: 'main'}}})).toBe('PR main!');
	expect(render('{a}{a} {b}', {a: 'x', b: 'y'})).toBe('xx y');
	expect(
		render('{first name} {content-type} {größe}', {
			'first name': 'A',
			'content-type': 'B',
			größe: 'C',
		}),
	).toBe('A B C');
});

test('`{__raw__}` dumps the entire payload as indented JSON, truncated at 4000 characters', () => {
	expect(render('{__raw__}', {a: [1]})).toBe('{\n  "a": [\n    1\n  ]\n}');
	expect(render('{__raw__}', 'x'.repeat(5000))).toBe(`"${'x'.repeat(3999)}`);
	expect(rawDump(['é'.repeat(5000)])).toHaveLength(4000);
});

test('a missing key stays as the literal `{key}` text (no error)', () => {
	expect(render('{nope} {a.b} {a.b.c}', {a: {}})).toBe('{nope} {a.b} {a.b.c}');
	expect(
		renderTemplate(parseTemplate('{x} {y} {x}'), {payload: {y: 1}, event: ''}).unresolved,
	).toEqual(['x']);
});

test('what a prompt took of the payload is told, once each, and nothing that it did not find', () => {
	const read = (source: string, payload: JsonValue) =>
		renderTemplate(parseTemplate(source), {payload, event: 'push'}).read;
	expect(read('{a.b} {a.b} {nope} {event_type} {c}', {a: {b: 1}, c: null})).toEqual(['a.b', 'c']);
	expect(read('no places', {a: 1})).toEqual([]);
	const many = Array.from({length: 60}, (_, index) => `k${index}`);
	expect(
		read(many.map(key => `{${key}}`).join(''), Object.fromEntries(many.map(key => [key, 1]))),
	).toEqual([...many.slice(0, 40), '…']);
});

test('nested mappings and lists are JSON-serialised and truncated at 2000 characters', () => {
	expect(render('{a}', {a: {b: [1, 'x']}})).toBe('{\n  "b": [\n    1,\n    "x"\n  ]\n}');
	expect(render('{a}', {a: [], b: 1})).toBe('[]');
	expect(render('{a}', {a: ['x'.repeat(3000)]})).toHaveLength(2000);
	expect(render('{a}', {a: 'x'.repeat(3000)})).toHaveLength(3000);
});

test('no conditionals or other template syntax exist; anything else is passed through verbatim', () => {
	for (const text of [
		'{% if a %}',
		'{{ }}',
		'${HOME}',
		'{}',
		'{',
		'}',
		'}{',
		'{\n}',
		'\\{b\\}',
		'{a\n}',
		'{b|upper}',
		'<%= a %>',
	]) {
		expect(render(text, {a: 1})).toBe(text);
	}

	expect(render('{{a}}', {a: 1})).toBe('{1}');
});

test('one pass, no rescan', () => {
	expect(render('{a}', {a: '{b} {__raw__}', b: 'secret'})).toBe('{b} {__raw__}');
	expect(render('{a}{b}', {a: '{', b: 'c}', c: 'x'})).toBe('{c}');
});

test('own properties only (`{constructor}` stays literal)', () => {
	for (const text of [
		'{constructor}',
		'{__proto__}',
		'{a.length}',
		'{s.length}',
		'{toString}',
		'{o.hasOwnProperty}',
	]) {
		expect(render(text, {a: [1], s: 'x', o: {}})).toBe(text);
	}

	expect(render('{__proto__.x}', JSON.parse('{"__proto__": {"x": 1}}') as JsonValue)).toBe('1');
});

test('list indexes as in filters', () => {
	const payload = {alerts: [{labels: {alertname: 'DiskFull'}}, ['x']]};
	expect(render('{alerts.0.labels.alertname} {alerts.1.0}', payload)).toBe('DiskFull x');
	const others = '{alerts.2} {alerts.-1} {alerts.00} {alerts.0.0} {alerts.1e0} {alerts.1.length}';
	expect(render(others, payload)).toBe(others);
	expect(render('{0.a}', [{a: 1}])).toBe('1');
});

test('booleans and null as JSON', () => {
	expect(render('{a} {b} {c} {d}', {a: true, b: null, c: 1.5, d: ''})).toBe('true null 1.5 ');
});

test('`{event_type}` is the resolved event, in `deliver_extra` too', () => {
	expect(render('{event_type}', {event_type: 'other'}, 'push')).toBe('push');
	expect(
		compileExtra({chat_id: '{event_type}-{n}', nested: {a: ['{n}']}})({
			payload: {n: 7},
			event: 'e',
		}),
	).toEqual({
		chat_id: 'e-7',
		nested: {a: ['7']},
	});
});

test('only strings of `deliver_extra` are rendered', () => {
	const extra = {a: 1, b: null, c: true, '{n}': 'x'};
	expect(compileExtra(extra)({payload: {n: 7}, event: 'e'})).toEqual(extra);
});

test('payloads that are no objects have only `{__raw__}`', () => {
	expect(render('{a} {__raw__}', [1])).toBe('{a} [\n  1\n]');
	expect(render('{a} {__raw__}', null)).toBe('{a} null');
});

test('truncation counts code points and never tears a surrogate pair', () => {
	const text = rawDump('😀'.repeat(5000));
	expect(Array.from(text)).toHaveLength(4000);
	expect(text.isWellFormed()).toBe(true);
	expect(render('{a}', {a: '\ud83d'}).isWellFormed()).toBe(true);
});

test('a dump is the beginning of JSON.stringify, indented by 2', () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.nat(200), (value, limit) => {
			const json = JSON.parse(JSON.stringify(value)) as JsonValue;
			const whole = JSON.stringify(json, null, 2);
			expect(dumpJson(json, limit)).toBe(Array.from(whole).slice(0, limit).join(''));
		}),
		{numRuns: propertyRuns(3000)},
	);
	const strings = fc.array(fc.string({unit: 'grapheme', maxLength: 30}), {maxLength: 20});
	fc.assert(
		fc.property(
			fc.dictionary(fc.string({unit: 'grapheme'}), strings),
			fc.nat(300),
			(value, limit) => {
				const whole = JSON.stringify(value, null, 2);
				expect(dumpJson(value, limit)).toBe(Array.from(whole).slice(0, limit).join(''));
			},
		),
	);
});

test('neither depth nor size of a payload costs more than the text that is shown', () => {
	const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as JsonValue;
	expect(rawDump(deep)).toHaveLength(4000);
	const deepObject = JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)) as JsonValue;
	expect(rawDump(deepObject)).toHaveLength(4000);
	expect(render('{a.a.a}', deepObject)).toHaveLength(2000);
});

test('what a template repeats is bounded', () => {
	const text = render('{a}'.repeat(50), {a: 'x'.repeat(100_000)});
	expect(text).toHaveLength(1_048_576);
});

test('no template and no payload make it throw', () => {
	const source = fc.oneof(
		fc.string(),
		fc.string({unit: fc.constantFrom('{', '}', 'a', '.', '\n', '_'), maxLength: 60}),
	);
	fc.assert(
		fc.property(source, fc.jsonValue(), (template, value) => {
			const payload = JSON.parse(JSON.stringify(value)) as JsonValue;
			const {text} = renderTemplate(parseTemplate(template), {payload, event: 'e'});
			expect(text.isWellFormed()).toBe(true);
		}),
		{numRuns: propertyRuns(3000)},
	);
});

test('a template without values is its own text', () => {
	const source = fc.string({unit: fc.constantFrom('{', '}', 'k', '.', '\n', ' '), maxLength: 80});
	fc.assert(
		fc.property(source, template => {
			expect(render(template, {})).toBe(template);
		}),
		{numRuns: propertyRuns(3000)},
	);
});

test('parsing is linear: 200,000 openings are one text', () => {
	expect(parseTemplate('{'.repeat(200_000))).toHaveLength(1);
	expect(parseTemplate('{a'.repeat(100_000) + '}')).toHaveLength(2);
});

test('what the texts of `deliver_extra` repeat cannot fill the memory', () => {
	const extra = Object.fromEntries(
		Array.from({length: 20_000}, (_, index) => [`key${index}`, ['{x}{x}', 7]]),
	);
	const rendered = compileExtra(extra)({payload: {x: 'y'.repeat(300_000)}, event: 'e'});
	const texts = Object.values(rendered).map(value =>
		Array.isArray(value) ? String(value[0]) : '',
	);
	expect(texts.join('')).toHaveLength(1_048_576);
	expect(texts[0]).toHaveLength(600_000);
	expect(rendered['key19999']).toEqual(['', 7]);
});

test('a number that lost digits fills nothing in where a text goes to; in a prompt it is as it came', () => {
	const context = {payload: JSON.parse('{"chat": 1234567890123456789, "n": 12}'), event: 'push'};
	expect(compileExtra({chat_id: '{chat}', thread_id: '{n}'})(context)).toEqual({
		chat_id: '{chat}',
		thread_id: '12',
	});
	expect(renderTemplate(parseTemplate('{chat}'), context).text).toBe('1234567890123456800');
});
