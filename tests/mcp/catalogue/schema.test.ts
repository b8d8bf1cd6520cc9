import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {cleanSchema} from '../../../source/mcp/catalogue/schema.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const clean = (schema: unknown) => cleanSchema(schema).schema;

/** The schema of one argument after it went through. */
const cleanArgument = (argument: unknown, more: object = {}) =>
	Object(clean({type: 'object', properties: {a: argument}, ...more})['properties']).a;

test.for([
	[undefined],
	[null],
	[true],
	['text'],
	[[]],
	[{}],
	[{type: 'object'}],
	[{type: 'string'}],
])('%j becomes an object schema without arguments', ([schema]) => {
	expect(clean(schema)).toEqual({type: 'object', properties: {}});
});

test('keywords that models do not need are kept out', () => {
	expect(
		clean({
			$schema: 'https://json-schema.org/draft/2020-12/schema',
			$id: 'https://example.com/a',
			$comment: 'x',
			$defs: {b: {}},
			type: 'object',
			properties: {a: {type: 'string', minLength: 1, 'x-mcp-header': 'A', $anchor: 'a'}},
			required: ['a', 'a', 'gone', 5],
			additionalProperties: false,
			unevaluatedProperties: false,
		}),
	).toEqual({
		type: 'object',
		properties: {a: {type: 'string', minLength: 1}},
		required: ['a'],
		additionalProperties: false,
	});
});

test('a local reference is followed; what stands beside it wins', () => {
	const more = {$defs: {'a/b': {type: 'string', description: 'far'}}};

	expect(cleanArgument({$ref: '#/$defs/a~1b', description: 'near'}, more)).toEqual({
		type: 'string',
		description: 'near',
	});
});

test('a remote reference is dropped', () => {
	expect(cleanArgument({$ref: 'https://example.com/schema.json', title: 'T'})).toEqual({
		title: 'T',
	});
	expect(cleanArgument({$ref: 'file:///etc/passwd'})).toEqual({});
	expect(cleanArgument({$ref: '#anchor'})).toEqual({});
	expect(cleanArgument({$ref: '#/$defs/none'})).toEqual({});
	expect(cleanArgument({$ref: '#/constructor/prototype'})).toEqual({});
});

test('a reference to itself ends', () => {
	const node = {type: 'object', properties: {next: {$ref: '#/$defs/node'}}};

	expect(cleanArgument({$ref: '#/$defs/node'}, {$defs: {node}})).toEqual({
		type: 'object',
		properties: {next: {}},
	});
	expect(cleanArgument({$ref: '#/$defs/x'}, {$defs: {x: {$ref: '#/$defs/x'}}})).toEqual({});
	expect(clean({$ref: '#'})).toEqual({type: 'object', properties: {}});
});

test('references that multiply are bounded', () => {
	const levels = Array.from({length: 30}, (_, level) => [
		`l${level}`,
		{
			type: 'object',
			description: 'x'.repeat(100),
			properties: Object.fromEntries(
				['a', 'b', 'c', 'd'].map(key => [key, {$ref: `#/$defs/l${level + 1}`}]),
			),
		},
	]);

	const schema = clean({
		type: 'object',
		properties: {bomb: {$ref: '#/$defs/l0'}, note: {type: 'string'}},
		$defs: Object.fromEntries(levels),
	});

	expect(JSON.stringify(schema).length).toBeLessThanOrEqual(256 * 1024);
	expect(schema['properties']).toHaveProperty('note');
});

test('anyOf with null is one type that may be null', () => {
	expect(
		cleanArgument({anyOf: [{type: 'string', enum: ['a']}, {type: 'null'}], default: null}),
	).toEqual({type: ['string', 'null'], enum: ['a', null], default: null});
	expect(cleanArgument({oneOf: [{type: 'null'}, {type: 'integer'}]})).toEqual({
		type: ['integer', 'null'],
	});
	const several = {anyOf: [{type: 'string'}, {type: 'integer'}, {type: 'null'}]};
	expect(cleanArgument(several)).toEqual(several);
});

test('alternatives at the top are joined: every argument of one, what all need', () => {
	expect(
		clean({
			type: 'object',
			properties: {both: {type: 'string'}},
			required: ['both'],
			oneOf: [
				{properties: {id: {type: 'string'}, x: {}}, required: ['id', 'x']},
				{properties: {name: {type: 'string'}, x: {}}, required: ['name', 'x']},
			],
			allOf: [{properties: {z: {type: 'number'}}, required: ['z']}],
			additionalProperties: false,
		}),
	).toEqual({
		type: 'object',
		properties: {
			both: {type: 'string'},
			id: {type: 'string'},
			name: {type: 'string'},
			x: {},
			z: {type: 'number'},
		},
		required: ['both', 'z', 'x'],
	});
});

test('an argument whose name no model API takes is left out and named', () => {
	expect(
		cleanSchema({
			type: 'object',
			properties: {$filter: {}, 'ok-1.x': {}, 'bi\u202edi': {}, __proto__x: {}},
			required: ['$filter', 'ok-1.x'],
		}),
	).toEqual({
		schema: {type: 'object', properties: {'ok-1.x': {}, __proto__x: {}}, required: ['ok-1.x']},
		lost: ['$filter', 'bi\u202edi'],
	});
});

test('descriptions lose what nobody sees, values that hold it are left out', () => {
	expect(
		cleanArgument({
			description: 'A\u{e0041}\u{e0042} \u202e',
			enum: ['fine', 'hid\u200bden', null, 3],
			default: '\u001b[2J',
		}),
	).toEqual({description: String.raw`A \u{202e}`, enum: ['fine', null, 3]});
});

test('a list without items, a type that is none and a schema that is true or false are made plain', () => {
	expect(cleanArgument({type: 'array'})).toEqual({type: 'array', items: {}});
	expect(cleanArgument({type: 'tuple'})).toEqual({});
	expect(cleanArgument({type: ['string', 'string', 'odd']})).toEqual({type: 'string'});
	expect(cleanArgument(true)).toEqual({});
	expect(cleanArgument(false)).toEqual({});
	expect(cleanArgument({minimum: 'x', maximum: Number.NaN, exclusiveMinimum: true})).toEqual({});
});

test('the schema of the server is not altered', () => {
	const schema = {type: 'object', properties: {a: {$ref: '#/$defs/b'}}, $defs: {b: {type: 'null'}}};
	const copy = structuredClone(schema);
	clean(schema);

	expect(schema).toEqual(copy);
});

const keyword = fc.constantFrom(
	...'$ref type properties required items anyOf oneOf allOf enum const prefixItems $defs'.split(
		' ',
	),
	...'additionalProperties default description not __proto__ a'.split(' '),
);
const {schema: hostile} = fc.letrec(tie => ({
	schema: fc.oneof(
		{maxDepth: 5, withCrossShrink: true},
		fc.jsonValue(),
		fc.constantFrom('#', '#/$defs/a', '#/properties/a', 'object', 'array'),
		fc.dictionary(keyword, tie('schema'), {maxKeys: 5}),
		fc.array(tie('schema'), {maxLength: 3}),
	),
}));

test('any value becomes a bounded object schema without references, and that stays as it is', () => {
	fc.assert(
		fc.property(hostile, value => {
			const schema = clean(value);

			expect(schema['type']).toBe('object');
			expect(schema['properties']).toBeTypeOf('object');
			expect(schema).not.toHaveProperty('anyOf');
			expect(clean(schema)).toEqual(schema);
		}),
		{numRuns: propertyRuns(300)},
	);
});
