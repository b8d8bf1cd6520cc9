import {expect, test} from 'vitest';
import {parse} from 'yaml';
import type {Config} from '../../source/config/config.ts';
import {invalidServers} from '../../source/config/invalid-server.ts';
import {loadConfig} from '../../source/config/load-config.ts';
import {buildRouteTable} from '../../source/config/route-table.ts';
import {statusErrors} from '../../source/gateway/status/status-errors.ts';
import {configOf, createTemporaryHome, problemsOf, type TemporaryHome} from './temporary-home.ts';

const loadedFrom = (text: string, env = '') => {
	using home = createTemporaryHome();
	return home.load({config: text, env});
};

const webhook = (routes: string) => `
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    secret: a-global-secret
    routes:
      good: {prompt: x}
      bad: ${routes}
`;

/** Each is one error in one route: key or value, and what is said of it. */
const itemErrors = [
	[
		'{filters: [{field: a, eqals: 1}]}',
		'filters.0: "eqals" is no operator of a filter, did you mean',
	],
	[
		'{filters: [{field: a, equals: 1, regx: z}]}',
		'filters.0: "regx" is no operator of a filter, did you mean "regex"',
	],
	[
		'{filters: {field: a, equals: 1, regx: z}}',
		'filters: "regx" is no operator of a filter, did you mean "regex"',
	],
	[
		'{filters: {any: [{field: a, equals: 1, sounds_like: z}]}}',
		'filters.any.0: "sounds_like" is no operator of a filter: it must be one of field, exists',
	],
	['{<<: {filters: [{field: a, equals: 1}]}}', '<<: is a merge key, which is not read'],
	['{secret: [fine-and-long, INSECURE_NO_AUTH]}', 'secret: Route "bad" has INSECURE_NO_AUTH in a'],
	['{secret: [INSECURE_NO_AUTH]}', 'secret: Route "bad" has INSECURE_NO_AUTH in a list'],
	...[
		'${MY-TOKEN}',
		'${ UNSET }',
		'${UNSET:-}',
		'${MY.TOKEN}',
		'${1X}',
		'${UNSET',
		'${}',
		'a${',
	].map(
		secret =>
			[
				`{secret: '${secret}'}`,
				'secret: has a reference that cannot be read: write ${NAME}',
			] as const,
	),
	["{secret: [fine-and-long, '${A-B}']}", 'secret.1: has a reference that cannot be read'],
	['{filters: [{any: []}]}', 'filters.0.any: must not be empty'],
	['{filters: [{field: a, regex: "(?=a)"}]}', 'filters.0.regex'],
	['{secret: "whsec_!"}', 'secret: Route "bad" has a secret with "whsec_"'],
	['{secret: "${UNSET}"}', 'secret: ${UNSET} is not set'],
	['{secret: [fine-and-long, "${UNSET}"]}', 'secret.1: ${UNSET} is not set'],
	['{profile: null}', 'profile: Route "bad" has a "profile" that is not a name'],
	['{deliver: forge_comment}', 'deliver: Route "bad" delivers to "forge_comment" without'],
	['{deliver: nowhere}', 'deliver: "nowhere" is not known'],
	['{events: 5}', 'events: must be a list'],
	['{coalesce: {}}', 'coalesce: Route "bad" has an invalid "coalesce"'],
	['{signature: strip}', 'signature: Route "bad" has an invalid "signature"'],
	['{max_body_bytes: .inf}', 'max_body_bytes: must be a finite number'],
	['{deliver_extra: {__proto__: 1}}', 'deliver_extra.__proto__: is not allowed as a key'],
	['7', ': must be a mapping, not a number'],
	['[a]', ': must be a mapping, not a list'],
] as const;

test.for(itemErrors)(
	'%s takes out its route alone, and is named with its place',
	([entry, says]) => {
		const loaded = loadedFrom(webhook(entry));
		const config = configOf(loaded);
		expect([...config.webhook.routes.keys()]).toEqual(['good']);
		expect(config.webhook).toMatchObject({enabled: true, refusals: []});
		expect(config.webhook.invalid.length).toBeGreaterThan(0);
		expect(config.webhook.invalid[0]).toMatchObject({name: 'bad', kind: 'invalid'});
		expect(config.webhook.invalid[0]?.view.problem).toMatch(/^config\.yaml:9:\d+: Route "bad" /);
		const [first = ''] = problemsOf(loaded);
		expect(first).toMatch(/^config\.yaml:9:\d+ platforms\.webhook\.routes\.bad/);
		expect(first).toContain(says);
		expect(config.problems[0]).toMatchObject({severity: 'error', line: 9});
		expect(config.itemErrors.size).toBe(0);
	},
);

