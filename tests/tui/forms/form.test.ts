import {expect, test} from 'vitest';
import {fieldProblem} from '../../../source/tui/forms/field-problem.ts';
import {
	actOnField,
	contentOf,
	moveField,
	newForm,
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
