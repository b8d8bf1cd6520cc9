import {chmodSync, mkdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {needRefusals} from '../helpers/need.ts';
import {configOf, createTemporaryHome, hasErrors, problemsOf} from './temporary-home.ts';

test('without a `config.yaml` everything has its default', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	expect(config).toMatchObject({
		exists: false,
		webhook: {
			enabled: false,
			host: '0.0.0.0',
			port: 8644,
			rateLimit: 30,
			maxBodyBytes: 1_048_576,
			secrets: [],
			refusals: [],
		},
		model: {provider: 'auto', allowOfflineDelivery: false},
		runs: {
			concurrency: 4,
			maxQueued: 1000,
			maxSteps: 20,
			timeoutMs: 900_000,
			tries: 3,
			deliveryTries: 3,
		},
		forge: {cli: 'gh'},
		platforms: {},
		retention: {bodyMs: 604_800_000, bodyBytes: 1_073_741_824, rowMs: 2_592_000_000},
		problems: [],
	});
});

test.for(['', '# only a comment\n', 'platforms:\n', 'platforms:\n  webhook:\n    # port: 1\n'])(
	'an empty file or section is the same as none: %j',
	text => {
		using home = createTemporaryHome();
		const config = configOf(home.load({config: text}));
		expect(config).toMatchObject({exists: true, problems: [], webhook: {port: 8644}});
	},
);

test('"when the same key appears in both, the `extra` value wins"', () => {
	using home = createTemporaryHome();
	const {webhook} = configOf(
		home.load({
			config: `
platforms:
  webhook:
    enabled: true
    port: 1000
    host: 10.0.0.1
    secret: direct
    routes: {a: {secret: x}}
    extra:
      port: 2000
      host:
      secret: [new, old]
      routes: {b: {}}
`,
		}),
	);
	expect(webhook).toMatchObject({
		enabled: true,
		port: 2000,
		host: '10.0.0.1',
		secrets: ['new', 'old'],
	});
	expect([...webhook.routes.keys()]).toEqual(['b']);
	expect(webhook.routes.get('b')?.secrets).toEqual(['new', 'old']);
});

test('`WEBHOOK_ENABLED`, `WEBHOOK_PORT` and `WEBHOOK_SECRET` supply what the file does not set', () => {
	using home = createTemporaryHome();
	const env = 'WEBHOOK_ENABLED=true\nWEBHOOK_PORT=9000\nWEBHOOK_SECRET=fromenv\n';
	expect(configOf(home.load({env})).webhook).toMatchObject({
		enabled: true,
		port: 9000,
		secrets: ['fromenv'],
	});
	const config = 'platforms: {webhook: {enabled: false, extra: {port: 1, secret: file}}}';
	expect(configOf(home.load({config})).webhook).toMatchObject({
		enabled: false,
		port: 1,
		secrets: ['file'],
	});
});

test('a variable that makes no sense is named', () => {
	using home = createTemporaryHome();
	expect(problemsOf(home.load({env: 'WEBHOOK_PORT=70000\nWEBHOOK_ENABLED=perhaps'}))).toEqual([
		'.env WEBHOOK_ENABLED: must be true or false',
		'.env WEBHOOK_PORT: must be a whole number from 0 to 65535',
	]);
});

test('"An unknown key … is reported with file, line, column and the path of the key, with the nearest known name"', () => {
	using home = createTemporaryHome();
	const config = 'platforms:\n  webhook:\n    rate_limitt: 3\n';
	const line =
		'config.yaml:3:5 platforms.webhook.rate_limitt: unknown key, did you mean "rate_limit"';
	const loaded = home.load({config});
	expect(loaded.ok).toBe(true);
	expect(problemsOf(loaded)).toEqual([line]);
	const strict = home.load({config}, {strict: true});
	expect(hasErrors(strict)).toBe(true);
	expect(problemsOf(strict)).toEqual([line]);
});

