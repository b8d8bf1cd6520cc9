import {expect, test} from 'vitest';
import type {Config} from '../../source/config/config.ts';
import {loadConfig} from '../../source/config/load-config.ts';
import {createRouteTableSource} from '../../source/config/route-table.ts';
import type {JsonValue} from '../../source/core/json.ts';
import {configOf, createTemporaryHome, type TemporaryHome} from './temporary-home.ts';

const reload = (home: TemporaryHome, before: Config, value: object): Config => {
	home.load({config: JSON.stringify(value, null, 1)});
	return configOf(loadConfig({paths: home.paths, environment: {}, before}));
};

const webhook = (settings: object) => ({
	platforms: {webhook: {enabled: true, port: 8701, ...settings}},
});
const route = (keys: object) => webhook({routes: {r: {secret: 'own', ...keys}}});

/** What runs, what is typed instead, the item that says so, and what of the configuration stays. */
const itemErrors: ReadonlyArray<
	readonly [
		lost: string,
		good: object,
		typed: object,
		slip: string | undefined,
		kept: (config: Config) => unknown,
		value: unknown,
	]
> = [
	[
		'rate_limit',
		webhook({rate_limit: 600}),
		webhook({rate_limt: 600}),
		'platforms.webhook',
		config => config.webhook.rateLimit,
		600,
	],
	[
		'host',
		webhook({host: '127.0.0.1'}),
		webhook({hots: '127.0.0.1'}),
		'platforms.webhook',
		config => config.webhook.host,
		'127.0.0.1',
	],
	[
		'webhook',
		webhook({}),
		{platforms: {webhok: {enabled: true, port: 8701}}},
		'platforms.webhook',
		config => config.webhook.enabled,
		true,
	],
	[
		'platforms',
		webhook({}),
		{platfroms: {webhook: {enabled: true}}},
		'platforms',
		config => config.webhook.enabled,
		true,
	],
	[
		'concurrency',
		{runs: {concurrency: 1}},
		{runs: {concurency: 1}},
		'runs',
		config => config.runs.concurrency,
		1,
	],
	[
		'model',
		{model: {provider: 'offline'}},
		{modell: {provider: 'offline'}},
		'model',
		config => config.model.provider,
		'offline',
	],
	[
		'multiplex_profiles',
		{gateway: {multiplex_profiles: true}},
		{gateway: {multiplex_profile: true}},
		'gateway',
		config => config.multiplexProfiles,
		true,
	],
	[
		'trust',
		{mcp_servers: {crm: {command: 'a', trust: 'full', tools: {include: ['x']}}}},
		{mcp_servers: {crm: {command: 'a', trust: 'full', tools: {inclde: ['x']}}}},
		'mcp_servers.crm',
		config => config.toolServers.get('crm')?.tools.include,
		['x'],
	],
	[
		'rate_limit',
		route({rate_limit: 600}),
		route({rate_limt: 600}),
		undefined,
		config => config.webhook.routes.get('r')?.rateLimit,
		600,
	],
	[
		'filters',
		route({filters: {field: 'a', equals: 1}}),
		route({filtres: {field: 'a', equals: 1}}),
		undefined,
		config => config.webhook.routes.get('r')?.filters !== undefined,
		true,
	],
];

