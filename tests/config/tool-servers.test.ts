import {expect, test} from 'vitest';
import {configSchemaJson} from '../../source/config/config-schema-json.ts';
import {serverItem} from '../../source/config/invalid-server.ts';
import {valueAt} from '../../source/config/plain-data.ts';
import type {ToolServerConfig} from '../../source/config/tool-server.ts';
import {configOf, createTemporaryHome, problemsOf} from './temporary-home.ts';

const serversOf = (yaml: string): ReadonlyMap<string, ToolServerConfig> => {
	using home = createTemporaryHome();
	return configOf(home.load({config: `mcp_servers:\n${yaml}`})).toolServers;
};

const serverOf = (entry: string): ToolServerConfig => {
	const server = serversOf(`  crm: {${entry}}`).get('crm');
	if (!server) {
		throw new Error('no server');
	}

	return server;
};

/** What is said of one entry, without file and position. */
const saidOf = (entry: string): readonly string[] => {
	using home = createTemporaryHome();
	return problemsOf(home.load({config: `mcp_servers: {crm: {${entry}}}`}, {strict: true})).map(
		line => line.replace(/^config\.yaml:1:\d+ mcp_servers\.crm/, '').replace(/^\./, ''),
	);
};

test('an entry that says no more than what it launches has the defaults of manual/tool-servers.md#settings and manual/tool-servers.md', () => {
	expect(serverOf('command: crm-server')).toEqual({
		name: 'crm',
		enabled: true,
		endpoint: {transport: 'stdio', command: 'crm-server', args: [], env: {}},
		trust: 'full',
		protocol: 'auto',
		timeoutMs: 300_000,
		connectTimeoutMs: 60_000,
		parallel: false,
		lazy: false,
		tools: {exclude: [], resources: true, prompts: true},
		sampling: {
			enabled: true,
			maxTokensCap: 4096,
			timeoutMs: 30_000,
			maxRpm: 10,
			allowedModels: [],
			maxToolRounds: 5,
		},
		elicitation: {enabled: true, timeoutMs: 300_000},
	});
});

test('a remote entry: "Streamable HTTP", verified, pinged every 180 s', () => {
	const {endpoint, keepaliveMs} = serverOf('url: https://crm.example/mcp');
	expect(endpoint).toEqual({
		transport: 'http',
		url: 'https://crm.example/mcp',
		headers: {},
		tls: {verify: true},
		skipPreflight: false,
	});
	expect(keepaliveMs).toBe(180_000);
});