test.for(itemErrors)('%s in a subscription is the same slip', ([entry]) => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: webhook(entry)}));
	const [expected] = config.webhook.invalid;
	const text = JSON.stringify({bad: parse(entry)}, null, 2);
	if (entry.includes('.inf') || entry.includes('__proto__')) {
		return;
	}

	const clean = configOf(home.load({config: webhook('{}').replace('bad:', 'other:')}));
	const table = buildRouteTable(clean, {entries: JSON.parse(text), text});
	expect(table.routes.has('bad')).toBe(false);
	expect(table.invalid.get('bad')).toMatchObject({
		kind: 'invalid',
		code: expected?.code,
		reason: expected?.reason,
		problem: {line: expect.any(Number), file: clean.paths.subscriptions},
	});
	expect(table.invalid.get('bad')?.problem.line).toBeGreaterThan(0);
});

test('what the contract refuses in `config.yaml` is a slip in a subscription', () => {
	const config = configOf(loadedFrom('platforms: {webhook: {enabled: true, host: 10.0.0.1}}'));
	const entries = {
		bare: {},
		open: {secret: 'INSECURE_NO_AUTH'},
		both: {secret: 'long-enough', deliver_only: true, cron_job: 'j', deliver: 'email'},
	};
	const text = JSON.stringify(entries, null, 1);
	const {invalid, routes} = buildRouteTable(config, {entries, text});
	expect(routes.size).toBe(0);
	expect([...invalid.values()].map(({kind, code, problem}) => [kind, code, problem.line])).toEqual([
		['invalid', 'route_without_secret', 2],
		['invalid', 'insecure_not_loopback', 4],
		['invalid', 'cron_job_with_deliver_only', 9],
	]);
});

test('a slip beside a refusal of the contract does not hide it', () => {
	const {webhook: refused} = configOf(
		loadedFrom(webhook('{secret: long-enough, events: 5, deliver_only: true}')),
	);
	expect(refused.refusals.map(({code}) => code)).toEqual(['deliver_only_without_target']);
	// Nothing is concluded from a key that cannot be read.
	const {webhook: invalid} = configOf(loadedFrom(webhook('{deliver_only: true, deliver: 7}')));
	expect(invalid.refusals).toEqual([]);
});

test('a static route that is invalid still shadows its namesake', () => {
	const config = configOf(loadedFrom(webhook('{events: 5}')));
	const {routes, invalid, skipped} = buildRouteTable(config, {
		entries: {bad: {secret: 'long-enough'}},
	});
	expect(routes.has('bad')).toBe(false);
	expect(invalid.get('bad')?.source).toBe('static');
	expect(skipped.map(({kind}) => kind)).toEqual(['invalid', 'shadowed']);
});

test('names that every object inherits are names of routes and servers like any other', () => {
	const config = configOf(
		loadedFrom(`
platforms:
  webhook:
    secret: a-global-secret
    routes:
      constructor: {events: 5}
      toString: {prompt: x}
      __proto__: {prompt: x}
mcp_servers:
  __proto__: {command: a}
  constructor: {command: 5}
  hasOwnProperty: {command: a}
__proto__: {polluted: true}
`),
	);
	expect([...config.webhook.routes.keys()]).toEqual(['toString']);
	expect(config.webhook.invalid.map(({name}) => name)).toEqual(['__proto__', 'constructor']);
	expect([...config.toolServers.keys()]).toEqual(['hasOwnProperty']);
	expect([...config.itemErrors.values()].map(({item}) => item).toSorted()).toEqual([
		'__proto__',
		'mcp_servers.__proto__',
		'mcp_servers.constructor',
	]);
	expect({}).not.toHaveProperty('polluted');
});

