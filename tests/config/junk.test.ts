import {writeFileSync} from 'node:fs';
import {
	anything,
	array,
	assert,
	constantFrom,
	dictionary,
	jsonValue,
	oneof,
	property,
	string,
	tuple,
	uint8Array,
} from 'fast-check';
import {expect, test} from 'vitest';
import {stringify} from 'yaml';
import {checkSubscription} from '../../source/config/check-subscription.ts';
import {configSchemaJson} from '../../source/config/config-schema-json.ts';
import type {RouteTable} from '../../source/config/config.ts';
import {valueAt} from '../../source/config/plain-data.ts';
import {rotateSubscription} from '../../source/config/rotate-secret.ts';
import {buildRouteTable, routeViews} from '../../source/config/route-table.ts';
import type {Route} from '../../source/config/route.ts';
import {createSubscriptionsReader} from '../../source/config/subscriptions.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {silentLogger} from '../../source/core/log.ts';
import {escapeLineCounting} from '../../source/core/untrusted.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {configOf, createTemporaryHome, type TemporaryHome} from './temporary-home.ts';

const words = constantFrom(
	...'platforms webhook extra routes email smtp model runs retention gateway multiplex_profiles filters field all any not regex equals in secret retired_secrets until profile deliver deliver_only deliver_extra cron_job coalesce key window_seconds signature header signed prefix overflow concurrency port host enabled rate_limit events constructor __proto__ toString'.split(
		' ',
	),
);

const scalars = oneof(
	jsonValue({maxDepth: 1}),
	words,
	constantFrom(
		'INSECURE_NO_AUTH',
		'${X}',
		'(?=a)',
		'[',
		'log',
		'slack',
		0,
		-1,
		1e308,
		true,
		null,
		'',
	),
);

/** Data that looks like configuration at first glance. */
const nearlyConfig = dictionary(
	words,
	oneof(
		scalars,
		dictionary(
			words,
			oneof(
				scalars,
				dictionary(
					words,
					oneof(
						scalars,
						array(scalars),
						dictionary(words, oneof(scalars, dictionary(words, scalars))),
					),
				),
			),
		),
	),
);

const yamlPieces = array(
	oneof(
		words,
		string(),
		constantFrom(
			': ',
			'\n',
			'\n  ',
			'- ',
			'? ',
			'[',
			']',
			'{',
			'}',
			'"',
			"'",
			'|\n',
			'>-\n',
			'&a ',
			'*a',
			'!!set ',
			'---\n',
			'%YAML 1.1\n',
			'# ',
			'\t',
			'\0',
			'\r',
			'<<: ',
		),
	),
	{maxLength: 60},
).map(pieces => pieces.join(''));

const yamlTexts = oneof(
	yamlPieces,
	nearlyConfig.map(data => stringify(data)),
	string({unit: 'binary', maxLength: 200}),
);

/** Loads `text`; says of every problem that does not stand in the text. */
function misplacedIn(home: TemporaryHome, text: string): readonly string[] {
	const loaded = home.load({config: text});
	const lines = text.replace(/^\uFEFF/, '').split('\n');
	return (loaded.ok ? loaded.config.problems : loaded.problems)
		.filter(({line, column, message, key}) => {
			const length = lines[line - 1]?.length;
			const isInside = length !== undefined && column >= 1 && column <= length + 1;
			return !isInside || message === '' || escapeLineCounting(key + message).flags > 0;
		})
		.map(problem => JSON.stringify(problem));
}

test('no text makes loading throw, and "every problem has a position inside the file"', () => {
	using home = createTemporaryHome();
	assert(
		property(yamlTexts, text => {
			expect(misplacedIn(home, text)).toEqual([]);
		}),
		{numRuns: propertyRuns(150)},
	);
});

test('no bytes make loading throw, in `config.yaml` or in `.env`', () => {
	using home = createTemporaryHome();
	assert(
		property(tuple(uint8Array({maxLength: 200}), uint8Array({maxLength: 200})), ([config, env]) => {
			writeFileSync(home.paths.config, config);
			writeFileSync(home.paths.env, env);
			expect(typeof home.load().ok).toBe('boolean');
		}),
		{numRuns: propertyRuns(500)},
	);
});

test('a configuration that loads gives routes that are whole', () => {
	using home = createTemporaryHome();
	const route = dictionary(words, scalars);
	assert(
		property(dictionary(words, route), routes => {
			const loaded = home.load({
				config: stringify({platforms: {webhook: {secret: 's', host: 'localhost', routes}}}),
			});
			const served = loaded.ok ? [...loaded.config.webhook.routes.values()] : [];
			return served.every(({secrets, profile}) => secrets.length > 0 && profile === 'default');
		}),
		{numRuns: propertyRuns(100)},
	);
});

const routeKeys = Object.keys(valueAt(configSchemaJson(), ['$defs', 'route', 'properties']) ?? {});