/** Rows of manual/tool-servers.md#settings: what is written, and what of the server it decides. */
test.for([
	['`command`: Executable to launch', 'command: /bin/crm', {endpoint: {command: '/bin/crm'}}],
	[
		'`args`: Subprocess arguments',
		'command: a, args: [-y, "@x/crm", 8080, true]',
		{endpoint: {args: ['-y', '@x/crm', '8080', 'true']}},
	],
	[
		'`args`: a text is split as a shell does',
		String.raw`command: a, args: "-y 'two words' \"${'$'}{X Y}\" a\\ b"`,
		{endpoint: {args: ['-y', 'two words', '${X Y}', 'a b']}},
	],
	[
		'`args`: a text that begins like JSON is a list',
		`command: a, args: '["-y", 1, "b c"]'`,
		{endpoint: {args: ['-y', '1', 'b c']}},
	],
	[
		'`args`: the JSON of a mapping is one argument',
		`command: a, args: '{"a": "b c"}'`,
		{endpoint: {args: ['{"a": "b c"}']}},
	],
	[
		'`args`: brackets that are no JSON',
		`command: a, args: "[x y"`,
		{endpoint: {args: ['[x', 'y']}},
	],
	[
		'`env`: Subprocess environment',
		'command: a, env: {TOKEN: "${CRM_TOKEN}", PORT: 80, DEBUG: true, GAP: }',
		{endpoint: {env: {TOKEN: '${CRM_TOKEN}', PORT: '80', DEBUG: 'true'}}},
	],
	['`url`: Remote MCP endpoint', 'url: "${CRM_URL}"', {endpoint: {url: '${CRM_URL}'}}],
	[
		'`url` with a reference inside',
		'url: "https://${HOST}:${env:PORT}/mcp"',
		{endpoint: {url: 'https://${HOST}:${env:PORT}/mcp'}},
	],
	[
		'`headers`: Headers for remote requests',
		'url: http://a, headers: {Authorization: "Bearer ${T}", X-Team: 7, X-Gap: }',
		{endpoint: {headers: {Authorization: 'Bearer ${T}', 'X-Team': '7'}}},
	],
	[
		'`ssl_verify` true: system CAs',
		'url: https://a, ssl_verify: true',
		{endpoint: {tls: {verify: true}}},
	],
	[
		'`ssl_verify` string: path to a PEM CA bundle',
		'url: https://a, ssl_verify: ~/ca.pem',
		{endpoint: {tls: {verify: '~/ca.pem'}}},
	],
	[
		'`client_cert` String: PEM file holding certificate and key',
		'url: https://a, client_cert: c.pem',
		{endpoint: {tls: {client: {cert: 'c.pem'}}}},
	],
	[
		'`client_cert` List `[cert, key]`: separate files',
		'url: https://a, client_cert: [c.pem, k.pem]',
		{endpoint: {tls: {client: {cert: 'c.pem', key: 'k.pem'}}}},
	],
	[
		'`client_cert` List `[cert, key, password]`: encrypted key',
		'url: https://a, client_cert: [c.pem, k.pem, "${PW}"]',
		{endpoint: {tls: {client: {cert: 'c.pem', key: 'k.pem', password: '${PW}'}}}},
	],
	[
		'`client_key`: Key file path when `client_cert` is a string and the key is separate',
		'url: https://a, client_cert: c.pem, client_key: k.pem',
		{endpoint: {tls: {client: {cert: 'c.pem', key: 'k.pem'}}}},
	],
	['`enabled`: entry stays in place', 'command: a, enabled: false', {enabled: false}],
	['`timeout` number (s)', 'command: a, timeout: 1.5', {timeoutMs: 1500}],
	['`connect_timeout` number (s)', 'command: a, connect_timeout: 5', {connectTimeoutMs: 5000}],
	['`protocol`: stateless', 'command: a, protocol: stateless', {protocol: 'stateless'}],
	['`protocol`: legacy', 'command: a, protocol: legacy', {protocol: 'legacy'}],
	[
		'`protocol`: "unknown values warn and mean `auto`"',
		'command: a, protocol: 7',
		{protocol: 'auto'},
	],
	[
		'`supports_parallel_tool_calls`: Allow concurrent tool runs',
		'command: a, supports_parallel_tool_calls: true',
		{parallel: true},
	],
	['`skip_preflight`', 'url: http://a, skip_preflight: true', {endpoint: {skipPreflight: true}}],
	[
		'`transport`: Value `sse` selects the SSE transport',
		'url: http://a, transport: sse',
		{endpoint: {transport: 'sse'}},
	],
	['`transport`: http', 'url: http://a, transport: http', {endpoint: {transport: 'http'}}],
	['`transport`: stdio', 'command: a, transport: stdio', {endpoint: {transport: 'stdio'}}],
	[
		'`keepalive_interval`: Liveness ping cadence',
		'command: a, keepalive_interval: 30',
		{keepaliveMs: 30_000},
	],
	[
		'`keepalive_interval`: "floored at 5 s"',
		'url: http://a, keepalive_interval: 1',
		{keepaliveMs: 5000},
	],
	['`lazy`', 'command: a, lazy: true', {lazy: true}],
	[
		'`idle_timeout_seconds`: Recycle after idle time',
		'command: a, idle_timeout_seconds: 60, max_lifetime_seconds: 3600',
		{endpoint: {idleMs: 60_000, lifetimeMs: 3_600_000}},
	],
	[
		'"May sit under a `lifecycle` mapping"',
		'command: a, lifecycle: {idle_timeout_seconds: 60, max_lifetime_seconds: 0.5}',
		{endpoint: {idleMs: 60_000, lifetimeMs: 500}},
	],
	[
		'what stands beside `command` counts before `lifecycle`',
		'command: a, max_lifetime_seconds: 7, lifecycle: {max_lifetime_seconds: 8}',
		{endpoint: {lifetimeMs: 7000}},
	],
	[
		'`auth`: Value `oauth` enables OAuth 2.1 with PKCE',
		'url: https://a, auth: oauth',
		{endpoint: {oauth: {}}},
	],
	[
		'`oauth` mapping of 2.14',
		'url: https://a, auth: oauth, oauth: {flow: device, timeout: 60, client_id: c, client_secret: "${S}", token_endpoint_auth_method: none, client_name: n, redirect_uri: "http://127.0.0.1:1/cb", redirect_port: 8080, scope: a b, user_agent: , client_metadata_url: https://a/c.json, cimd: false}',
		{
			endpoint: {
				oauth: {
					flow: 'device',
					timeout: 60,
					client_id: 'c',
					client_secret: '${S}',
					token_endpoint_auth_method: 'none',
					client_name: 'n',
					redirect_uri: 'http://127.0.0.1:1/cb',
					redirect_port: 8080,
					scope: 'a b',
					client_metadata_url: 'https://a/c.json',
					cimd: false,
				},
			},
		},
	],
	[
		'`sampling`: Server-initiated LLM request policy',
		'command: a, sampling: {enabled: false, model: m, max_tokens_cap: 10, timeout: 2, max_rpm: 3, allowed_models: [x], max_tool_rounds: 0}',
		{
			sampling: {
				enabled: false,
				model: 'm',
				maxTokensCap: 10,
				timeoutMs: 2000,
				maxRpm: 3,
				allowedModels: ['x'],
				maxToolRounds: 0,
			},
		},
	],
	[
		'`elicitation`: `enabled` (default true), `timeout` seconds (default 300)',
		'command: a, elicitation: {enabled: false, timeout: 10}',
		{elicitation: {enabled: false, timeoutMs: 10_000}},
	],
	['`trust`: untrusted', 'command: a, trust: untrusted', {trust: 'untrusted'}],
	['"`trust` trimmed, case-insensitive"', 'command: a, trust: " Full "', {trust: 'full'}],
	[
		'`trust`: "Unrecognised values are treated as `untrusted`"',
		'command: a, trust: fulll',
		{trust: 'untrusted'},
	],
	[
		'`trust`: a value of another type is not recognised',
		'command: a, trust: true',
		{trust: 'untrusted'},
	],
	['`trust`: an empty text is not recognised', 'command: a, trust: ""', {trust: 'untrusted'}],
	[
		'sampling: "`enabled` true (false when untrusted)"',
		'command: a, trust: UNTRUSTED',
		{trust: 'untrusted', sampling: {enabled: false}},
	],
	[
		'sampling of an untrusted server that says so',
		'command: a, trust: untrusted, sampling: {enabled: true}',
		{sampling: {enabled: true}},
	],
] as const)('%s', ([, entry, expected]) => {
	expect(serverOf(entry)).toMatchObject(expected);
});