test('an alias that is shared by routes takes down those that name it', () => {
	const config = configOf(
		loadedFrom(`
platforms:
  webhook:
    secret: a-global-secret
    routes:
      one: {events: &bad 5}
      two: {events: *bad}
      three: {}
`),
	);
	expect([...config.webhook.routes.keys()]).toEqual(['three']);
	expect(config.webhook.invalid.map(({name}) => name)).toEqual(['one', 'two']);
});

test('a thousand broken routes are told of with a bound, each with its reason where it is listed', () => {
	const routes = Array.from({length: 1000}, (_, index) => `      r${index}: {events: 5}\n`).join(
		'',
	);
	const config = configOf(
		loadedFrom(`platforms:\n  webhook:\n    secret: a-global-secret\n    routes:\n${routes}`),
	);
	expect(config.problems).toHaveLength(101);
	expect(config.problems.at(-1)?.message).toBe('… and 900 more');
	const {invalid} = buildRouteTable(config, {entries: {}});
	expect(invalid.size).toBe(1000);
	expect(invalid.get('r999')?.view.problem).toContain('config.yaml:1004:');
});

/** What an error in each section leaves behind at a start. README.md has the table for users. */
const sections: ReadonlyArray<readonly [string, string, (config: Config) => unknown, unknown]> = [
	['model', 'model: {provider: opnai}', ({model}) => model.broken, expect.stringContaining('1:')],
	['model', 'model: 5', ({model}) => model.broken, expect.stringContaining('model')],
	['model', 'model: {api_key: "${NO}"}', ({model}) => model.broken, expect.stringContaining('NO')],
	[
		'model',
		'model: {api_key: "${N-O}"}',
		({model}) => model.broken,
		expect.stringContaining('write ${NAME}'),
	],
	[
		'platforms.webhook',
		'platforms: {webhook: {enabled: true, secret: "${N O}"}}',
		config => config.webhook.broken,
		expect.stringContaining('write ${NAME}'),
	],
	[
		'platforms.email',
		'platforms: {email: {enabled: true, from: a@b.example, smtp: {host: h, password: "${A-B}"}}}',
		({platforms}) => platforms.email,
		undefined,
	],
	['runs', 'runs: {concurrency: x}', ({runs}) => runs.concurrency, 0],
	['runs', 'runs: []', ({runs}) => runs.concurrency, 0],
	['forge', 'forge: {cli: 5}', ({forge}) => forge.broken, expect.stringContaining('forge.cli')],
	['metrics', 'metrics: {host: 5}', ({metrics}) => metrics.host, undefined],
	['retention', 'retention: {body_days: 0}', ({retention}) => retention, undefined],
	['tls', 'tls: {ca: 5}', ({tls}) => tls.ca, []],
	['tools', 'tools: {max_schema_tokens: many}', ({tools}) => tools.maxSchemaTokens, 0],
	[
		'toolsets.web',
		'toolsets: {web: {hosts: ["https://docs.example/"]}}',
		({toolsets}) => toolsets.web.broken,
		expect.stringContaining('toolsets.web.hosts'),
	],
	['toolsets', 'toolsets: 5', ({toolsets}) => toolsets.web.broken, expect.stringContaining('1:')],
	['gateway', 'gateway: {multiplex_profiles: 5}', config => config.multiplexProfiles, false],
	['gateway', 'gateway: 5', config => config.multiplexProfiles, false],
	['api', 'api: 5', ({api}) => api.broken, expect.stringContaining('api')],
	['api', 'api: {port: x}', ({api}) => api.broken, expect.stringContaining('api.port')],
	[
		'api.models.mine',
		'api: {models: {mine: {agent: true, relay: true}, other: {relay: true}}}',
		({api}) => [api.broken, [...api.models.keys()]],
		[undefined, ['svc-title-1', 'other']],
	],
	['mcp_servers', 'mcp_servers: 5', ({toolServers}) => toolServers.size, 0],
	['platforms', 'platforms: 5', config => config.webhook.broken, expect.stringContaining('1:')],
	[
		'platforms.webhook',
		'platforms: {webhook: {enabled: true, host: 5}}',
		config => [config.webhook.broken, config.webhook.enabled],
		[expect.stringContaining('platforms.webhook.host'), false],
	],
	[
		'platforms.webhook',
		'platforms: {webhook: {enabled: true, secret: "${NO}"}}',
		config => config.webhook.broken,
		expect.stringContaining('${NO}'),
	],
	...['[INSECURE_NO_AUTH, ""]', '[INSECURE_NO_AUTH]', '["${INS}", "${INS}"]'].map(
		secret =>
			[
				'platforms.webhook',
				`platforms: {webhook: {enabled: true, host: 127.0.0.1, secret: ${secret}}}`,
				(config: Config) => [config.webhook.broken, config.webhook.secrets],
				[expect.stringContaining('secret: '), []],
			] as const,
	),
	[
		'platforms.webhook',
		'platforms: {webhook: {enabled: true, routes: 5}}',
		config => config.webhook.broken,
		expect.stringContaining('platforms.webhook.routes'),
	],
	[
		'platforms.email',
		'platforms: {email: {enabled: true, from: nobody}}',
		({platforms}) => platforms.email,
		undefined,
	],
	['platforms.wecom', 'platforms: {wecom: 5}', () => undefined, undefined],
	[
		'mcp_servers.crm',
		'mcp_servers: {crm: {command: a, url: "http://a"}, ok: {command: a}}',
		({toolServers}) => [...toolServers.keys()],
		['ok'],
	],
];

