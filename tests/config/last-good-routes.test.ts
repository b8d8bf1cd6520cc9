import {expect, test} from 'vitest';
import {parse} from 'yaml';
import type {Config} from '../../source/config/config.ts';
import {loadConfig} from '../../source/config/load-config.ts';
import {createRouteTableSource} from '../../source/config/route-table.ts';
import type {JsonValue} from '../../source/core/json.ts';
import {configOf, createTemporaryHome, type TemporaryHome} from './temporary-home.ts';

const reload = (home: TemporaryHome, before: Config, text: string): Config => {
	home.load({config: text});
	return configOf(loadConfig({paths: home.paths, environment: {}, before}));
};

const insecure = '{secret: INSECURE_NO_AUTH}';

/** A sound entry, the same one with an error, the receiver's settings that are other ones then, and what is served of the first. */
const edits: ReadonlyArray<
	readonly [
		says: string,
		good: string,
		invalid: string,
		settings: string,
		served: Readonly<Record<string, unknown>> | undefined,
	]
> = [
	['nothing else changed', '{secret: old}', '{secret: old, events: 5}', '', {secrets: ['old']}],
	['its secret was rotated', '{secret: old}', '{secret: new, events: 5}', '', {secrets: ['new']}],
	[
		'its secret was retired',
		'{secret: old}',
		'{secret: new, events: 5, retired_secrets: [{secret: old, until: 2999-01-01T00:00:00Z}]}',
		'',
		{secrets: ['new'], retiredSecrets: [{secret: 'old', until: Date.parse('2999-01-01')}]},
	],
	[
		'its retired secret was taken back',
		'{secret: new, retired_secrets: [{secret: old, until: 2999-01-01T00:00:00Z}]}',
		'{secret: new, events: 5}',
		'',
		{retiredSecrets: []},
	],
	[
		'its sender signs otherwise',
		'{secret: old}',
		'{secret: new, signature: stripe, events: 5}',
		'',
		{secrets: ['new'], signature: {kind: 'stripe'}},
	],
	['the global secret was replaced', '{}', '{events: 5}', 'secret: second', {secrets: ['second']}],
	['its secret was emptied', '{secret: old}', '{secret: "", deliver: nowhere}', '', undefined],
	['its secret cannot be read', '{secret: old}', '{secret: "${UNSET}"}', '', undefined],
	['its reference cannot be read', '{secret: old}', '{secret: "${UN-SET}"}', '', undefined],
	['its secret is none', '{secret: old}', '{secret: "whsec_!"}', '', undefined],
	['its signature cannot be read', '{secret: old}', '{signature: strip}', '', undefined],
	['nothing of it can be read', '{secret: old}', '7', '', undefined],
	[
		'its retired secrets cannot be read',
		'{secret: old, retired_secrets: [{secret: older, until: 2999-01-01T00:00:00Z}]}',
		'{secret: new, retired_secrets: 5}',
		'',
		{secrets: ['new'], retiredSecrets: []},
	],
	[
		'the literal that opens stands in a list',
		'{secret: old}',
		'{secret: [old, INSECURE_NO_AUTH]}',
		'',
		undefined,
	],
	[
		'it is insecure on loopback',
		insecure,
		'{secret: INSECURE_NO_AUTH, events: 5}',
		'',
		{insecure: true},
	],
	[
		'it is insecure off loopback',
		insecure,
		'{secret: INSECURE_NO_AUTH, events: 5}',
		'host: 0.0.0.0',
		undefined,
	],
	[
		'it was insecure, and has a secret off loopback',
		insecure,
		'{secret: new, events: 5}',
		'host: 0.0.0.0',
		{secrets: ['new'], insecure: false},
	],
	[
		'it is bound elsewhere',
		'{secret: old}',
		'{secret: old, profile: ops, events: 5}',
		'',
		undefined,
	],
	[
		'its profile is served no more',
		'{secret: old, profile: ops}',
		'{secret: old, profile: ops, events: 5}',
		'multiplex: false',
		undefined,
	],
	[
		'its profile cannot be read and is served no more',
		'{secret: old, profile: ops}',
		'{secret: old, profile: null}',
		'multiplex: false',
		undefined,
	],
];

