import {assert, dictionary, constantFrom, integer, property} from 'fast-check';
import {expect, test} from 'vitest';
import {withValueAt} from '../../../source/core/json-path.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {typedText, typedValue} from '../../../source/nouns/field-kinds.ts';
import {
	afterOwnEdit,
	changeDraft,
	countChanges,
	isDirty,
	onTopOf,
	undo,
	wireDraft,
	type Draft,
} from '../../../source/tui/editor/draft.ts';
import {settingField} from '../../../source/tui/editor/route-form.ts';
import {changesBetween, shownValue} from '../../../source/tui/editor/shown-value.ts';

const draftOf = (base: JsonObject): Draft => ({
	name: 'hook',
	from: 'hook',
	isNew: false,
	source: 'dynamic',
	fingerprint: 'f',
	traffic: 'hook',
	base,
	definition: base,
	past: [],
});

const set = (draft: Draft, path: readonly string[], value?: JsonObject | string | number) =>
	changeDraft(draft, {definition: withValueAt(draft.definition, path, value)});

test('undo takes back one change after the other, at most 20', () => {
	const start = draftOf({prompt: '0'});
	const changed = Array.from({length: 25}, (_, index) => String(index + 1)).reduce(
		(draft, text) => set(draft, ['prompt'], text),
		start,
	);

	expect(undo(changed).definition).toEqual({prompt: '24'});
	expect(Array.from({length: 30}).reduce<Draft>(undo, changed).definition).toEqual({prompt: '5'});
	expect(set(start, ['prompt'], '0')).toBe(start);
});

test('a mapping goes with the last of its keys, and comes with the first', () => {
	const some = set(draftOf({}), ['coalesce', 'key'], '{number}');

	expect(some.definition).toEqual({coalesce: {key: '{number}'}});
	expect(set(some, ['coalesce', 'key']).definition).toEqual({});
	expect(isDirty(some)).toBe(true);
	expect(countChanges(some)).toBe(1);
});

test('on top of what somebody else did: keys that were changed here as here, all others as there', () => {
	const mine = set(set(draftOf({a: 1, b: 1, c: 1}), ['a'], 2), ['c']);
	const theirs = {definition: {a: 1, b: 5, c: 1, d: 1}, fingerprint: 'g'};

	const both = onTopOf(mine, theirs);

	expect(both).toMatchObject({
		definition: {a: 2, b: 5, d: 1},
		base: theirs.definition,
		fingerprint: 'g',
	});
	expect(undo(both).definition).toEqual(mine.definition);
	assert(
		property(
			dictionary(constantFrom('a', 'b', 'c'), integer({max: 2, min: 0})),
			dictionary(constantFrom('a', 'b', 'c'), integer({max: 2, min: 0})),
			(before, there) => {
				expect(onTopOf(draftOf(before), {definition: there, fingerprint: ''}).definition).toEqual(
					there,
				);
			},
		),
	);
});

test('what a person wrote into the file by hand stays there, whatever is taken back', () => {
	const mine = set(set(draftOf({a: 1, tools: 1}), ['a'], 2), ['a'], 3);
	const both = afterOwnEdit(mine, {definition: {a: 1, tools: 2}, fingerprint: 'g'});

	expect(both.definition).toEqual({a: 3, tools: 2});
	expect(undo(both).definition).toEqual({a: 2, tools: 2});
	expect(isDirty(undo(undo(both)))).toBe(false);
});

test('another name counts as a change, and can be taken back', () => {
	const renamed = changeDraft(draftOf({a: 1}), {name: 'fresh'});

	expect([isDirty(renamed), countChanges(renamed)]).toEqual([true, 1]);
	expect(wireDraft(renamed)).toMatchObject({from: 'hook'});
	expect(wireDraft(undo(renamed))).not.toHaveProperty('from');
	expect(isDirty(undo(renamed))).toBe(false);
});

test.for([
	['texts', ['push', 'issues'], 'push, issues'],
	['texts', ['a,b'], '[\n  "a,b"\n]'],
	['lines', 'one\ntwo', 'one\ntwo'],
	['number', 2.5, '2.5'],
	[
		'mapping',
		{repo: '{a.b}', pr_number: 7, text: '7', list: [1]},
		'repo: {a.b}\npr_number: 7\ntext: "7"\nlist: [1]',
	],
	['json', [{field: 'a', equals: null}], '[\n  {\n    "field": "a",\n    "equals": null\n  }\n]'],
	['json', 'stripe', 'stripe'],
] as const)('%s: what is typed is what was shown (%j)', ([kind, value, text]) => {
	const field = settingField({path: ['x'], kind, description: ''});

	expect(typedText(field, value)).toBe(text);
	expect(typedValue(field, text)).toEqual({ok: true, value});
});

test('what is empty is left out, and what is wrong is said', () => {
	expect(typedValue(settingField({path: ['x'], kind: 'lines', description: ''}), ' ')).toEqual({
		ok: true,
		value: undefined,
	});
	expect(
		typedValue(settingField({path: ['x'], kind: 'integer', description: ''}), 'ten'),
	).toMatchObject({
		ok: false,
	});
	expect(
		typedValue(settingField({path: ['x'], kind: 'json', description: ''}), '{"a":'),
	).toMatchObject({
		ok: false,
	});
	expect(
		typedValue(settingField({path: ['x'], kind: 'mapping', description: ''}), 'a: 1\nno'),
	).toEqual({
		ok: false,
		problem: 'has no "key: value" in line 2',
	});
});

test('of a secret is shown whether it is there, also of one that was typed', () => {
	const field = {path: ['secret'], kind: 'texts', description: '', secret: true} as const;

	expect(shownValue(field, '<kept: secret, 43 bytes>')).toBe('✓ set, 43 bytes');
	expect(shownValue(field, 'just-typed-it')).toBe('new, set here');
	expect(shownValue(field, '${NAME}')).toBe('"${NAME}"');
	expect(typedText(settingField(field), 'just-typed-it')).toBe('');
});

test('of a long text that was changed what is around the first difference is told; of a secret nothing but that it is there', () => {
	const fields = [
		{path: ['prompt'], kind: 'lines', description: ''},
		{path: ['secret'], kind: 'texts', description: '', secret: true},
	] as const;
	const long = 'word '.repeat(1000);
	expect(
		changesBetween(
			fields,
			{prompt: `${long}old end`, secret: '<kept: secret, 9 bytes>'},
			{prompt: `${long}new end`, secret: 'typed-here-now'},
		),
	).toEqual([
		'  prompt: …ord word word old end → …ord word word new end',
		'  secret: ✓ set, 9 bytes → new, set here',
	]);
});
