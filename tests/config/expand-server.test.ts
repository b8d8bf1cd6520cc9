import {assert, constantFrom, dictionary, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {expandServer} from '../../source/config/expand-server.ts';
import {contextVariables} from '../../source/config/server-references.ts';
import type {ToolServerConfig} from '../../source/config/tool-server.ts';
import {createRedact} from '../../source/core/redact.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const context = contextVariables({HOME: '/home/ada'}, '/work/space');

const serverOf = (entry: string): ToolServerConfig => {
	using home = createTemporaryHome();
	const server = configOf(home.load({config: `mcp_servers: {crm: {${entry}}}`})).toolServers.get(
		'crm',
	);
	if (!server) {
		throw new Error('no server');
	}

	return server;
};

const expand = (entry: string, environment: Record<string, string> = {}) =>
	expandServer(serverOf(entry), {environment, context});

const expanded = (entry: string, environment: Record<string, string> = {}) => {
	const result = expand(entry, environment);
	if (!result.ok) {
		throw new Error(result.message);
	}

	return result;
};

test.for([
	['true', {read: [], write: [], hosts: []}],
	['{}', {read: [], write: [], hosts: []}],
	['false', undefined],
	[
		"{read: [~/notes, '${DATA}/x'], write: ['${workspaceFolder}'], hosts: [db.example:5432]}",
		{
			read: ['/home/ada/notes', '/srv/data/x'],
			write: ['/work/space'],
			hosts: [{host: 'db.example', below: false, ports: [5432]}],
		},
	],
] as const)('`sandbox: %s`', ([written, wanted]) => {
	const {endpoint} = expanded(`command: a, sandbox: ${written}`, {DATA: '/srv/data'}).server;

	expect(endpoint).toHaveProperty('command', 'a');
	expect('sandbox' in endpoint ? endpoint.sandbox : undefined).toEqual(wanted);
});

test('a path of a sandbox is absolute once its variables are put in', () => {
	expect(expand("command: a, sandbox: {read: ['${DATA}']}", {DATA: 'data'})).toMatchObject({
		ok: false,
		message: expect.stringContaining('"data" in "sandbox" is no absolute path'),
	});
});

test.for([
	['`${VAR}`', '${CRM}', 'value of CRM'],
	['`${env:VAR}` (same variable)', '${env:CRM}', 'value of CRM'],
	['several in one text', 'a ${CRM} b ${env:CRM} c', 'a value of CRM b value of CRM c'],
	['`${userHome}`', '${userHome}/x', '/home/ada/x'],
	['`${workspaceFolder}`', '${workspaceFolder}', '/work/space'],
	['`${workspaceFolderBasename}`', '${workspaceFolderBasename}', 'space'],
	['`${pathSeparator}` and `${/}`', 'a${pathSeparator}b${/}c', 'a/b/c'],
	['"case-sensitive"', '${userhome} ${crm}', '${userhome} ${crm}'],
	['context before the environment', '${userHome}', '/home/ada'],
	['`${env:…}` is the environment', '${env:userHome}', 'of the environment'],
	['"Any other `${...}` falls through to the env lookup"', '${odd name}', 'odd value'],
	['"An unset variable keeps its literal placeholder"', 'x ${NOT_SET} y', 'x ${NOT_SET} y'],
	['`${env:…}` that is unset', '${env:NOT_SET}', '${env:NOT_SET}'],
	['one pass: what a variable holds is not looked at again', '${LOOP}', '${CRM}'],
	['a variable that is empty is set', 'a${EMPTY}b', 'ab'],
	[
		'names that every object inherits',
		'${constructor} ${__proto__}',
		'${constructor} ${__proto__}',
	],
	['no reference', '$CRM {CRM} ${} $${', '$CRM {CRM} ${} $${'],
	['inside of another', '${a${CRM}}', '${avalue of CRM}'],
] as const)('references, %s', ([, written, wanted]) => {
	const environment = {
		CRM: 'value of CRM',
		userHome: 'of the environment',
		'odd name': 'odd value',
		LOOP: '${CRM}',
		EMPTY: '',
	};
	const {server} = expanded(
		`command: ${JSON.stringify(`run ${written}`)}, args: [${JSON.stringify(written)}], env: {A: ${JSON.stringify(written)}}`,
		environment,
	);
	expect(server.endpoint).toMatchObject({
		command: `run ${wanted}`,
		args: [wanted],
		env: {A: wanted},
	});
});

test('an argument that is split from a text stays one, whatever its variable holds', () => {
	const {server} = expanded('command: a, args: "--name ${NAME} -x"', {NAME: 'two "words"'});
	expect(server.endpoint).toMatchObject({args: ['--name', 'two "words"', '-x']});
});

test('"String values in a server entry": url, headers, certificates, OAuth, tools and models too', () => {
	const {server} = expanded(
		'url: "https://${HOST}/${V}", headers: {X: "${V}"}, ssl_verify: "${V}.pem", client_cert: ["${V}.crt", "${V}.key", "${V}"], auth: oauth, oauth: {client_secret: "${V}", scope: "a ${V}"}, tools: {include: "${V}_*", exclude: ["${V}"]}, sampling: {model: "${V}", allowed_models: ["${V}"]}',
		{HOST: 'h.example', V: 'val'},
	);
	expect(server).toMatchObject({
		endpoint: {
			url: 'https://h.example/val',
			headers: {X: 'val'},
			tls: {verify: 'val.pem', client: {cert: 'val.crt', key: 'val.key', password: 'val'}},
			oauth: {client_secret: 'val', scope: 'a val'},
		},
		tools: {include: ['val_*'], exclude: ['val']},
		sampling: {model: 'val', allowedModels: ['val']},
	});
});

test('`~` is the home of the user in paths of certificates alone', () => {
	const {server} = expanded(
		'url: https://a.example/~x, headers: {X: ~/y}, ssl_verify: ~/ca.pem, client_cert: ~/c.pem, client_key: ~ada/k.pem',
	);
	expect(server.endpoint).toMatchObject({
		url: 'https://a.example/~x',
		headers: {X: '~/y'},
		tls: {verify: '/home/ada/ca.pem', client: {cert: '/home/ada/c.pem', key: '~ada/k.pem'}},
	});
});

test.for([
	['url: "https://${CRM_HOST}/mcp"', 'CRM_HOST'],
	['url: "${env:CRM_URL}"', 'CRM_URL'],
	['url: https://a, headers: {Authorization: "Bearer ${CRM_TOKEN}"}', 'CRM_TOKEN'],
	['url: "https://${FIRST}", headers: {X: "${SECOND}"}', 'FIRST'],
	['url: https://a, headers: {X: "${not a name}"}', 'not a name'],
	['url: https://a, headers: {X: "${USERHOME}"}', 'USERHOME'],
] as const)('"fail closed … the server status names the variable": {%s}', ([entry, variable]) => {
	expect(expand(entry)).toEqual({
		ok: false,
		message: `MCP server 'crm': \${${variable}} in url/headers is not set in this profile's .env or secret source`,
	});
});

test('"The next connect attempt renders the reference afresh"; the configuration keeps what is written', () => {
	const server = serverOf('url: "https://${HOST}/"');
	const environment: Record<string, string> = {};
	expect(expandServer(server, {environment, context}).ok).toBe(false);
	environment['HOST'] = 'a.example';
	expect(expandServer(server, {environment, context})).toMatchObject({
		server: {endpoint: {url: 'https://a.example/'}},
	});
	expect(server.endpoint).toMatchObject({url: 'https://${HOST}/'});
});

test.for([
	['url: "${U}"', 'file:///etc/passwd', '"url" must be a URL that starts with http:// or https://'],
	[
		'url: "${U}"',
		'not-a-url-but-secret',
		'"url" must be a URL that starts with http:// or https://',
	],
	[
		'url: "https://${U}/"',
		'ada:hunter22@crm.example',
		'"url" must not hold a user name or a password: set "headers"',
	],
	[
		'url: https://a, headers: {X: "${U}"}',
		'secret\r\nX-Evil: 1',
		'header "X" has a character that no header can hold: a line break, another control, or one beyond Latin-1',
	],
	['command: "${U}"', ' ', '"command" is empty once its variables are put in'],
	[
		'command: a, env: {A: "${U}"}',
		'secret\0',
		'a variable with a NUL stands in "command", "args", "env" or "sandbox"',
	],
] as const)('{%s} with a variable that cannot stand there', ([entry, value, message]) => {
	const result = expand(entry, {U: value});
	expect(result).toEqual({ok: false, message: `MCP server 'crm': ${message}`});
});

test('`secrets` holds what came from variables into `env` and `headers`, and what names say is one', () => {
	const environment = {
		HOME: '/home/ada',
		LEVEL: 'debug-level',
		CRM_TOKEN: 'token-value',
		PLACE: 'place-value',
		API_KEY: 'key-value',
	};
	expect(
		expanded(
			'command: "${PLACE}", args: ["--key=${API_KEY}", "${PLACE}", --password, literal-password], env: {LOG: "${LEVEL}", H: "${HOME}", W: "${workspaceFolder}", MY_SECRET: literal-secret, MODE: production}',
			environment,
		).secrets.toSorted(),
	).toEqual(['debug-level', 'key-value', 'literal-password', 'literal-secret']);
	expect(
		expanded(
			'url: "https://${PLACE}.example/?api_key=${LEVEL}", headers: {Authorization: "Bearer ${CRM_TOKEN}", X: "${LEVEL}"}, client_cert: [c, k, "${PLACE}"]',
			environment,
		).secrets.toSorted(),
	).toEqual(['Bearer token-value', 'debug-level', 'place-value', 'token-value']);
});

test('a placeholder that stays is no secret: it is what a person has to read', () => {
	expect(expanded('command: a, env: {MY_TOKEN: "${NOT_SET}"}').secrets).toEqual([]);
});

test('nothing of what was expanded can be read once it is redacted by `secrets`', () => {
	const {server, secrets} = expanded(
		'url: "https://a.example/?token=${T}", headers: {Authorization: "Bearer ${T}", Cookie: "sid=${C}"}, auth: oauth, oauth: {client_secret: "${S}"}, client_cert: [a, b, "${P}"]',
		{T: 'tttttttt', C: 'cccccccc', S: 'ssssssss', P: 'pppppppp'},
	);
	const shown = createRedact(() => secrets, {byShape: false})(JSON.stringify(server));
	expect(shown).not.toMatch(/tttt|cccc|ssss|pppp/);
	expect(shown).toContain('https://a.example/');
});

test('no text makes the expansion throw, and placeholders alone fail it', () => {
	const texts = oneof(
		string(),
		string({unit: 'binary'}),
		constantFrom(
			'${A}',
			'${env:A}',
			'${',
			'}',
			'${/}',
			'${}',
			'$',
			'${__proto__}',
			'${A',
			'A}',
			'~/',
		),
	);
	const program = serverOf('command: a');
	const remote = serverOf('url: https://a.example');
	assert(
		property(texts, texts, dictionary(string(), texts), (one, two, environment) => {
			const scope = {environment, context};
			for (const server of [
				{
					...program,
					endpoint: {
						...program.endpoint,
						transport: 'stdio',
						command: one,
						args: [two],
						env: {[one]: two},
					},
				},
				{
					...remote,
					endpoint: {
						...remote.endpoint,
						transport: 'http',
						url: one,
						headers: {[two]: one},
						tls: {verify: two, client: {cert: one, password: two}},
						skipPreflight: false,
					},
				},
			] as const) {
				const result = expandServer(server, scope);
				expect(result.ok ? typeof result.server : result.message).toMatch(
					/^object$|^MCP server 'crm': /,
				);
			}
		}),
		{numRuns: propertyRuns(300)},
	);
});