/** Rows of manual/tool-servers.md#which-tools-a-server-offers. */
test.for([
	['`include`: string', 'include: get_*', {include: ['get_*']}],
	['`include`: list', 'include: [a.b, c-d]', {include: ['a.b', 'c-d']}],
	['`exclude`: string', 'exclude: drop', {exclude: ['drop']}],
	['`exclude`: list', 'exclude: [drop, "rm_?"]', {exclude: ['drop', 'rm_?']}],
	[
		'"An empty `include: []` with `resources: true` yields a resource-only server"',
		'include: [], resources: true',
		{include: [], resources: true, prompts: false},
	],
	['prompts alone', 'prompts: true', {resources: false, prompts: true}],
	[
		'what is switched off says nothing of the other',
		'prompts: false',
		{resources: true, prompts: false},
	],
	['both', 'resources: true, prompts: true', {resources: true, prompts: true}],
	['bool-like: yes, no', 'resources: yes, prompts: no', {resources: true, prompts: false}],
	['bool-like: texts', 'resources: "False", prompts: " TRUE "', {resources: false, prompts: true}],
	['bool-like: on, off', 'resources: on, prompts: off', {resources: true, prompts: false}],
	['bool-like: numbers', 'resources: 0, prompts: 1', {resources: false, prompts: true}],
	[
		'bool-like: numbers as texts',
		'resources: "1", prompts: "0"',
		{resources: true, prompts: false},
	],
] as const)('tools, %s', ([, tools, expected]) => {
	expect(serverOf(`command: a, tools: {${tools}}`).tools).toMatchObject(expected);
});

test('0 disables recycling, and stdio servers are not pinged unless they say so', () => {
	const server = serverOf(
		'command: a, idle_timeout_seconds: 0, lifecycle: {max_lifetime_seconds: 0}',
	);
	expect(server.endpoint).not.toHaveProperty('idleMs');
	expect(server.endpoint).not.toHaveProperty('lifetimeMs');
	expect(server).not.toHaveProperty('keepaliveMs');
});

