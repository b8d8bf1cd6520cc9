import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {formFields} from '../../../source/mcp/requests/form-fields.ts';

const fieldsOf = (properties: object, required: readonly string[] = []) =>
	formFields({type: 'object', properties, required});

const plain = {description: '', required: false, masked: false};

test('every kind of field that the protocol knows has a field of ours', () => {
	expect(
		fieldsOf(
			{
				name: {type: 'string', title: 'Your name', minLength: 2, maxLength: 40, default: 'Ada'},
				mail: {type: 'string', format: 'email', description: 'Where to'},
				age: {type: 'integer', minimum: 0, maximum: 150, default: 30},
				rate: {type: 'number'},
				agree: {type: 'boolean', default: true},
				size: {type: 'string', enum: ['s', 'l'], default: 'l'},
				named: {type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large']},
				titled: {type: 'string', oneOf: [{const: 'r', title: 'Red'}]},
				many: {
					type: 'array',
					minItems: 1,
					maxItems: 2,
					items: {type: 'string', enum: ['a', 'b', 'c']},
					default: ['a', 'c'],
				},
				several: {type: 'array', items: {anyOf: [{const: 'x', title: 'The x'}]}},
			},
			['name'],
		),
	).toEqual([
		{
			...plain,
			key: 'name',
			title: 'Your name',
			kind: 'text',
			least: 2,
			most: 40,
			initial: 'Ada',
			required: true,
		},
		{...plain, key: 'mail', title: 'mail', description: 'Where to', kind: 'text', format: 'email'},
		{...plain, key: 'age', title: 'age', kind: 'integer', least: 0, most: 150, initial: 30},
		{...plain, key: 'rate', title: 'rate', kind: 'number'},
		{...plain, key: 'agree', title: 'agree', kind: 'boolean', initial: true},
		{
			...plain,
			key: 'size',
			title: 'size',
			kind: 'choice',
			options: [
				{value: 's', title: 's'},
				{value: 'l', title: 'l'},
			],
			initial: 'l',
		},
		{
			...plain,
			key: 'named',
			title: 'named',
			kind: 'choice',
			options: [
				{value: 's', title: 'Small'},
				{value: 'l', title: 'Large'},
			],
		},
		{
			...plain,
			key: 'titled',
			title: 'titled',
			kind: 'choice',
			options: [{value: 'r', title: 'Red'}],
		},
		{
			...plain,
			key: 'many',
			title: 'many',
			kind: 'choices',
			options: ['a', 'b', 'c'].map(value => ({value, title: value})),
			least: 1,
			most: 2,
			initial: ['a', 'c'],
		},
		{
			...plain,
			key: 'several',
			title: 'several',
			kind: 'choices',
			options: [{value: 'x', title: 'The x'}],
		},
	]);
});

test.for(['password', 'API key', 'access_token', 'Your PIN', 'client-secret'])(
	'a field called %j is masked',
	title => {
		expect(fieldsOf({x: {type: 'string', title}})?.[0]?.masked).toBe(true);
		expect(fieldsOf({[title]: {type: 'string', title: 'x'}})?.[0]?.masked).toBe(true);
	},
);

test('a default that the form itself would refuse is none', () => {
	const [age, size] =
		fieldsOf({
			age: {type: 'integer', minimum: 18, default: 3},
			size: {type: 'string', enum: ['s'], default: 'xl'},
		}) ?? [];

	expect([age?.initial, size?.initial]).toEqual([undefined, undefined]);
});

test('texts are cleaned, keys and values go back as they came', () => {
	const [field] =
		fieldsOf({
			'k\u202e': {
				type: 'string',
				title: 'T\u001b[2J',
				description: 'a\u200bb',
				oneOf: [{const: 'v\u202e', title: 'x\ny'}],
			},
		}) ?? [];

	expect(field).toMatchObject({
		key: 'k\u202e',
		title: 'T␛[2J',
		description: String.raw`a\u{200b}b`,
		options: [{value: 'v\u202e', title: 'x␊y'}],
	});
});

test.for([
	['no object', 'text'],
	['no properties', {type: 'object'}],
	['a nested object', {type: 'object', properties: {a: {type: 'object'}}}],
	[
		'a list of numbers',
		{type: 'object', properties: {a: {type: 'array', items: {type: 'number'}}}},
	],
	['an empty enum', {type: 'object', properties: {a: {type: 'string', enum: []}}}],
	[
		'51 fields',
		{
			type: 'object',
			properties: Object.fromEntries(
				Array.from({length: 51}, (_, index) => [`f${index}`, {type: 'string'}]),
			),
		},
	],
] as const)('%s cannot be shown', ([, schema]) => {
	expect(formFields(schema)).toBeUndefined();
});

test('no schema makes it throw', () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue()), properties => {
			const fields = fieldsOf(properties);

			expect(fields === undefined || fields.length === Object.keys(properties).length).toBe(true);
		}),
	);
});