const otherSections = 'forge: {cli: other}';

test.for(sections)('a slip in %s takes down that alone: %s', ([item, text, read, expected]) => {
	const rest = text.startsWith('forge') ? 'runs: {tries: 7}' : otherSections;
	const config = configOf(loadedFrom(`${text}\n${rest}\n`, 'INS=INSECURE_NO_AUTH'));
	expect([...config.itemErrors.values()]).toMatchObject([
		{item, kept: false, reason: expect.stringContaining(`config.yaml:1:`)},
	]);
	expect(read(config)).toEqual(expected);
	expect(rest === otherSections ? config.forge.cli : config.runs.tries).toBe(
		rest === otherSections ? 'other' : 7,
	);
});

test('a variable of the receiver that makes no sense refuses the receiver', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({env: 'WEBHOOK_ENABLED=true\nWEBHOOK_PORT=http\n'}));
	expect(config.webhook).toMatchObject({
		enabled: false,
		broken: expect.stringContaining('.env WEBHOOK_PORT'),
	});
});

const good = `
model: {provider: openai, api_key: first-model-key}
runs: {concurrency: 7}
forge: {cli: first}
metrics: {host: 10.1.1.1}
retention: {row_days: 3}
gateway: {multiplex_profiles: true}
mcp_servers: {crm: {command: first}, gone: {command: gone}}
platforms:
  email: {enabled: true, from: a@b.example, smtp: {host: first, password: first-password}}
  webhook:
    enabled: true
    host: 127.0.0.1
    secret: first-global-secret
    routes:
      one: {prompt: first}
      two: {secret: first-two-secret}
`;

const reload = (home: TemporaryHome, before: Config, text: string): Config => {
	const loaded = home.load({config: text});
	void loaded;
	return configOf(loadConfig({paths: home.paths, environment: {}, before}));
};

test('on reload each thing that is invalid keeps its last good version, and its secrets stay hidden', () => {
	using home = createTemporaryHome();
	const before = configOf(home.load({config: good}));
	const text = `
model: {provider: 5}
runs: {concurrency: x}
forge: 5
metrics: []
retention: {row_days: none}
gateway: {multiplex_profiles: maybe}
mcp_servers: {crm: {command: 5}, added: {command: added}, broken: 5}
platforms:
  email: {enabled: true, from: 7}
  webhook:
    enabled: true
    host: 127.0.0.1
    secret: second-global-secret
    routes:
      one: {prompt: 5}
      two: {prompt: second}
      three: 5
`;
	const after = reload(home, before, text);
	for (const key of ['model', 'runs', 'forge', 'metrics', 'retention'] as const) {
		expect(after[key]).toBe(before[key]);
	}

	expect(after.platforms.email).toBe(before.platforms.email);

	expect(after.multiplexProfiles).toBe(true);
	expect([...after.toolServers.keys()].toSorted()).toEqual(['added', 'crm']);
	expect(after.toolServers.get('crm')).toBe(before.toolServers.get('crm'));
	expect(after.webhook.secrets).toEqual(['second-global-secret']);
	// Who may send is what is written now: the global secret that it inherits was replaced.
	expect(after.webhook.routes.get('one')).toEqual({
		...before.webhook.routes.get('one'),
		secrets: ['second-global-secret'],
	});
	expect(after.webhook.routes.get('two')?.prompt).toBe('second');
	expect(after.webhook.invalid.map(({name}) => name)).toEqual(['one', 'three']);
	expect([...after.itemErrors.values()].filter(({kept}) => !kept).map(({item}) => item)).toEqual([
		'mcp_servers.broken',
	]);
	expect(after.secretValues).toEqual(
		expect.arrayContaining(['first-model-key', 'first-password', 'second-global-secret']),
	);
	// And once more: what stayed stays.
	const again = reload(home, after, text);
	expect(again.model).toBe(before.model);
	expect(again.webhook.routes.get('one')).toEqual(after.webhook.routes.get('one'));
	// What is removed is gone.
	const removed = reload(home, again, 'platforms: {webhook: {enabled: true}}');
	expect(removed.webhook.routes.size).toBe(0);
	expect(removed.toolServers.size).toBe(0);
});