test('keys without a value are the same as none', () => {
	const keys =
		'args env headers ssl_verify client_cert client_key enabled timeout connect_timeout protocol supports_parallel_tool_calls skip_preflight transport keepalive_interval lazy idle_timeout_seconds max_lifetime_seconds lifecycle tools auth oauth sampling elicitation trust url';
	const entry = keys
		.split(' ')
		.map(key => `${key}: `)
		.join(', ');
	expect(serverOf(`command: crm-server, ${entry}`)).toEqual(serverOf('command: crm-server'));
});

test('servers stand in the order of the file; a name may hold any visible character', () => {
	expect([
		...serversOf('  "zé 漢/…": {command: a}\n  b.c: {command: a}\n  1: {command: a}').keys(),
	]).toEqual(expect.arrayContaining(['zé 漢/…', 'b.c', '1']));
});

test.for([
	['', ['needs "command" (a program) or "url" (a remote server)']],
	['command: a, url: http://a', ['has both "command" and "url": a server is one of the two']],
	['command: ""', ['command: must not be empty']],
	['command: [a]', ['command: must be text, not a list']],
	['command: a, args: 7', ['args: must be a list or text, not a number: put it in quotes']],
	['command: a, args: [[a]]', ['args.0: must be text or a number or true or false, not a list']],
	[
		`command: a, args: "-m 'open"`,
		['args: has a quote that does not end, or ends in a backslash: write a list'],
	],
	['command: a, args: ["a\\0b"]', ['args.0: must not hold a NUL']],
	['command: a, env: {"A=B": c}', ['env.A=B: is not the name of a variable']],
	['command: a, env: {A: [b]}', ['env.A: must be text or a number or true or false, not a list']],
	['url: crm.example/mcp', ['url: must be a URL that starts with http:// or https://']],
	['url: "ftp://${HOST}/x"', ['url: must be a URL that starts with http:// or https://']],
	['url: "file:///etc/passwd"', ['url: must be a URL that starts with http:// or https://']],
	[
		'url: "https://ada:hunter22@a/mcp"',
		['url: must not hold a user name or a password: set "headers"'],
	],
	[
		'url: http://a, headers: {"X Y": z}',
		["headers.X Y: is not a header's name: 1 to 128 letters, digits and hyphens"],
	],
	[
		'url: http://a, headers: {Content-Length: 3}',
		['headers.Content-Length: is set by the program itself'],
	],
	[
		'url: http://a, headers: {X: "a\\r\\nY: b"}',
		[
			'headers.X: has a character that no header can hold: a line break, another control, or one beyond Latin-1',
		],
	],
	[
		'url: http://a, headers: {X-Team: a, x-team: b}',
		['headers.x-team: stands twice: upper and lower case are the same here'],
	],
	[
		'url: https://a, ssl_verify: 0',
		['ssl_verify: must be true or false or text, not a number: put it in quotes'],
	],
	['url: https://a, ssl_verify: ""', ['ssl_verify: must not be empty']],
	[
		'url: https://a, client_cert: [c.pem]',
		['client_cert: must be a text, [certificate, key] or [certificate, key, password]'],
	],
	[
		'url: https://a, client_cert: [a, b, c, d]',
		['client_cert: must be a text, [certificate, key] or [certificate, key, password]'],
	],
	[
		'url: https://a, client_cert: [c, k], client_key: k',
		['client_key: stands beside a "client_cert" that is a list and names the key already'],
	],
	['url: https://a, client_key: k', ['client_key: needs "client_cert" beside it']],
	['command: a, enabled: "no"', ['enabled: must be true or false, not text']],
	['command: a, timeout: 0', ['timeout: must be more than 0, not 0']],
	['command: a, timeout: "5"', ['timeout: must be a number, not text']],
	['command: a, connect_timeout: -1', ['connect_timeout: must be more than 0, not -1']],
	['command: a, keepalive_interval: -1', ['keepalive_interval: must be at least 0, not -1']],
	['command: a, idle_timeout_seconds: -1', ['idle_timeout_seconds: must be at least 0, not -1']],
	['url: http://a, transport: sses', ['transport: "sses" is not known, did you mean "sse"']],
	['url: http://a, transport: stdio', ['transport: does not fit to "url"']],
	['command: a, transport: sse', ['transport: does not fit to "command"']],
	['command: a, auth: oauth', ['auth: is for remote servers: it needs "url"']],
	['url: http://a, sandbox: true', ['sandbox: is for programs: it needs "command"']],
	['url: http://a, auth: oath', ['auth: "oath" is not known, did you mean "oauth"']],
	['command: a, tools: [a]', ['tools: must be a mapping, not a list']],
	[
		'command: a, tools: {include: 7}',
		['tools.include: must be text or a list, not a number: put it in quotes'],
	],
	[
		'command: a, tools: {include: [7]}',
		['tools.include.0: must be text, not a number: put it in quotes'],
	],
	['command: a, tools: {resources: maybe}', ['tools.resources: must be true or false']],
	['command: a, tools: {prompts: 2}', ['tools.prompts: must be true or false']],
	[
		'url: http://a, auth: oauth, oauth: {flow: devise}',
		['oauth.flow: "devise" is not known, did you mean "device"'],
	],
	[
		'url: http://a, auth: oauth, oauth: {redirect_port: 0}',
		['oauth.redirect_port: must be at least 1, not 0'],
	],
	...[
		'http://a/b',
		'https://a',
		'https://a/',
		'https://u@a/b',
		'https://a/b#c',
		'https://a/../b',
		'https://a/%2e/b',
	].map(
		url =>
			[
				`url: http://a, auth: oauth, oauth: {client_metadata_url: "${url}"}`,
				[
					'oauth.client_metadata_url: must be an https:// URL with a path, without a fragment, a user name and the segments "." and ".."',
				],
			] as const,
	),
	['command: a, sampling: {max_rpm: 0}', ['sampling.max_rpm: must be at least 1, not 0']],
	['command: a, elicitation: true', ['elicitation: must be a mapping, not true or false']],
] as const)('{%s} is refused at its place', ([entry, expected]) => {
	expect(saidOf(entry).map(line => line.replace(/^: /, ''))).toEqual(expected);
	using home = createTemporaryHome();
	const {itemErrors, toolServers} = configOf(
		home.load({config: `mcp_servers: {crm: {${entry}}, other: {command: a}}`}),
	);
	expect(itemErrors.get(serverItem('crm'))).toMatchObject({kept: false});
	expect([...toolServers.keys()]).toEqual(['other']);
});

