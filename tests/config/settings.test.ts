import {expect, expectTypeOf, test} from 'vitest';
import {z} from 'zod';
import {settingsTableOf} from '../../scripts/manual/settings-tables.ts';
import {configSchemaJson} from '../../source/config/config-schema-json.ts';
import {findUnknownKeys} from '../../source/config/schema-issues.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {
	flag,
	jsonSchemaOf,
	looseSetting,
	requiredSetting,
	seconds,
	setting,
	nonEmptyTexts,
	wholeNumber,
} from '../../source/core/schema-parts.ts';
import {defineSettings, group, section} from '../../source/core/settings.ts';

const inner = defineSettings({
	limit: setting(wholeNumber(1, 10), 'How many', {default: 5}),
	wait: setting(seconds(100), 'How long', {default: 1.5, unit: 'seconds'}),
});

/** A section that nobody has: each setting is one line here, and nowhere else. */
const kitchen = defineSettings({
	oven_door: flag(false, 'Whether it is *open*'),
	chef: requiredSetting(z.string(), 'Who cooks', {change: 'restart'}),
	recipe_names: setting(
		nonEmptyTexts.transform(names => names.toSorted()),
		'What is cooked',
		{default: []},
	),
	key: setting(z.string(), 'Opens the door', {secret: true, to: written => written || undefined}),
	stove: group(inner, 'The stove', {change: 'reconnect'}),
	mood: looseSetting({type: 'string'}, 'Any word', {
		to: (written): 'good' | 'bad' => (written === 'good' ? 'good' : 'bad'),
	}),
	colour: setting(z.string(), 'Decided elsewhere', {at: ['paint.colour']}),
});

const schema = jsonSchemaOf(kitchen.schema) as JsonObject;

test('the typed value has every default, name and unit', () => {
	const parsed = section(kitchen, 'The kitchen').parse({
		chef: 'ann',
		recipe_names: ['b', 'a'],
		key: '',
		stove: {wait: 0.0001, limit: null},
		mood: 7,
		colour: 'red',
		unknown: 1,
	});
	expect(parsed).toEqual({
		ovenDoor: false,
		chef: 'ann',
		recipeNames: ['a', 'b'],
		stove: {limit: 5, waitMs: 1},
		mood: 'bad',
	});
	expectTypeOf(parsed).toEqualTypeOf<{
		readonly ovenDoor: boolean;
		readonly chef: string;
		readonly recipeNames: readonly string[];
		readonly key?: string;
		readonly stove: {readonly limit: number; readonly waitMs: number};
		readonly mood?: 'good' | 'bad';
	}>();
	expect(kitchen.read({chef: 'ann', oven_door: null, stove: null})).toEqual({
		ovenDoor: false,
		chef: 'ann',
		recipeNames: [],
		stove: {limit: 5, waitMs: 1500},
	});
});

test('what is different is told by the keys of the file, with what it needs; no secret is in it', () => {
	const before = kitchen.read({chef: 'ann', key: 'key-one'});
	const after = {
		...kitchen.read({
			chef: 'bob',
			key: 'key-two',
			oven_door: true,
			recipe_names: ['a'],
			stove: {wait: 2, limit: 5},
		}),
		paint: {colour: 'red'},
	};
	expect(
		kitchen.differences(before, after).map(({key, change, text}) => [key, change, text]),
	).toEqual([
		['oven_door', 'at-once', 'false → true'],
		['chef', 'restart', 'ann → bob'],
		['recipe_names', 'at-once', 'changed'],
		['key', 'at-once', 'changed'],
		['stove.wait', 'reconnect', '1.5 → 2'],
		['colour', 'at-once', 'unset → red'],
	]);
	expect(kitchen.differences(after, after)).toEqual([]);
});

test('the JSON Schema, the manual and the hints for unknown keys know it', () => {
	expect(schema['required']).toEqual(['chef']);
	expect(schema['properties']).toMatchObject({
		oven_door: {default: false, description: 'Whether it is *open*'},
		recipe_names: {default: []},
		key: {'x-secret': true},
		mood: {type: 'string'},
	});
	expect(settingsTableOf(schema, ['kitchen']).split('\n').slice(2)).toEqual([
		'| `kitchen.oven_door` | `false` | Whether it is *open* | at once |',
		'| `kitchen.chef` |  | Who cooks | after a restart |',
		'| `kitchen.recipe_names` | `[]` | What is cooked | at once |',
		'| `kitchen.key` |  | Opens the door | at once |',
		'| `kitchen.stove.limit` | `5` | How many | reconnects |',
		'| `kitchen.stove.wait` | `1.5` | How long | reconnects |',
		'| `kitchen.mood` |  | Any word | at once |',
		'| `kitchen.colour` |  | Decided elsewhere | at once |',
	]);
	expect(findUnknownKeys({ovendoor: true, stove: {limitt: 1}}, schema)).toEqual([
		{path: ['ovendoor'], nearest: 'oven_door'},
		{path: ['stove', 'limitt'], nearest: 'limit'},
	]);
});

test('the schema for editors has no keyword that is ours alone, and suggests the words of `trust`', () => {
	const text = JSON.stringify(configSchemaJson());
	expect(text).not.toMatch(/"x-/);
	// Nor several types at a time, which a strict compiler refuses, or an alternative that requires what it does not name.
	expect(text).not.toMatch(/"type":\[[^\]]*,[^\]]*,/);
	expect(text).toContain('{"required":["url"],"properties":{"url":true}}');
	expect(text).toContain('"enum":["full","untrusted"]');
});