const receiver = (settings: object): string =>
	JSON.stringify({
		platforms: {
			webhook: {
				enabled: true,
				port: 8701,
				host: '127.0.0.1',
				secret: 'global',
				routes: {one: {secret: 'own-secret'}},
				...settings,
			},
		},
	});

test.for([
	['host', {}, {host: 5}, {host: '127.0.0.1'}],
	['port', {}, {port: 'x'}, {port: 8701}],
	['rate_limit', {rate_limit: 7}, {rate_limit: 'x'}, {rateLimit: 7}],
	['max_body_bytes', {max_body_bytes: 700}, {max_body_bytes: []}, {maxBodyBytes: 700}],
	['extra.rate_limit', {extra: {rate_limit: 7}}, {extra: {rate_limit: 'x'}}, {rateLimit: 7}],
	['enabled', {}, {enabled: 'maybe'}, {enabled: true, switchedOff: false}],
] as const)(
	'on reload a slip in %s of the receiver keeps that setting alone',
	([key, settings, invalid, kept]) => {
		using home = createTemporaryHome();
		const before = configOf(home.load({config: receiver(settings)}));
		const routes = {one: {secret: 'new-secret'}, two: {}};
		const after = reload(home, before, receiver({...invalid, routes}));
		expect([...after.itemErrors.values()]).toMatchObject([
			{item: 'platforms.webhook', kept: true, reason: expect.stringContaining(`webhook.${key}: `)},
		]);
		expect(after.webhook).toMatchObject(kept);
		expect(after.webhook.broken).toBeUndefined();
		// What was revoked beside it does not go on, and what was added is served.
		expect(after.webhook.routes.get('one')?.secrets).toEqual(['new-secret']);
		expect(after.webhook.routes.get('two')?.secrets).toEqual(['global']);
	},
);

test('on reload a receiver is switched off also beside a slip', () => {
	using home = createTemporaryHome();
	const before = configOf(home.load({config: receiver({})}));
	const after = reload(home, before, receiver({enabled: false, host: 5}));
	expect(after.webhook).toMatchObject({enabled: false, switchedOff: true, host: '127.0.0.1'});
});

test('on reload a global secret that cannot be read lets nobody in who relies on it', () => {
	using home = createTemporaryHome();
	const routes = {one: {secret: 'own-secret'}, two: {}};
	const before = configOf(home.load({config: receiver({routes})}));
	const after = reload(home, before, receiver({routes, secret: '${UNSET}'}));
	expect(after.webhook).toMatchObject({enabled: true, secrets: [], refusals: []});
	expect([...after.webhook.routes.keys()]).toEqual(['one']);
	expect(after.webhook.invalid).toMatchObject([{name: 'two', code: 'route_without_secret'}]);
});