test.for(itemErrors)(
	'a reload on which %s became an unknown key keeps what ran, and says so: %j %j',
	([, good, typed, slip, kept, value]) => {
		using home = createTemporaryHome();
		const start = configOf(home.load({config: JSON.stringify(good)}));
		const first = reload(home, start, typed);
		// Also when something else changes later.
		const second = reload(home, first, {...typed, forge: {cli: 'other'}});
		expect(second.forge.cli).toBe('other');
		for (const config of [first, second]) {
			expect(kept(config)).toEqual(value);
			const problems = config.problems.filter(({severity}) => severity === 'error');
			expect(problems).toHaveLength(1);
			// One mistake, one problem.
			expect(
				config.problems.filter(
					({line, column}) => line === problems[0]?.line && column === problems[0]?.column,
				),
			).toEqual(problems);
			expect(problems[0]?.message).toMatch(/^was in use and is not there any more, but "/);
			expect(problems[0]?.line).toBeGreaterThan(1);
			expect([...config.itemErrors.values()].map(({item}) => item)).toEqual(slip ? [slip] : []);
			expect(config.webhook.invalid.map(({name}) => name)).toEqual(slip ? [] : ['r']);
		}

		// Written as it was, all is well; taken out, the default holds.
		const mended = reload(home, second, good);
		expect(kept(mended)).toEqual(value);
		expect([...mended.itemErrors.values(), ...mended.webhook.invalid]).toEqual([]);
	},
);

test('what is taken out on purpose, beside a key that was unknown all along, is gone', () => {
	using home = createTemporaryHome();
	const start = configOf(
		home.load({config: JSON.stringify(webhook({rate_limit: 600, unknown: 1}))}),
	);
	const after = reload(home, start, webhook({unknown: 1}));
	expect(after.webhook.rateLimit).toBe(30);
	expect([...after.itemErrors.values()]).toEqual([]);
	// One that is nearly the same is meant, also when it came a save before.
	const both = webhook({routes: {r: {secret: 'own', secert: 'new'}}, secret: 'global'});
	const first = reload(home, start, both);
	const second = reload(home, first, webhook({routes: {r: {secert: 'new'}}, secret: 'global'}));
	expect([...second.webhook.routes.keys()]).toEqual([]);
	// At a start nobody knows what was meant.
	expect(
		configOf(home.load({config: JSON.stringify(webhook({rate_limt: 600}))})).itemErrors.size,
	).toBe(0);
});

test('a setting of the receiver that moved under extra, or out of it, is not lost', () => {
	using home = createTemporaryHome();
	const [inside, beside] = [{extra: {rate_limit: 500}}, {rate_limit: 600}];
	for (const [good, typed, limit] of [
		[beside, inside, 500],
		[inside, beside, 600],
	] as const) {
		const start = configOf(home.load({config: JSON.stringify(webhook(good))}));
		const after = reload(
			home,
			start,
			webhook({...typed, unknown: 1, extra: {...('extra' in typed && typed.extra), other: 1}}),
		);
		expect(after.webhook.rateLimit).toBe(limit);
		expect(after.itemErrors.size).toBe(0);
	}
});

test('the address that a sender signs stays when it cannot be read', () => {
	using home = createTemporaryHome();
	const twilio = (keys: object) => route({signature: 'twilio', ...keys});
	const good = twilio({public_url: 'https://hooks.example.com/r'});
	const start = configOf(home.load({config: JSON.stringify(good)}));
	expect(start.webhook.routes.get('r')?.publicUrl).toBe('https://hooks.example.com/r');
	for (const typed of [
		{public_url: 5},
		{public_url: 'nonsense'},
		{publc_url: 'https://x.example/'},
	]) {
		const {webhook: after} = reload(home, start, twilio(typed));
		expect(after.routes.get('r')?.publicUrl).toBe('https://hooks.example.com/r');
		expect(after.invalid.map(({name}) => name)).toEqual(['r']);
	}
});

test('a secret whose key became unknown passes no more, and opens nothing', () => {
	using home = createTemporaryHome();
	const both = (keys: object) => webhook({secret: 'global', routes: {r: keys}});
	const start = configOf(home.load({config: JSON.stringify(both({secret: 'own'}))}));
	const after = reload(home, start, both({secrt: 'new'}));
	expect([...after.webhook.routes.keys()]).toEqual([]);
	expect(after.webhook.invalid.map(({name}) => name)).toEqual(['r']);
});

test('a subscription on which a key became unknown stays as it was, and says so', () => {
	using home = createTemporaryHome();
	let config = configOf(home.load({config: JSON.stringify(webhook({}))}));
	let entries: Record<string, JsonValue> = {r: {secret: 'own', rate_limit: 600}};
	const table = createRouteTableSource({
		config: () => config,
		subscriptions: {current: () => ({entries})},
	});
	expect(table().routes.get('r')?.rateLimit).toBe(600);
	entries = {r: {secret: 'new', rate_limt: 600}};
	for (let turn = 0; turn < 2; turn++) {
		expect(table().routes.get('r')).toMatchObject({rateLimit: 600, secrets: ['new']});
		expect(table().invalid.get('r')?.reason).toMatch(/rate_limit was in use .* "rate_limt" is/);
		config = reload(home, config, webhook({max_body_bytes: 5000 + turn}));
	}

	entries = {r: {secret: 'new', rate_limit: 700}};
	expect(table().routes.get('r')?.rateLimit).toBe(700);
	expect(table().invalid.size).toBe(0);
});