test('unknown keys are found at every depth, and none is invented where anything may stand', () => {
	using home = createTemporaryHome();
	const config = `
modell: {}
platforms:
  wecom: {bot_token: x, anything: 1}
  webhok: {}
  webhook:
    extra: {prot: 1}
    routes:
      a:
        secret: s
        promt: hi
        deliver_extra: {whatever: {deep: 1}}
        filters:
          - {field: x, equals: {free: 1}}
          - all: [{feild: y, exists: true, field: z}]
        coalesce: {key: x, window: 3}
mcp_servers: {crm: {command: crm}}
api: {enabled: true, models: {a: {agent: true}}}
metrics: {host: 0.0.0.0}
gateway: {multiplex_profiles: false}
`;
	const problems = problemsOf(home.load({config}));
	expect(problems.filter(line => line.includes('unknown key'))).toEqual([
		'config.yaml:2:1 modell: unknown key, did you mean "model"',
		'config.yaml:4:11 platforms.wecom.bot_token: unknown key',
		'config.yaml:4:25 platforms.wecom.anything: unknown key',
		'config.yaml:5:3 platforms.webhok: unknown key, did you mean "webhook"',
		'config.yaml:7:13 platforms.webhook.extra.prot: unknown key, did you mean "port"',
		'config.yaml:11:9 platforms.webhook.routes.a.promt: unknown key, did you mean "prompt"',
		'config.yaml:16:28 platforms.webhook.routes.a.coalesce.window: unknown key',
	]);
	// What a route is refused for is told once.
	expect(problems.filter(line => line.includes('"feild"'))).toEqual([
		'config.yaml:15:19 platforms.webhook.routes.a.filters.1.all.0: "feild" is no operator of a filter, did you mean "field"',
	]);
});

test.for([
	['platforms: {webhook: {enabled: yes}}', 'must be true or false, not text'],
	['platforms: {webhook: {port: 70000}}', 'must be at most 65535, not 70000'],
	['platforms: {webhook: {port: 80.5}}', 'must be a whole number, not a fraction'],
	['platforms: {webhook: {rate_limit: 0}}', 'must be at least 1, not 0'],
	['platforms: {webhook: []}', 'must be a mapping, not a list'],
	['platforms: {webhook: {routes: {a/b: {}}}}', 'is not a route name'],
	['platforms: {webhook: {routes: {__proto__: {}}}}', 'is not allowed as a key'],
	['platforms: {webhook: {routes: {a: {events: push}}}}', 'must be a list, not text'],
	[
		'platforms: {webhook: {routes: {a: {deliver: slak}}}}',
		'"slak" is not known, did you mean "slack"',
	],
	[
		'platforms: {webhook: {routes: {a: {filters: {field: x, regex: "a++"}}}}}',
		'a possessive quantifier is not supported',
	],
	['platforms: {webhook: {routes: {a: {filters: {equals: x}}}}}', 'needs "field" beside "equals"'],
	['platforms: {webhook: {routes: {a: {filters: [{}]}}}}', 'needs "field" and an operator'],
	['platforms: {webhook: {routes: {a: {filters: [{any: []}]}}}}', 'must not be empty'],
	['platforms: {webhook: {routes: {a: {deliver_extra: {x: .nan}}}}}', 'must be a finite number'],
	['model: {provider: opena}', '"opena" is not known, did you mean "openai"'],
	['model: {base_url: "file:///etc"}', 'must be a URL that starts with http:// or https://'],
	['runs: {timeout_seconds: 0}', 'must be more than 0, not 0'],
	['platforms: {email: {from: nobody}}', 'must be an e-mail address'],
	['- a', 'must be a mapping, not a list'],
] as const)('"wrong types are errors": %s', ([config, message]) => {
	using home = createTemporaryHome();
	const loaded = home.load({config});
	expect(hasErrors(loaded)).toBe(true);
	expect(problemsOf(loaded)).toHaveLength(1);
	expect(problemsOf(loaded)[0]).toMatch(/^config\.yaml:1:\d+/);
	expect(problemsOf(loaded)[0]).toContain(message);
});

test.for([
	['a: 1\na: 2\n', 'config.yaml:2:1 a: stands twice in the same mapping'],
	['a: "x', 'config.yaml:1:6: a quote, a bracket, a comma, a colon or a space is missing'],
	['a:\n\t- b\n', 'config.yaml:2:1: a tab cannot indent: use spaces'],
	['a: 1\n---\nb: 2\n', 'config.yaml:2:1: the file holds a second document after "---"'],
	[
		'secret: !top s3cret\n',
		'config.yaml:1:9: a tag is unknown: a text that starts with "!" must stand in quotes',
	],
	['? [a]\n: b\n', 'config.yaml:1:3: a key is not text'],
	['a: *b\n', 'config.yaml:1:4: an alias is malformed or names no anchor above it'],
] as const)('text that is not sound YAML is refused with its place: %j', ([config, line]) => {
	using home = createTemporaryHome();
	const loaded = home.load({config});
	expect(loaded.ok).toBe(false);
	expect(problemsOf(loaded)[0]).toBe(line);
});

