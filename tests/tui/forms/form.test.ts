import {expect, test} from 'vitest';
import {contentOf, fieldProblem, typedText, typedValue} from '../../../source/nouns/field-kinds.ts';
import {
	actOnField,
	clearField,
	endEditing,
	moveField,
	newForm,
	pasteInto,
	problemsIn,
	turnField,
} from '../../../source/tui/forms/form.ts';
import {makeField} from '../../helpers/make-approval.ts';

const options = [
	{value: 'a', title: 'Alpha'},
	{value: 'b', title: 'Beta'},
];

test.for([
	[makeField({required: true}), '', 'is needed'],
	[makeField(), '', undefined],
	[makeField({least: 3}), '日本', 'at least 3 characters'],
	[makeField({most: 2}), '日本', undefined],
	[makeField({format: 'email'}), 'ann', 'is no email'],
	[makeField({format: 'email'}), 'ann@example.com', undefined],
	[makeField({format: 'uri'}), 'example', 'is no uri'],
	[makeField({format: 'date'}), '2026-11-20', undefined],
	[makeField({kind: 'number'}), '1e2', undefined],
	[makeField({kind: 'number'}), 'x', 'is no number'],
	[makeField({kind: 'number', most: 5}), '5.1', 'at most 5'],
	[makeField({kind: 'integer'}), '1.5', 'is no whole number'],
	[makeField({kind: 'choices', options, least: 1, required: true}), [], 'is needed'],
	[makeField({kind: 'choices', options, least: 2}), ['a'], 'at least 2 options'],
	[makeField({kind: 'boolean', required: true}), undefined, 'is needed'],
	[makeField({kind: 'boolean', required: true}), false, undefined],
] as const)('%o with %o: %s', ([field, value, problem]) => {
	expect(fieldProblem(field, value)).toBe(problem);
});

test('a form begins with the values that its server proposes, as far as they fit', () => {
	const form = newForm([
		makeField({key: 'n', kind: 'integer', initial: 3}),
		makeField({key: 'c', kind: 'choice', options, initial: 'z'}),
		makeField({key: 'm', kind: 'choices', options, initial: ['b', 'z']}),
		makeField({key: 'b', kind: 'boolean', initial: false}),
	]);

	expect(contentOf(form)).toEqual({n: 3, m: ['b'], b: false});
	expect(problemsIn(form).size).toBe(0);
});

test('a null in a mapping stays null when another line of it is changed', () => {
	const field = {...makeField(), kind: 'mapping'} as const;
	const typed = typedText(field, {owner: null, text: 'null', n: 1});
	expect(typedValue(field, typed.replace('n: 1', 'n: 2'))).toEqual({
		ok: true,
		value: {owner: null, text: 'null', n: 2},
	});
});

test('choices go around; each option of a list is on or off', () => {
	const form = newForm([
		makeField({key: 'c', kind: 'choice', options}),
		makeField({key: 'm', kind: 'choices', options}),
	]);
	const chosen = turnField(turnField(turnField(form, 1), 1), 1);
	expect(contentOf(chosen)).toEqual({c: 'a'});
	const second = turnField(moveField(moveField(chosen, 1), 1), 1);
	expect(contentOf(second)).toEqual({c: 'a', m: ['b']});
	expect(contentOf(turnField(second, 1))).toEqual({c: 'a'});
	expect(moveField(second, 1)).toBe(second);
	expect(moveField(moveField(second, -1), -1).index).toBe(0);
});

test('a text is typed, anything else is turned', () => {
	const form = newForm([makeField({key: 't'}), makeField({key: 'b', kind: 'boolean'})]);
	expect(actOnField(form).editing).toEqual({value: '', cursor: 0});
	expect(contentOf(actOnField(moveField(form, 1)))).toEqual({b: true});
});

const typed = (form: ReturnType<typeof newForm>, text: string) =>
	endEditing(pasteInto(actOnField(form), text));

test('what cannot be a value stays as it was typed, and says so', () => {
	const form = newForm([makeField({key: 'n', kind: 'number', initial: 1})]);
	const wrong = typed(form, 'x');
	expect(problemsIn(wrong).get('n')).toBe('is no number');
	expect(actOnField(wrong).editing).toMatchObject({value: '1x'});
	expect(contentOf(clearField(wrong))).toEqual({});
});

test('a secret is typed anew each time, and stays when nothing is typed', () => {
	const form = typed(newForm([makeField({key: 's', masked: true})]), 'abc');
	expect(actOnField(form).editing).toEqual({value: '', cursor: 0});
	expect(contentOf(endEditing(actOnField(form)))).toEqual({s: 'abc'});
	expect(contentOf(typed(form, 'de'))).toEqual({s: 'de'});
});

test('a field of several lines takes them; one that may have no value is turned through none', () => {
	const form = newForm([
		{...makeField({key: 'l'}), kind: 'lines'},
		{...makeField({key: 'b', kind: 'boolean'}), none: {default: true}},
	]);
	const filled = typed(form, 'one\ntwo');
	expect(contentOf(filled)).toEqual({l: 'one\ntwo'});
	const turned = turnField(moveField(filled, 1), 1);
	expect(contentOf(turned)).toEqual({l: 'one\ntwo', b: false});
	expect(contentOf(turnField(turned, 1))).toEqual({l: 'one\ntwo'});
});

test('steps of several fields end at the ends', () => {
	const form = newForm([
		makeField({key: 'a'}),
		makeField({key: 'b'}),
		makeField({key: 'm', kind: 'choices', options}),
	]);
	expect(moveField(form, 10).index).toBe(2);
	expect(moveField(form, Infinity)).toMatchObject({index: 2, option: 1});
	expect(moveField(moveField(form, Infinity), -Infinity)).toMatchObject({index: 0, option: 0});
});

test('turning a choice that has a default writes no value that is the default', () => {
	const offered = ['reject', 'oldest'].map(value => ({value, title: value}));
	const choice = makeField({key: 'c', kind: 'choice', options: offered});
	const field = {...choice, none: {default: 'reject'}};
	const turned = actOnField(newForm([field]));
	expect(turned.values).toEqual({c: 'oldest'});
	expect(actOnField(turned).values).toEqual({c: undefined});
});