/** What might stand under any key of a route. */
const routeValues = oneof(
	jsonValue({maxDepth: 2}),
	scalars,
	array(scalars, {maxLength: 3}),
	dictionary(words, scalars, {maxKeys: 4}),
	constantFrom(
		'default',
		'ops',
		'stripe',
		'queue',
		'email',
		'forge_comment',
		'whsec_',
		'whpk_AAAA',
		'${ops}',
		'{body}',
		{key: 'k', window_seconds: Number.MIN_VALUE},
		{header: 'x', signed: '{timestamp}{body}', timestamp_header: 't'},
		[{secret: 'x', until: '2026-01-01T00:00:00Z'}],
		[{secret: '${X}', until: '+275760-09-13T00:00:00Z'}],
	),
);

test.for(routeKeys)(
	'no value of `%s` makes loading throw: the route is served whole, or there is a reason why not',
	key => {
		using home = createTemporaryHome();
		const surroundings = {
			platforms: {webhook: {secret: 's', host: 'localhost'}},
			gateway: {multiplex_profiles: true},
		};
		const base = configOf(home.load({config: stringify(surroundings)}));
		assert(
			property(
				routeValues,
				dictionary(constantFrom(...routeKeys), routeValues, {maxKeys: 2}),
				(value, others) => {
					const entry = JSON.parse(JSON.stringify({...others, [key]: value})) as JsonObject;
					const config = stringify({
						...surroundings,
						platforms: {webhook: {...surroundings.platforms.webhook, routes: {r: entry}}},
					});
					const loaded = home.load({config});
					expect(loaded.ok ? faultsIn(buildRouteTable(loaded.config, {entries: {}})) : []).toEqual(
						[],
					);
					expect(loaded.ok || loaded.problems.some(({message}) => message !== '')).toBe(true);

					const table = buildRouteTable(base, {entries: {r: entry}});
					expect(faultsIn(table)).toEqual([]);
					const {refusals, route} = checkSubscription('r', entry, base);
					expect(refusals.length > 0).toBe(table.routes.size === 0);
					expect(route).toEqual(table.routes.get('r'));
					rotateSubscription(entry, {secret: 'new', now: 0, overlapMs: 0});
				},
			),
			{numRuns: propertyRuns(30)},
		);
	},
);

/** What is wrong with a table of one entry: it holds a route with everything that the receiver needs, or reasons why not. */
const faultsIn = ({routes, skipped}: RouteTable): readonly unknown[] => [
	...((routes.size === 0) === skipped.length > 0 ? [] : ['neither served nor skipped']),
	...skipped.filter(({reason, code, view}) => ![reason, code, view.problem].every(Boolean)),
	...[...routes.values()].filter(route => !isWhole(route)),
];

const isWhole = (route: Route): boolean =>
	route.secrets.length > 0 &&
	/^[a-z0-9][a-z0-9_-]{0,63}$/.test(route.profile) &&
	[route.coalesce, route.cronJob, route.deliverOnly].filter(Boolean).length < 2 &&
	!(route.deliverOnly && route.overflow === 'queue') &&
	route.retiredSecrets.every(({until}) => Number.isFinite(until)) &&
	isWholeCoalesce(route.coalesce) &&
	isWholeSignature(route.signature);

const isWholeCoalesce = (coalesce: Route['coalesce']): boolean =>
	coalesce === undefined ||
	(coalesce.key.trim() !== '' && Math.min(coalesce.windowMs, coalesce.maxWaitMs) >= 1);

const isWholeSignature = (signature: Route['signature']): boolean =>
	signature?.kind !== 'custom' ||
	'token' in signature ||
	'ed25519' in signature ||
	(signature.signed.split('{body}').length === 2 &&
		signature.signed.includes('{timestamp}') === (signature.timestampHeader !== undefined));

test('no subscriptions file makes a request throw, and each entry is served or skipped with a reason', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	const reader = createSubscriptionsReader({
		paths: home.paths,
		clock: createFakeClock(),
		log: silentLogger,
	});
	const texts = oneof(
		dictionary(oneof(words, string()), oneof(dictionary(words, scalars), jsonValue())).map(data =>
			JSON.stringify(data),
		),
		string({unit: 'binary'}),
		anything().map(
			value =>
				JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? 0 : inner)) ?? '',
		),
	);
	assert(
		property(texts, text => {
			writeFileSync(home.paths.subscriptions, text);
			const {entries} = reader.current();
			const table = buildRouteTable(config, {entries});
			const views = routeViews(table);
			expect(
				table.routes.size + new Set(table.skipped.map(({name}) => name)).size,
			).toBeLessThanOrEqual(Object.keys(entries).length);
			expect(views.filter(({problem}) => problem === undefined)).toHaveLength(table.routes.size);
			expect(table.skipped.every(({reason, code}) => reason !== '' && code !== '')).toBe(true);
		}),
		{numRuns: propertyRuns(400)},
	);
});

test('an entry nested without end is skipped like any other bad one', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	const depth = 100_000;
	const entries: unknown = JSON.parse(
		`{"deep": {"secret": "s", "filters": ${'['.repeat(depth)}${']'.repeat(depth)}}}`,
	);
	expect(buildRouteTable(config, {entries: entries as never}).skipped).toMatchObject([
		{name: 'deep', code: 'entry_invalid'},
	]);
});