test('aliases that double themselves and nesting without end are refused', () => {
	using home = createTemporaryHome();
	const letters = 'a b c d e f g h i j'.split(' ');
	const bomb = letters
		.map((letter, index) =>
			index === 0
				? 'a: &a [1]'
				: `${letter}: &${letter} [${Array(9)
						.fill(`*${letters[index - 1]}`)
						.join()}]`,
		)
		.join('\n');
	expect(home.load({config: bomb}).ok).toBe(false);
	expect(home.load({config: '['.repeat(50_000)}).ok).toBe(false);
	expect(problemsOf(home.load({config: '['.repeat(70) + ']'.repeat(70)}))[0]).toContain(
		'nested deeper than 64 levels',
	);
});

test('a file of more than 1 MiB, or one that is a folder, is refused', () => {
	using home = createTemporaryHome();
	expect(problemsOf(home.load({config: `# ${'x'.repeat(1024 * 1024)}`}))[0]).toContain(
		'larger than',
	);
	using other = createTemporaryHome();
	mkdirSync(other.paths.config);
	expect(problemsOf(other.load())[0]).toContain('it is not a file');
});

test('a file that may not be read is refused', context => {
	needRefusals(context);
	using home = createTemporaryHome();
	home.load({config: 'runs: {}'});
	chmodSync(home.paths.config, 0o000);
	expect(problemsOf(home.load())[0]).toContain('make it readable');
});

test('references are resolved in secrets, model and mail settings, and nowhere else', () => {
	using home = createTemporaryHome();
	const config = configOf(
		home.load(
			{
				env: 'HOOK=hook-secret\nKEY=model-key\nMAIL=mail-password\n',
				config: `
model: {api_key: "\${KEY}", base_url: "http://\${HOST}/v1"}
platforms:
  email: {from: svc@example.com, smtp: {host: mail.example.com, password: "\${env:MAIL}"}}
  webhook:
    secret: ["\${HOOK}", old]
    routes:
      a: {secret: "\${HOOK}2", prompt: "costs \${HOOK}", deliver_extra: {secret: "\${HOOK}"}}
`,
			},
			{environment: {HOST: '127.0.0.1:1234'}},
		),
	);
	expect(config.model).toMatchObject({apiKey: 'model-key', baseUrl: 'http://127.0.0.1:1234/v1'});
	expect(config.platforms.email?.smtp.password).toBe('mail-password');
	expect(config.webhook.secrets).toEqual(['hook-secret', 'old']);
	expect(config.webhook.routes.get('a')).toMatchObject({
		secrets: ['hook-secret2'],
		prompt: 'costs ${HOOK}',
		deliverExtra: {secret: '${HOOK}'},
	});
	expect(config.secretValues).toEqual(
		expect.arrayContaining(['hook-secret', 'hook-secret2', 'old', 'model-key', 'mail-password']),
	);
});

test('users and passwords of proxies are secrets, as they are written and decoded', () => {
	using home = createTemporaryHome();
	const environment = {
		HTTPS_PROXY: 'http://ann:p%40ss/word@proxy.example:8080',
		http_proxy: 'only-a-token@proxy.example',
		ALL_PROXY: 'socks5://hidden:by-the-file@proxy.example',
		NO_PROXY: 'not:a-secret@example',
	};
	const {secretValues} = configOf(
		home.load({env: 'ALL_PROXY=http://proxy.example:1\n'}, {environment}),
	);
	expect(secretValues.toSorted()).toEqual([
		'ann:p%40ss/word',
		'ann:p@ss/word',
		'by-the-file',
		'hidden:by-the-file',
		'only-a-token',
		'p%40ss/word',
		'p@ss/word',
	]);
});

test('a variable that counts tokens is a secret unless it holds a number', () => {
	using home = createTemporaryHome();
	const environment = {MAX_TOKENS: '1000000', INPUT_TOKENS: 'no-number', MAX_TOKEN: 'a-real-token'};
	const {secretValues} = configOf(home.load({}, {environment}));
	expect(secretValues.toSorted()).toEqual(['a-real-token', 'no-number']);
});