test.for([
	['cannot be read', {routes: 5}],
	['became an unknown key', {routes: undefined, routess: {one: {}, two: {secret: 'own'}}}],
] as const)(
	'a global secret that was taken back passes for no route that stays because "routes" %s',
	([, typed]) => {
		using home = createTemporaryHome();
		const routes = {one: {}, two: {secret: 'own'}};
		const before = configOf(home.load({config: receiver({routes})}));
		for (const [secret, secrets] of [
			['second', ['second']],
			['${UNSET}', []],
		] as const) {
			const {routes: served} = reload(home, before, receiver({...typed, secret})).webhook;
			expect(served.get('one')).toMatchObject({secrets, insecure: false});
			expect(served.get('two')).toMatchObject({secrets: ['own']});
		}

		const open = reload(home, before, receiver({...typed, secret: 'INSECURE_NO_AUTH'}));
		expect(open.webhook.routes.get('one')).toMatchObject({insecure: true});
		const wide = {...typed, secret: 'INSECURE_NO_AUTH', host: '0.0.0.0'};
		expect(reload(home, before, receiver(wide)).webhook.routes.get('one')).toMatchObject({
			insecure: false,
			secrets: [],
		});
	},
);

test.for([
	['its routes', receiver({routes: 5})],
	['all of extra', receiver({extra: 5})],
	['all of it', 'platforms: {webhook: 5}'],
	['all platforms', 'platforms: 5'],
] as const)('on reload a receiver stays with its routes when %s cannot be read', ([, text]) => {
	using home = createTemporaryHome();
	const before = configOf(home.load({config: receiver({})}));
	const after = reload(home, before, text);
	expect(after.webhook.routes).toEqual(before.webhook.routes);
	expect(after.webhook).toMatchObject({enabled: true, port: 8701, host: '127.0.0.1'});
	expect([...after.itemErrors.values()]).toMatchObject([{kept: true}]);
	expect(after.secretValues).toContain('own-secret');
});

test('what was down at the start stays down until it is mended', () => {
	using home = createTemporaryHome();
	const start = configOf(home.load({config: 'model: 5\nplatforms: {webhook: {host: 5}}'}));
	const after = reload(home, start, 'model: 6\nplatforms: {webhook: {host: 6}}');
	expect(after.model.broken).toContain('model');
	expect(after.webhook.broken).toContain('platforms.webhook.host');
	expect(reload(home, after, 'model: {provider: offline}').model).toEqual({
		provider: 'offline',
		allowOfflineDelivery: false,
	});
});

test('a key that restricts something and has no value is told of', () => {
	const loaded = loadedFrom(`
platforms:
  webhook:
    secret: a-global-secret
    routes:
      open: {filters: , events: , script: , prompt: }
mcp_servers:
  crm: {command: a, trust: , tools: }
`);
	expect(problemsOf(loaded)).toEqual(
		[
			...['filters', 'events', 'script'].map(key => `platforms.webhook.routes.open.${key}`),
			'mcp_servers.crm.trust',
			'mcp_servers.crm.tools',
		].map(key => expect.stringContaining(`${key}: has no value, which is the same as no such key`)),
	);
	const {warnings} = buildRouteTable(configOf(loaded), {entries: {dynamic: {filters: null}}});
	expect(warnings.map(({key, message}) => [key, message])).toEqual([
		['dynamic.filters', expect.stringContaining('has no value')],
	]);
});

test('a key at the top that is written like the path of a section is another one', () => {
	using home = createTemporaryHome();
	const names = ['mcp_servers.crm', 'platforms.email', 'platforms.webhook'];
	const stray = names
		.toReversed()
		.map(name => `"${name}": .inf`)
		.join('\n');
	const before = configOf(home.load({config: `${good}\n${stray}`}));
	expect(before.webhook).toMatchObject({enabled: true});
	expect(before.webhook.broken).toBeUndefined();
	const after = reload(home, before, `${stray}\nmcp_servers: {crm: {command: second}}`);
	expect(after.toolServers.get('crm')).toMatchObject({endpoint: {command: 'second'}});
	expect(after.webhook).not.toBe(before.webhook);
	expect([...after.itemErrors.values()].map(({item, kept}) => [item, kept])).toEqual(
		names.map(name => [name, false]),
	);
	expect([...invalidServers(after)]).toEqual([]);
	expect(
		statusErrors({
			config: after,
			table: buildRouteTable(after, {entries: {}}),
			jobs: [],
			findJob: () => ({kind: 'unknown'}),
			brokenJobs: [],
		}),
	).toEqual(names.map(name => expect.objectContaining({kind: 'section', name})));
});