test('"reported with file, line, column and the path of the key"', () => {
	using home = createTemporaryHome();
	const config = 'mcp_servers:\n  good: {command: a}\n  bad:\n    command: a\n    timeout: soon\n';
	expect(problemsOf(home.load({config}))).toEqual([
		'config.yaml:5:14 mcp_servers.bad.timeout: must be a number, not text',
	]);
});

test('what has no effect is said, and is no error', () => {
	const warnings: ReadonlyArray<readonly [string, readonly string[]]> = [
		[
			'command: a, protocol: statless',
			[
				'protocol: "statless" is not known and means "auto": must be one of auto, stateless, legacy, did you mean "stateless"',
			],
		],
		[
			'command: a, trust: unturstd',
			['trust: "unturstd" is not known and means "untrusted": must be one of full, untrusted'],
		],
		[
			'command: a, trust: none',
			['trust: "none" is not known and means "untrusted": must be one of full, untrusted'],
		],
		[
			'command: a, trust: [full]',
			['trust: this is not known and means "untrusted": must be one of full, untrusted'],
		],
		[
			'command: a, headers: {X: y}, oauth: {}',
			['headers: has no effect beside "command"', 'oauth: has no effect beside "command"'],
		],
		[
			'url: http://a, args: [b], env: {A: b}',
			['args: has no effect beside "url"', 'env: has no effect beside "url"'],
		],
		['url: http://a, oauth: {scope: a}', ['oauth: has no effect without "auth: oauth"']],
		[
			'url: http://a, keepalive_interval: 2',
			['keepalive_interval: is less than 5 seconds: 5 is used'],
		],
		[
			'command: a, tools: {include: a, exclude: b}',
			['tools.exclude: has no effect beside "include"'],
		],
		[
			'command: a, max_lifetime_seconds: 1, lifecycle: {max_lifetime_seconds: 2}',
			[
				'lifecycle.max_lifetime_seconds: has no effect: "max_lifetime_seconds" stands beside "lifecycle" too',
			],
		],
		[
			'url: https://a, ssl_verify: false',
			[
				'ssl_verify: the certificate of the server is not checked: whoever is on the way can read and change everything',
			],
		],
	];
	for (const [entry, expected] of warnings) {
		expect(saidOf(entry)).toEqual(expected);
		expect(serverOf(entry).name).toBe('crm');
	}
});