test('a reference to a variable that is not set is an error that names it', () => {
	using home = createTemporaryHome();
	expect(problemsOf(home.load({config: 'model:\n  api_key: ${NOPE}\n'}))).toEqual([
		"config.yaml:2:12 model.api_key: ${NOPE} is not set in this profile's .env or in the environment",
	]);
});

test('a bracket that is not closed is told of with the first of what follows from it', () => {
	using home = createTemporaryHome();
	const rest = Array.from({length: 20}, (_, index) => `  s${index}:\n    args:\n      - a\n`).join(
		'',
	);
	const problems = problemsOf(home.load({config: `mcp_servers: [\n${rest}`}));
	expect(problems).toHaveLength(4);
	expect(problems[0]).toBe(
		'config.yaml:3:5: an indented block cannot stand inside brackets: one above may not be closed',
	);
	expect(problems[3]).toMatch(/^config\.yaml:\d+:\d+: … and \d+ more that may follow from these$/);
});

test('a file with more mistakes than anybody reads is refused in good time', () => {
	using home = createTemporaryHome();
	const keys = Array.from({length: 5000}, (_, index) => `k${index}: 1`).join('\n');
	const said = problemsOf(home.load({config: keys}));
	expect(said).toHaveLength(101);
	expect(said.at(-1)).toBe('config.yaml: … and 4900 more');
	expect(problemsOf(home.load({config: `${keys}\n${keys}`}))).toHaveLength(100);
});

test('no message holds a secret', () => {
	using home = createTemporaryHome();
	const secret = 's3cr3t-value';
	const files = [
		`platforms: {webhook: {secret: {a: ${secret}}, routes: {a: {secret: [[${secret}]]}}}}`,
		`model: {api_key: [${secret}], provider: {x: ${secret}}}`,
		`model: {api_key: "${secret}\n`,
		`model: {api_key: !${secret} x}`,
		`model: {api_key: *${secret}}`,
		`platforms: {email: {from: ${secret}, smtp: {port: ${secret}}}}`,
	];
	for (const config of files) {
		const loaded = home.load({config});
		expect(hasErrors(loaded)).toBe(true);
		const itemErrors = loaded.ok ? [...loaded.config.itemErrors.values()] : [];
		expect(JSON.stringify([problemsOf(loaded), itemErrors])).not.toContain(secret);
	}
});

test('e-mail takes its port and TLS from each other', () => {
	using home = createTemporaryHome();
	const smtpOf = (smtp: string) =>
		configOf(
			home.load({config: `platforms: {email: {from: a@b.example, smtp: {host: m, ${smtp}}}}`}),
		).platforms.email?.smtp;
	expect(smtpOf('')).toEqual({host: 'm', port: 587, secure: false});
	expect(smtpOf('secure: true')).toEqual({host: 'm', port: 465, secure: true});
	expect(smtpOf('port: 465')).toEqual({host: 'm', port: 465, secure: true});
	expect(smtpOf('port: 25, secure: false')).toEqual({host: 'm', port: 25, secure: false});
});

test.for(['', 'enabled: true, '])('e-mail may be incomplete: %j', enabled => {
	using home = createTemporaryHome();
	const loaded = home.load({config: `platforms: {email: {${enabled}from: a@b.example}}`});
	expect(problemsOf(loaded)).toEqual([]);
	expect(configOf(loaded).platforms.email).toMatchObject({
		enabled: enabled !== '',
		from: 'a@b.example',
		lacks: '"smtp.host"',
	});
});

test('"Inside the program time is milliseconds"', () => {
	using home = createTemporaryHome();
	const config = configOf(
		home.load({
			config:
				'runs: {timeout_seconds: 1.5}\nretention: {body_days: 0.5}\nplatforms: {webhook: {routes: {a: {secret: s, script_timeout_seconds: 2.5}}}}',
		}),
	);
	expect(config.runs.timeoutMs).toBe(1500);
	expect(config.retention?.bodyMs).toBe(43_200_000);
	expect(config.webhook.routes.get('a')?.scriptTimeoutMs).toBe(2500);
});