test('however often it is reloaded while a slip lasts, only the secrets of what is kept stay', () => {
	using home = createTemporaryHome();
	let config = configOf(
		home.load({
			config: `
model: {provider: openai, api_key: kept-model-key}
mcp_servers: {crm: {url: "http://a", headers: {Authorization: kept-server-token}}}
platforms:
  webhook: {secret: first-global-secret, routes: {r: {secret: kept-route-secret}}}
`,
		}),
	);
	for (let turn = 0; turn < 5; turn++) {
		config = reload(
			home,
			config,
			`
model: 5
mcp_servers: {crm: 5, other: {url: "http://a", headers: {Authorization: other-${turn}}}}
platforms:
  email: {enabled: true, from: a@b.example, smtp: {host: m, password: password-${turn}}}
  webhook: {secret: global-secret-${turn}, routes: {r: {secret: kept-route-secret, events: 5}}}
`,
		);
	}

	expect([...config.secretValues].toSorted()).toEqual([
		// What a login sends.
		Buffer.from('\0\0password-4').toString('base64'),
		Buffer.from('password-4').toString('base64'),
		'global-secret-4',
		'kept-model-key',
		'kept-route-secret',
		'kept-server-token',
		'other-4',
		'password-4',
	]);
});

/** Writable folders one of which lies in another; `undefined`: it is no error. Of the last the defaults count. */
const nestedFolders = [
	['toolsets: {file: {workdir: ~/a/b}, terminal: {workdir: ~/a}}', 'toolsets.file.workdir', 'file'],
	['toolsets: {file: {workdir: ~/a}, terminal: {workdir: ~/a/b}}', 'toolsets.file.workdir', 'file'],
	[
		'{toolsets: {terminal: {workdir: ~/a}}, sandbox: {write: [~/c, ~/a/b]}}',
		'toolsets.terminal.workdir',
		'terminal',
	],
	[
		'{toolsets: {file: {workdir: ~/a/b}}, sandbox: {write: [~/a]}}',
		'toolsets.file.workdir',
		'file',
	],
	['sandbox: {write: [HOME/work/in]}', 'sandbox.write.0', 'sandbox'],
	['toolsets: {terminal: {workdir: HOME/work/in}}', 'toolsets.terminal.workdir', 'terminal'],
	['toolsets: {file: {workdir: ~/a}, terminal: {workdir: ~/a}}', undefined, undefined],
	['{toolsets: {file: {workdir: ~/a}}, sandbox: {write: [~/a, ~/ab]}}', undefined, undefined],
] as const;

test.for(nestedFolders)(
	'folders that tools may write are the same or apart: %s',
	([written, key, broken]) => {
		using home = createTemporaryHome();
		const text = written.replaceAll('HOME', home.paths.home);
		const loaded = home.load({config: `${text}\n`});

		const named = problemsOf(loaded).map(
			problem => /config\.yaml:1:\d+ .*?([\w.]+): .*lie in each other/.exec(problem)?.[1],
		);
		expect(named).toEqual(key === undefined ? [] : [key]);
		const {toolsets, sandbox} = configOf(loaded);
		expect(
			Object.entries({...toolsets, sandbox}).flatMap(([name, part]) =>
				part.broken === undefined ? [] : [name],
			),
		).toEqual(broken === undefined ? [] : [broken]);
	},
);