const withSettings = (settings: string, routes = '') => {
	const {
		host = '127.0.0.1',
		secret = 'first',
		multiplex = true,
	} = parse(settings || '{}') as Record<string, unknown>;
	return `gateway: {multiplex_profiles: ${String(multiplex)}}\nplatforms: {webhook: {host: ${String(host)}, secret: ${String(secret)}, routes: {${routes}}}}`;
};

test.for(edits)(
	'of a route that slips, when %s: %s → %s {%s}',
	([, good, invalid, settings, served]) => {
		using home = createTemporaryHome();
		const before = configOf(home.load({config: withSettings('', `r: ${good}`)}));
		expect(before.webhook.routes.has('r')).toBe(true);
		const after = reload(home, before, withSettings(settings, `r: ${invalid}`));
		const route = after.webhook.routes.get('r');
		expect(route === undefined).toBe(served === undefined);
		expect(route ?? {}).toMatchObject(served ?? {});
	},
);

test.for(edits)(
	'of a subscription that slips, when %s: %s → %s {%s}',
	([, good, invalid, settings, served]) => {
		using home = createTemporaryHome();
		let config = configOf(home.load({config: withSettings('')}));
		let entry: unknown = parse(good);
		const table = createRouteTableSource({
			config: () => config,
			subscriptions: {current: () => ({entries: {r: entry as never}})},
		});
		expect(table().routes.has('r')).toBe(true);
		config = reload(home, config, withSettings(settings));
		entry = parse(invalid);
		for (let turn = 0; turn < 2; turn++) {
			const route = table().routes.get('r');
			expect(route === undefined).toBe(served === undefined);
			expect(route ?? {}).toMatchObject(served ?? {});
			config = {...config};
		}
	},
);

test('the last good version of a subscription is not served in the place of a static route', () => {
	using home = createTemporaryHome();
	let config = configOf(home.load({config: withSettings('')}));
	let entries: Record<string, JsonValue> = {r: {secret: 'old'}};
	const table = createRouteTableSource({
		config: () => config,
		subscriptions: {current: () => ({entries})},
	});
	expect(table().routes.has('r')).toBe(true);
	config = reload(home, config, withSettings('', 'r: {secret: static, events: 5}'));
	entries = {r: {secret: 'old', events: 5}};
	expect(table().routes.has('r')).toBe(false);
	// Nor the other way round.
	config = reload(home, config, withSettings('', 'r: {secret: static}'));
	expect(table().routes.get('r')?.source).toBe('static');
	config = reload(home, config, withSettings(''));
	expect(table().routes.has('r')).toBe(false);
});

test('a key that stands twice takes out that subscription, as nobody can say which is meant', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: withSettings('')}));
	let text = '{"r": {"secret": "old", "prompt": "first"}, "s": {"secret": "own"}}';
	const table = createRouteTableSource({
		config: () => config,
		subscriptions: {
			current: () => ({
				text,
				// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
				entries: JSON.parse(text) as Record<string, JsonValue>,
			}),
		},
	});
	expect([...table().routes.keys()]).toEqual(['r', 's']);
	// What sends stays as it is written; the rest stays as it was.
	text = '{"r": {"secret": "new", "prompt": "a", "prompt": "b"}, "s": {"secret": "own"}}';
	const {routes, invalid} = table();
	expect(routes.get('r')).toMatchObject({secrets: ['new'], prompt: 'first'});
	expect([...invalid.values()].map(({reason, problem}) => [reason, problem.column])).toEqual([
		['Route "r" cannot be used: prompt stands twice: remove one of them', text.indexOf('"b"') + 1],
	]);
	// The same text of an entry that was sound a moment ago, and the entry twice.
	text = '{"s": {"secret": "own"}, "s": {"secret": "own"}, "__proto__": 1}';
	expect([...table().invalid.keys()]).toEqual(['s', '__proto__']);
	expect([...table().routes.keys()]).toEqual([]);
	text = '{"r": {"secret": "a", "secret": "b"}}';
	expect([...table().routes.keys()]).toEqual([]);
});