test('`metrics.host`: loopback unless it says otherwise', () => {
	using home = createTemporaryHome();
	expect(configOf(home.load({config: ''})).metrics).toEqual({host: '127.0.0.1'});
	expect(configOf(home.load({config: 'metrics: {host: 0.0.0.0}'})).metrics).toEqual({
		host: '0.0.0.0',
	});
});

test('what works is not warned about', () => {
	using home = createTemporaryHome();
	const config = `
gateway: {multiplex_profiles: true}
platforms:
  webhook:
    secret: long-secret
    routes:
      a: {concurrency: 2, overflow: queue, signature: stripe, rate_limit: 3, max_body_bytes: 5, dedupe_body: true}
      b: {coalesce: {key: k, window_seconds: 1, max_wait_seconds: 2}}
      c: {cron_job: j, retired_secrets: [{secret: o, until: 2026-01-01T00:00:00Z}]}
      d: {signature: {header: x, algorithm: sha1, prefix: p, encoding: hex, timestamp_header: t, signed: "{timestamp}{body}"}}
      e: {profile: default}
`;
	expect(problemsOf(home.load({config}, {strict: true}))).toEqual([]);
});

test.for([
	['retired_secrets: [{until: 2026-01-01T00:00:00Z}]', 'must be text, not empty'],
	['retired_secrets: [{secret: s}]', 'must be text, not empty'],
	['retired_secrets: [{secret: s, until: tomorrow}]', 'must be a time with its offset'],
	['retired_secrets: [{secret: s, until: 2026-01-01T00:00:00}]', 'must be a time with its offset'],
	['retired_secrets: [{secret: s, until: 2026-13-01T00:00:00Z}]', 'must be a time with its offset'],
	['retired_secrets: {secret: s}', 'must be a list, not a mapping'],
	['concurrency: 0', 'must be at least 1, not 0'],
	['concurrency: 1.5', 'must be a whole number, not a fraction'],
	['overflow: queu', '"queu" is not known, did you mean "queue"'],
	['cron_job: " "', 'must not be empty'],
	['cron_job: ""', 'must not be empty'],
	['dedupe_body: 1', 'must be true or false, not a number'],
] as const)('a route with {%s} is refused at its place', ([setting, message]) => {
	using home = createTemporaryHome();
	const problems = problemsOf(
		home.load({config: `platforms: {webhook: {routes: {a: {secret: s, ${setting}}}}}`}),
	);
	expect(problems).toHaveLength(1);
	expect(problems[0]).toMatch(/^config\.yaml:1:\d+ platforms\.webhook\.routes\.a\./);
	expect(problems[0]).toContain(message);
});

test('keys that `signature` and `retired_secrets` do not know are found', () => {
	using home = createTemporaryHome();
	const config = `
platforms:
  webhook:
    routes:
      a: {secret: long-secret, signature: {header: x, algoritm: sha1}, retired_secrets: [{secret: o, until: 2026-01-01T00:00:00Z, til: 1}]}
`;
	expect(problemsOf(home.load({config}))).toEqual([
		'config.yaml:5:55 platforms.webhook.routes.a.signature.algoritm: unknown key, did you mean "algorithm"',
		'config.yaml:5:131 platforms.webhook.routes.a.retired_secrets.0.til: unknown key',
	]);
});

test('what is off or empty asks for nothing, and is not warned about', () => {
	using home = createTemporaryHome();
	const config = `
mcp_servers: {}
api: {enabled: false, port: 8642}
metrics:
gateway: {multiplex_profiles: false}
platforms:
  feishu: {enabled: false, app_id: x}
  email: {from: a@b.c, smtp: {host: h}}
  webhook: {routes: {a: {secret: long-secret, overflow: reject, mirror_to_session: false, concurrency: }}}
`;
	expect(problemsOf(home.load({config}))).toEqual([]);
});

test.for([
	[
		'{provider: openai-compatible, name: a}',
		['model.provider: needs "base_url" beside it: runs fail without'],
	],
	['{provider: openai-compatible, name: a, base_url: "http://127.0.0.1:1/v1"}', []],
	['{provider: openai, name: a}', []],
	['{name: a}', []],
] as const)('a model that no run can reach is warned of: %s', ([model, said]) => {
	using home = createTemporaryHome();
	const {problems} = configOf(home.load({config: `model: ${model}`}));
	expect(problems.map(({key, message}) => `${key}: ${message}`)).toEqual(said);
	expect(problems.every(({severity}) => severity === 'warning')).toBe(true);
});