test.for([
	[
		'{toolsets: {terminal: {workdir: ~/out/sub}, file: {workdir: ~/out/sub}}, mcp_servers: {a: {command: x, sandbox: {write: [~/out]}}}}',
		['toolsets.terminal.workdir', 'toolsets.file.workdir'],
	],
	[
		'{sandbox: {read: [~/out/docs]}, mcp_servers: {a: {command: x, sandbox: {write: [~/out]}}}}',
		['sandbox.read.0'],
	],
	[
		'{mcp_servers: {a: {command: x, sandbox: {read: [~/out/docs]}}, b: {command: x, sandbox: {write: [~/x, ~/out]}}}}',
		['mcp_servers.a.sandbox.read.0'],
	],
	[
		'mcp_servers: {a: {command: x, sandbox: {read: [HOME/work/in]}}}',
		['mcp_servers.a.sandbox.read.0'],
	],
	['mcp_servers: {a: {command: x, sandbox: {write: [HOME]}}}', ['mcp_servers.a.sandbox.write.0']],
	[
		'{toolsets: {terminal: {workdir: ~/out}}, mcp_servers: {a: {command: x, sandbox: {write: [~/out], read: [~/out/docs]}}}}',
		['mcp_servers.a.sandbox.read.0'],
	],
	[
		'{toolsets: {terminal: {workdir: ~/out}, file: {workdir: ~/out}}, mcp_servers: {a: {command: x, sandbox: {write: [~/out, ~/outer]}}}}',
		[],
	],
] as const)(
	'no folder of a sandbox lies in one that another sandbox may write: %s',
	([written, keys]) => {
		using home = createTemporaryHome();
		const loaded = home.load({config: `${written.replaceAll('HOME', home.paths.home)}\n`});

		expect(
			problemsOf(loaded).flatMap(
				problem =>
					/config\.yaml:1:\d+ (?:.*? )?([\w.]+): ".*" lies in .* another sandbox may write/.exec(
						problem,
					)?.[1] ?? [],
			),
		).toEqual(keys);
	},
);

const platforms = `platforms:
  telegram: {enabled: true, bot_token: '1:x'}
  slack: {bot_token: x}
`;

test.each([
	[
		'{platform: telegrm}',
		'5:16 alerts.0.platform: "telegrm" is no platform, did you mean "telegram"',
	],
	['{platform: log}', '5:16 alerts.0.platform: "log" is no platform: telegram, discord,'],
	['{chat_id: 1}', '5:5 alerts.0.platform: must be text'],
	[
		'{platform: telegram, on: [ded]}',
		'5:31 alerts.0.on.0: "ded" is not known, did you mean "dead"',
	],
	['{platform: telegram, on: []}', '5:30 alerts.0.on: must not be empty'],
	['{platform: telegram, at_most_seconds: 0}', '5:43 alerts.0.at_most_seconds:'],
	['{platform: telegram, chat_id: [1]}', '5:35 alerts.0.chat_id:'],
	['5', '5:5 alerts.0:'],
] as const)(
	'an alert that cannot be used is left out by itself, with its place: %s',
	(entry, said) => {
		const loaded = loadedFrom(
			`${platforms}alerts:\n  - ${entry}\n  - {platform: telegram, chat_id: -100123}\n`,
		);
		expect(problemsOf(loaded)).toContainEqual(expect.stringContaining(`config.yaml:${said}`));
		expect(configOf(loaded).alerts).toEqual([
			{
				platform: 'telegram',
				chat: '-100123',
				on: ['dead', 'lost', 'login', 'refused', 'approval'],
				atMostMs: 3_600_000,
			},
		]);
	},
);

test.each([
	['{platform: slack, chat_id: C012345678}', 'platform: delivers to "slack", which is not enabled'],
	['{platform: telegram, chat_id: nobody here}', 'chat_id: chat_id must be '],
	[
		'{platform: telegram}',
		'chat_id: chat_id is missing and platforms.telegram.home_channel is not set',
	],
	['{platform: telegram, chat_id: 1, at_most: 5}', 'at_most: unknown key'],
] as const)(
	'an alert that would not arrive is used all the same, with a warning: %s',
	(entry, said) => {
		const loaded = loadedFrom(`${platforms}alerts:\n  - ${entry}\n`);
		const {alerts, problems} = configOf(loaded);
		expect(alerts).toHaveLength(1);
		expect(problems).toEqual([expect.objectContaining({severity: 'warning', line: 5})]);
		expect(problemsOf(loaded)[0]).toContain(`alerts.0.${said}`);
	},
);

test('when `alerts` is no list the last good ones stay, and at a start there are none', () => {
	using home = createTemporaryHome();
	const loaded = configOf(
		home.load({config: `${platforms}alerts: [{platform: telegram, chat_id: 7}]`}),
	);
	const bad = home.load({config: `${platforms}alerts: telegram`});
	expect(configOf(bad).alerts).toEqual([]);
	const kept = loadConfig({paths: home.paths, environment: {}, before: loaded});
	expect(configOf(kept).alerts).toEqual(loaded.alerts);
	expect(problemsOf(kept)).toContainEqual(expect.stringContaining('alerts:'));
});
