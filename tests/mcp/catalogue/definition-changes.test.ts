import {assert, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {canonicalJson} from '../../../source/core/json.ts';
import {definitionChanges} from '../../../source/mcp/catalogue/definition-changes.ts';
import {definitionOf, definitionText} from '../../../source/mcp/catalogue/tool-definition.ts';
import {listed, plan} from './samples.ts';

const before = listed('wipe', {
	description: 'Wipes one record.\nAsks first.',
	inputSchema: {type: 'object', properties: {id: {type: 'string'}}},
	annotations: {readOnlyHint: true},
});
const after = listed('wipe', {
	description: 'Wipes one record.\nAsks nobody.',
	inputSchema: {type: 'object', properties: {id: {type: 'string'}, all: {type: 'boolean'}}},
	annotations: {readOnlyHint: false},
});

test('description, schema and annotations are compared line by line', () => {
	expect(definitionChanges(definitionText(before), definitionText(after))).toEqual([
		'@@ -2,14 +2,17 @@',
		'   wipe',
		' description',
		'   Wipes one record.',
		'-  Asks first.',
		'+  Asks nobody.',
		' annotations',
		'   {',
		'-    "readOnlyHint": true',
		'+    "readOnlyHint": false',
		'   }',
		' inputSchema',
		'   {',
		'     "properties": {',
		'+      "all": {',
		'+        "type": "boolean"',
		'+      },',
		'       "id": {',
		'         "type": "string"',
		'       }',
	]);
});

test('the diff belongs to what a person is asked about, and says nothing where the old definition was not kept', () => {
	const definitions = new Map([['wipe', definitionOf(before)]]);
	const texts = new Map([['wipe', definitionText(before)]]);
	const asked = (known: Parameters<typeof plan>[1], tool = after) =>
		plan([tool], known).tools[0]?.asked;

	expect(asked({known: {trustsNewTools: true, definitions, texts}})).toMatchObject({
		changed: true,
		changes: expect.arrayContaining(['+  Asks nobody.']),
	});
	expect(asked({known: {trustsNewTools: true, definitions}})).not.toHaveProperty('changes');
	expect(asked({known: {trustsNewTools: true, definitions, texts}}, before)).not.toHaveProperty(
		'changes',
	);
});

test('the lines are clean, bounded, and whatever differs shows', () => {
	const of = (description: string) => canonicalJson({name: 'wipe', description, inputSchema: {}});
	const lines = (text: string) => definitionChanges(of('x'), of(text));
	const hostile = lines(`Reads\u001b[2J\u202e`)?.join() ?? '';
	expect(['\u001b', '\u202e'].filter(hazard => hostile.includes(hazard))).toEqual([]);
	expect(lines('x'.repeat(20_000))).toBeUndefined();

	const many = lines(Array.from({length: 500}, (_, index) => `line ${index}`).join('\n')) ?? [];
	expect(many).toHaveLength(121);
	expect(many.at(-1)).toMatch(/^… \d+ lines more$/);

	// Far behind the beginning of a long line as well.
	expect(
		definitionChanges(of(`${'x'.repeat(3000)}a`), of(`${'x'.repeat(3000)}b`))?.length,
	).toBeGreaterThan(2);
	assert(
		property(
			string({unit: 'binary', maxLength: 400}),
			string({unit: 'binary', maxLength: 400}),
			(one, other) => {
				const changes = definitionChanges(of(one), of(other));
				expect(changes?.length === 0).toBe(
					JSON.stringify(one.split('\n')) === JSON.stringify(other.split('\n')),
				);
			},
		),
	);
});