test('unknown keys are named with the nearest known one, "warnings at start and errors in `svc config check`"', () => {
	const entry =
		'url: http://a, auth: oauth, timeot: 3, tools: {includes: [a]}, sampling: {max_rpms: 1}, oauth: {client_ids: a}, lifecycle: {idle: 3}';
	expect(saidOf(entry)).toEqual([
		'timeot: unknown key, did you mean "timeout"',
		'tools.includes: unknown key, did you mean "include"',
		'sampling.max_rpms: unknown key, did you mean "max_rpm"',
		'oauth.client_ids: unknown key, did you mean "client_id"',
		'lifecycle: has no effect beside "url"',
		'lifecycle.idle: unknown key',
	]);
	expect(serverOf(entry).timeoutMs).toBe(300_000);
});

test.for([
	['""', 'empty'],
	['"  "', 'blank'],
	['"a\\u001bb"', 'a control'],
	['"a\\u202eb"', 'a hidden character'],
	['"a\\nb"', 'two lines'],
	[`"${'n'.repeat(129)}"`, 'too long'],
] as const)('a server cannot be called %s', ([name]) => {
	using home = createTemporaryHome();
	const loaded = home.load({config: `mcp_servers: {${name}: {command: a}}`});
	expect(configOf(loaded).toolServers.size).toBe(0);
	expect(problemsOf(loaded).join('\n')).toContain('is not a name: 1 to 128 characters');
});

test('there may be 200 servers', () => {
	using home = createTemporaryHome();
	const many = (count: number) =>
		`mcp_servers:\n${Array.from({length: count}, (_, index) => `  s${index}: {command: a}\n`).join('')}`;
	expect(configOf(home.load({config: many(200)})).toolServers.size).toBe(200);
	expect(problemsOf(home.load({config: many(201)}))).toEqual([
		'config.yaml:2:3 mcp_servers: must hold at most 200 servers',
	]);
});

test('nothing is said of servers that are sound, and none are there without the key', () => {
	using home = createTemporaryHome();
	expect(configOf(home.load({config: ''})).toolServers.size).toBe(0);
	expect(configOf(home.load({config: 'mcp_servers:'})).toolServers.size).toBe(0);
	expect(
		problemsOf(
			home.load(
				{
					config:
						'mcp_servers: {a: {command: "${CRM}", args: ["${X}"]}, b: {url: "${U}", headers: {A: "${T}"}, auth: oauth, oauth: {client_id: "${I}", client_metadata_url: "${D}"}}}',
				},
				{strict: true},
			),
		),
	).toEqual([]);
});

test('the JSON Schema describes an entry', () => {
	const server = valueAt(configSchemaJson(), ['$defs', 'tool_server']);
	expect(server).toMatchObject({
		additionalProperties: false,
		oneOf: [{required: ['command']}, {required: ['url']}],
	});
	expect(valueAt(server, ['properties', 'timeout'])).toMatchObject({default: 300});
	expect(Object.values(valueAt(server, ['properties']) ?? {})).toSatisfy((properties: object[]) =>
		properties.every(property => 'description' in property),
	);
});

test('"No message holds a secret": literal secrets of servers are known to the redaction, places and placeholders are not', () => {
	using home = createTemporaryHome();
	const config = `
mcp_servers:
  a:
    command: crm
    args: [--api-key, flag-secret, --token=token-secret, --token-file, /run/token, --port, "8080"]
    env: {CRM_TOKEN: env-secret, DB_PASS: pass-secret, OPENAI_KEY: key-secret, HTTPS_PROXY: "http://u:proxy-secret@proxy.example", MODE: production, OTHER_TOKEN: "\${OTHER}"}
  b:
    url: https://b.example/mcp?api_key=query-secret&page=second
    headers: {Authorization: Bearer header-secret, X-Api-Key: x-api-secret, Cookie: sid=cookie-secret; x=y, X-Team: platform}
    client_cert: [/etc/cert.pem, /etc/key.pem, pem-secret]
    auth: oauth
    oauth: {client_secret: oauth-secret, token_endpoint_auth_method: client_secret_basic}
`;
	const {secretValues} = configOf(home.load({config}));
	for (const secret of [
		'flag-secret',
		'token-secret',
		'env-secret',
		'pass-secret',
		'key-secret',
		'proxy-secret',
		'query-secret',
		'Bearer header-secret',
		'header-secret',
		'x-api-secret',
		'cookie-secret',
		'pem-secret',
		'oauth-secret',
	]) {
		expect(secretValues).toContain(secret);
	}

	for (const open of [
		'production',
		'platform',
		'/run/token',
		'/etc/key.pem',
		'second',
		'8080',
		'client_secret_basic',
		'${OTHER}',
	]) {
		expect(secretValues).not.toContain(open);
	}
});
