import {writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {
	buildRouteTable,
	createRouteTableSource,
	routeViews,
	secretsInTable,
} from '../../source/config/route-table.ts';
import {createSubscriptionsReader} from '../../source/config/subscriptions.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const staticRoutes = `
platforms:
  webhook:
    secret: global
    routes:
      both: {prompt: static}
      refused: {deliver_only: true}
`;

test('"A static route with the same name takes precedence over a dynamic one"', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: staticRoutes}));
	const table = buildRouteTable(config, {
		entries: {both: {prompt: 'dynamic'}, refused: {}, own: {secret: 's'}},
	});
	expect([...table.routes.keys()]).toEqual(['both', 'own']);
	expect(table.routes.get('both')).toMatchObject({source: 'static', prompt: 'static'});
	expect(table.skipped.map(({name, source, code}) => [name, source, code])).toEqual([
		['refused', 'static', 'deliver_only_without_target'],
		['both', 'dynamic', 'shadowed'],
		['refused', 'dynamic', 'shadowed'],
	]);
});

test('bad entries are skipped one by one, each with its reason', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: staticRoutes}));
	const entries = {
		good: {toolsets: ['web'], unknown_key: 1},
		text: 'text',
		'a/b': {},
		'line\nbreak': {},
		prompt: {prompt: 7},
		both_modes: {cron_job: 'j', coalesce: {key: 'k'}},
	};
	const {routes, skipped} = buildRouteTable(config, {entries});
	expect([...routes.keys()]).toEqual(['both', 'good']);
	expect(routes.get('good')).toMatchObject({
		source: 'dynamic',
		secrets: ['global'],
		toolsets: ['web'],
	});
	const dynamic = skipped.filter(({source}) => source === 'dynamic');
	expect(dynamic.map(({name}) => name)).toEqual([
		'text',
		'a/b',
		'line␊break',
		'prompt',
		'both_modes',
	]);
	expect(dynamic[3]?.reason).toBe(
		'Route "prompt" cannot be used: prompt must be text, not a number: put it in quotes',
	);
	expect(dynamic[0]?.reason).toBe('Route "text" cannot be used: must be a mapping, not text');
	expect(dynamic[4]?.code).toBe('coalesce_with_cron_job');
});

test('what a served subscription says without effect is named, and only that', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: staticRoutes}));
	const entries = {
		both: {events: null},
		broken: {prompt: 7, events: null},
		queued: {overflow: 'queue', concurrency: 3, signature: 'stripe'},
		quiet: {overflow: 'reject'},
		own: {concurrency: 3, events: null},
	};
	const {warnings} = buildRouteTable(config, {entries});
	expect(warnings.map(({severity, key, message}) => [severity, key, message])).toEqual([
		[
			'warning',
			'own.events',
			'has no value, which is the same as no such key: give it one or remove it',
		],
	]);
	expect(warnings[0]?.file).toBe(home.paths.subscriptions);
});

test('however many subscriptions there are, the warnings are bounded', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: staticRoutes}));
	const entries = Object.fromEntries(
		Array.from({length: 101}, (_, index) => [`r${index}`, {events: null}]),
	);
	expect(buildRouteTable(config, {entries}).warnings).toHaveLength(100);
});

test('however many subscriptions there are, the first 5,000 are looked at, and one warning says so', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: staticRoutes}));
	const entries = Object.fromEntries(
		Array.from({length: 5002}, (_, index) => [`r${index}`, {secret: 'long enough'}]),
	);
	const {routes, skipped, warnings} = buildRouteTable(config, {entries});
	expect([routes.has('r4999'), routes.has('r5000')]).toEqual([true, false]);
	expect(skipped.filter(({source}) => source === 'dynamic')).toEqual([]);
	expect(warnings).toMatchObject([
		{
			severity: 'warning',
			file: home.paths.subscriptions,
			message: 'holds 5002 entries: the first 5000 are served, "r5000" and those below it are not',
		},
	]);
});

test('only an entry that changed is read anew, and all of them with another configuration', () => {
	using home = createTemporaryHome();
	let config = configOf(home.load({config: staticRoutes}));
	const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
	const entriesOf = (prompt: string) =>
		`{"same": {"prompt": "p"}, "other": {"prompt": "${prompt}"}, "broken": {"prompt": 7}, "deep": {"filters": ${deep}}}`;
	let text = entriesOf('before');
	const current = createRouteTableSource({
		config: () => config,
		subscriptions: {current: () => ({entries: JSON.parse(text)})},
	});
	const before = current();
	text = entriesOf('after');
	const after = current();
	expect(after.routes.get('same')).toBe(before.routes.get('same'));
	expect(after.routes.get('other')).toMatchObject({prompt: 'after'});
	expect(after.skipped.map(({name}) => name)).toEqual(before.skipped.map(({name}) => name));
	text = text.replace('"same"', '"moved"');
	expect([...current().routes.keys()]).toEqual(['both', 'moved', 'other']);
	config = configOf(home.load({config: 'platforms: {webhook: {secret: another one}}'}));
	expect(current().routes.get('moved')).toMatchObject({secrets: ['another one']});
});

test('views tell faces what is served and what is not, and hold no secret', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: staticRoutes}));
	const table = buildRouteTable(config, {entries: {own: {secret: 'hidden-one', events: ['push']}}});
	const views = routeViews(table);
	expect(views.map(({name, problem}) => [name, problem === undefined])).toEqual([
		['both', true],
		['own', true],
		['refused', false],
	]);
	expect(views[2]).toMatchObject({mode: 'deliver_only', source: 'static'});
	expect(JSON.stringify(views)).not.toMatch(/hidden-one|global/);
	expect(secretsInTable(table)).toEqual(['global', 'hidden-one']);
});

test('a table is made again only when something changed, and then has another version', () => {
	using home = createTemporaryHome();
	let config = configOf(home.load({config: staticRoutes}));
	const subscriptions = createSubscriptionsReader({
		paths: home.paths,
		clock: createFakeClock(),
		log: silentLogger,
	});
	const current = createRouteTableSource({config: () => config, subscriptions});
	const first = current();
	expect(current()).toBe(first);
	writeFileSync(home.paths.subscriptions, '{"a": {}}');
	const second = current();
	expect(second.routes.has('a')).toBe(true);
	expect(second.version).not.toBe(first.version);
	config = configOf(home.load({config: ''}));
	expect(current().skipped).toMatchObject([{name: 'a', code: 'route_without_secret'}]);
});

test('"Static routes, too, are hot-reloaded when `config.yaml` changes", and limits and the global secret with them', () => {
	using home = createTemporaryHome();
	const load = (settings: string, routes: string) =>
		configOf(
			home.load({config: `platforms: {webhook: {secret: ${settings}, routes: {${routes}}}}`}),
		);
	let config = load('one, rate_limit: 5, max_body_bytes: 50', 'a: {}, b: {rate_limit: 7}');
	const subscriptions = createSubscriptionsReader({
		paths: home.paths,
		clock: createFakeClock(),
		log: silentLogger,
	});
	const current = createRouteTableSource({config: () => config, subscriptions});
	writeFileSync(home.paths.subscriptions, '{"c": {}, "d": {"secret": "own", "max_body_bytes": 9}}');
	const limits = () =>
		[...current().routes.values()].map(({name, secrets, rateLimit, maxBodyBytes}) => [
			name,
			secrets[0],
			rateLimit,
			maxBodyBytes,
		]);
	expect(limits()).toEqual([
		['a', 'one', 5, 50],
		['b', 'one', 7, 50],
		['c', 'one', 5, 50],
		['d', 'own', 5, 9],
	]);
	config = load('two, rate_limit: 6', 'b: {}, d: {}');
	expect(limits()).toEqual([
		['b', 'two', 6, 1_048_576],
		['d', 'two', 6, 1_048_576],
		['c', 'two', 6, 1_048_576],
	]);
	expect(current().skipped).toMatchObject([{name: 'd', source: 'dynamic', code: 'shadowed'}]);
});

test.for([
	[{}, {mode: 'agent'}],
	[
		{deliver_only: true, deliver: 'email'},
		{mode: 'deliver_only', deliver: 'email'},
	],
	[{cron_job: 'nightly\u001b[31m'}, {mode: 'cron_job', cronJob: 'nightly␛[31m'}],
	[{coalesce: {key: '{a}\n'}}, {mode: 'coalesce', coalesceKey: '{a}␊'}],
	[
		{coalesce: {key: 'k', window_seconds: 0}},
		{mode: 'coalesce', coalesceKey: 'k', problem: expect.anything()},
	],
	[
		{cron_job: 'j', coalesce: 7},
		{mode: 'cron_job', cronJob: 'j', problem: expect.anything()},
	],
	[
		{coalesce: {key: 'k', window_seconds: 2.5}},
		{mode: 'coalesce', coalesceKey: 'k', windowMs: 2500, maxWaitMs: 300_000},
	],
	[
		{signature: 'stripe', concurrency: 2, overflow: 'queue'},
		{mode: 'agent', signature: 'stripe', concurrency: 2, overflow: 'queue'},
	],
	[{coalesce: 7}, {mode: 'coalesce', problem: expect.anything()}],
] as const)('faces see how the events of %j are taken', ([entry, view]) => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	const table = buildRouteTable(config, {entries: {r: {secret: 's', ...entry}}});
	expect(routeViews(table)).toMatchObject([{name: 'r', source: 'dynamic', ...view}]);
	const keys = ['cronJob', 'coalesceKey'].filter(key => !Object.hasOwn(view, key));
	expect(keys.filter(key => Object.hasOwn(routeViews(table)[0] ?? {}, key))).toEqual([]);
});

test('names that every object inherits are routes only when they are written', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	const entries: unknown = JSON.parse(
		'{"constructor": {"secret": "s"}, "__proto__": {"secret": "s"}}',
	);
	const {routes} = buildRouteTable(config, {entries: entries as never});
	expect([...routes.keys()]).toEqual(['constructor']);
	expect(routes.get('toString')).toBeUndefined();
});
