import {readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {SvcError} from '../../source/core/errors.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeServer, makeServerTool} from '../helpers/make-server.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson, serveControl} from './command.ts';

const configIn = async (home: TemporaryHome) => readFile(home.file('config.yaml'), 'utf8');

const crm = makeServer({
	tools: [
		makeServerTool({args: ['query*', 'limit'], description: 'Searches customers\nand more'}),
		makeServerTool({
			tool: 'delete_all',
			name: 'mcp__crm__delete_all',
			description: 'Deletes',
			asks: true,
			changed: true,
		}),
	],
	offered: 5,
	protocol: 'legacy 2025-11-25',
	trust: 'untrusted',
});

const mail = makeServer({
	name: 'mail',
	transport: 'http',
	endpoint: 'https://mail.example/mcp',
	status: 'failed',
	reason: 'connection refused',
	nextAttemptAt: 1_700_000_060_000,
});

test('"list --json": an array of {name, transport, status, tools, reason, …}', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, createFakePort({servers: [crm, mail]}));

	const servers = await commandJson(['mcp', 'list'], {home: home.path});

	expect(servers).toMatchObject([
		{name: 'crm', transport: 'stdio', status: 'connected', tools: 2, asks: 1, reason: null},
		{name: 'mail', transport: 'http', status: 'failed', tools: 0, reason: 'connection refused'},
	]);
});

test('the list is a table', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, createFakePort({servers: [crm, mail]}));

	const {stdout} = await command(['mcp', 'list'], {home: home.path});

	expect(stdout.split('\n').map(line => line.split(/ {2,}/).slice(0, 6))).toEqual([
		['NAME', 'PROFILE', 'STATUS', 'TOOLS', 'ASK', 'TRUST'],
		['crm', 'default', 'connected', '2', '1', 'untrusted'],
		['mail', 'default', 'failed', '0', '0', 'full'],
		['', 'connection refused'],
		[''],
	]);
});

test.for([60, 80, 120])(
	'on %i columns the reason stands under its row, whole, and the endpoint takes what is left',
	async columns => {
		const why = 'the certificate of the server is not valid for its name. '.repeat(4).trim();
		await using home = await temporaryHome();
		const long = {...mail, endpoint: `https://mail.example/${'mcp/'.repeat(40)}`, reason: why};
		await using _ = await serveControl(home.path, createFakePort({servers: [crm, long]}));

		const {stdout} = await command(['mcp', 'list'], {home: home.path, columns});
		const lines = stdout.trimEnd().split('\n');

		expect(lines[2]).toMatch(/^mail .*https:.*…$/);
		expect(lines.slice(3).every(line => line.startsWith('    '))).toBe(true);
		expect(
			lines
				.slice(3)
				.map(line => line.slice(4))
				.join(''),
		).toBe(why);
		expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(columns);
		expect((await command(['mcp', 'list'], {home: home.path})).stdout).toContain(long.endpoint);
	},
);

test('the status of one server has its tools, and which of them ask', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, createFakePort({servers: [crm, mail]}));

	const {stdout} = await command(['mcp', 'status', 'crm'], {home: home.path});
	const json = await commandJson(['mcp', 'status', 'crm'], {home: home.path});

	expect(json).toEqual(crm);
	expect(stdout).toMatch(/^crm {2}connected\n/);
	expect(stdout).toContain('2 tools (it offers 5), 1 of which asks a person first');
	expect(stdout).toContain('  mcp__crm__search(query*, limit)  Searches customers\n');
	expect(stdout).toContain('  mcp__crm__delete_all()  [asks, changed]  Deletes\n');
	expect(await command(['mcp', 'status', 'nope'], {home: home.path})).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(server_not_found)'),
	});
});

test('a server is connected and disconnected by the gateway; one that cannot be reached is an error', async () => {
	await using home = await temporaryHome();
	const port = createFakePort({servers: [crm, mail]});
	await using _ = await serveControl(home.path, {
		...port,
		connectServer: async name => (name === 'crm' ? crm : mail),
		disconnectServer: async () => crm,
	});
	const act = async (verb: string, name: string) => command(['mcp', verb, name], {home: home.path});

	expect(await act('connect', 'crm')).toMatchObject({code: 0, stdout: 'crm ● connected\n'});
	expect(await act('connect', 'mail')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('mail ✗ failed: connection refused (mcp_connect_failed)'),
	});
	expect(await act('disconnect', 'crm')).toMatchObject({
		code: 0,
		stdout: 'crm is disconnected; the next call connects it\n',
	});
});

test('"svc gateway status" says where the servers stand and what waits', async () => {
	await using home = await temporaryHome();
	const port = createFakePort();
	const status = await port.status();
	const servers = [crm, {...mail, profile: 'acme'}].map(
		({name, profile, status: is, tools, reason = null}) => ({
			name,
			profile,
			status: is,
			tools: tools.length,
			reason,
		}),
	);
	await using _ = await serveControl(home.path, {
		...port,
		status: async () => ({...status, servers, approvals: 2}),
	});

	const {stdout} = await command(['gateway', 'status'], {home: home.path});

	expect(stdout).toContain(
		[
			'servers    crm: connected, 2 tools\n',
			'           mail of acme: failed, connection refused\n',
		].join(''),
	);
	expect(stdout).toContain('approvals  2 waiting: svc approvals list\n');
});

test('a test is made by the gateway that runs, with its duration', async () => {
	await using home = await temporaryHome();
	const port = createFakePort({servers: [crm]});
	port.answers.serverTest = {server: crm, durationMs: 341.6};
	await using _ = await serveControl(home.path, port);

	const {stdout} = await command(['mcp', 'test', 'crm'], {home: home.path});

	expect(stdout).toMatch(/^crm answered in 342 ms \(legacy 2025-11-25\)\n2 tools /);
	expect(port.calls).toEqual([{name: 'testServer', args: ['crm', {profile: 'default'}]}]);

	port.answers.failure = new SvcError('mcp_connect_failed', 'spawn crm-server ENOENT');
	expect(await command(['mcp', 'test', 'crm'], {home: home.path})).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('spawn crm-server ENOENT (mcp_connect_failed)'),
	});
});

test('a program is added as untrusted, which is said; comments of the file stay', async () => {
	await using home = await temporaryHome({'config.yaml': '# mine\nmodel: {provider: offline}\n'});

	const {code, stdout, stderr} = await command(
		['mcp', 'add', 'crm', '--env', 'CRM_TOKEN=${CRM_TOKEN}', '--', 'crm-server', '--stdio', '-v'],
		{home: home.path},
	);

	expect({code, stdout}).toEqual({code: 0, stdout: 'Added crm\nTry it: svc mcp test crm\n'});
	expect(stderr).toMatch(/^Not set yet: .*\nIt is untrusted: /);
	expect(await configIn(home)).toBe(
		[
			'# mine',
			'model: {provider: offline}',
			'mcp_servers:',
			'  crm:',
			'    command: crm-server',
			'    args:',
			'      - --stdio',
			'      - -v',
			'    env:',
			'      CRM_TOKEN: ${CRM_TOKEN}',
			'    trust: untrusted',
			'',
		].join('\n'),
	);
});

test('a remote server is added with its flags', async () => {
	await using home = await temporaryHome();

	const added = await commandJson(
		(
			'mcp add mail --url https://mail.example/mcp --transport sse --header X-Tenant=acme --trust full ' +
			'--lazy --include get_*,list --timeout 30 --protocol legacy'
		).split(' '),
		{home: home.path},
	);

	expect(added).toEqual({
		name: 'mail',
		url: 'https://mail.example/mcp',
		transport: 'sse',
		headers: {'X-Tenant': 'acme'},
		protocol: 'legacy',
		timeout: 30,
		lazy: true,
		tools: {include: ['get_*', 'list']},
		trust: 'full',
	});
	expect(await command(['config', 'check'], {home: home.path})).toMatchObject({code: 0});
});

test.for([
	['--sandbox', true],
	[
		'--sandbox-read /opt/mcp --sandbox-read ~/notes --sandbox-write /srv/out --sandbox-hosts docs.example,*.acme.example:8443',
		{
			read: ['/opt/mcp', '~/notes'],
			write: ['/srv/out'],
			hosts: ['docs.example', '*.acme.example:8443'],
		},
	],
] as const)('a program is added with a sandbox: %s', async ([flags, sandbox]) => {
	await using home = await temporaryHome();

	const {stdout: added} = await command(
		`mcp add files --json --trust full ${flags} -- node server.js`.split(' '),
		{home: home.path},
	);
	const {stdout: shown} = await command(['mcp', 'status', 'files'], {home: home.path});

	expect(JSON.parse(added)).toEqual({
		name: 'files',
		command: 'node',
		args: ['server.js'],
		sandbox,
		trust: 'full',
	});
	expect(shown).toMatch(
		sandbox === true
			? /^ *sandbox +the system's folders alone, no hosts$/m
			: /^ *sandbox +read \/opt\/mcp, ~\/notes; write \/srv\/out; hosts docs\.example, \*\.acme\.example:8443$/m,
	);
});

test('a remote server has no sandbox, and a listed path is absolute', async () => {
	await using home = await temporaryHome();

	const remote = await command('mcp add a --url https://a.example --sandbox'.split(' '), {
		home: home.path,
	});
	const relative = await command('mcp add a --sandbox-read notes -- node'.split(' '), {
		home: home.path,
	});

	expect(remote.stderr).toContain('is for programs');
	expect(relative.stderr).toContain('is no absolute path');
});

test('a server that exists is refused, and the file stays as it is', async () => {
	await using home = await temporaryHome();
	const add = ['mcp', 'add', 'crm', '--url', 'https://a.example/mcp'];
	await command(add, {home: home.path});
	const before = await configIn(home);

	const again = await command(add, {home: home.path});

	expect(again).toMatchObject({code: 1, stderr: expect.stringContaining('(server_exists)')});
	expect(await configIn(home)).toBe(before);
});

test.for([
	{what: 'a variable whose name says so', args: ['--env', 'GITHUB_TOKEN=abcdefgh', '--', 'x']},
	{what: 'a header', args: ['--url', 'https://a.example', '--header', 'Authorization=Bearer abcd']},
	{what: 'a shape', args: ['--env', 'WHAT=ghp_abcdefghijklmnopqrstu', '--', 'x']},
	{what: 'an argument', args: ['--', 'x', '--api-key', 'abcdefgh']},
	{what: 'an argument with its value', args: ['--', 'x', '--token=abcdefgh']},
	{what: 'the query of a URL', args: ['--url', 'https://a.example/mcp?api_key=abcdefgh']},
	{what: 'a password in a URL', args: ['--url', 'https://ann:abcdefgh@a.example/mcp']},
])('what looks like a secret is not written into the file: $what', async ({args}) => {
	await using home = await temporaryHome({'config.yaml': 'model: {provider: offline}\n'});

	const {code, stderr} = await command(['mcp', 'add', 'crm', ...args], {home: home.path});

	expect(code).toBe(1);
	expect(stderr).toMatch(
		/^svc: (?:Not added: .* looks like a secret.*\.env.*\(secret_inline\)|Cannot use .* \(server_invalid\))\n$/,
	);
	expect(stderr).not.toContain('abcd');
	expect(await configIn(home)).toBe('model: {provider: offline}\n');
});

test('the refusal of a secret names the variable that should hold it', async () => {
	await using home = await temporaryHome();

	const env = await command(['mcp', 'add', 'crm', '--env', 'GITHUB_TOKEN=abcdefgh', '--', 'x'], {
		home: home.path,
	});
	const header = await command(
		['mcp', 'add', 'my-crm', '--url', 'https://a.example', '--header', 'X-Api-Key=abcdefgh'],
		{home: home.path},
	);

	expect(env.stderr).toContain("use '${GITHUB_TOKEN}' instead");
	expect(header.stderr).toContain("use '${MY_CRM_X_API_KEY}' instead");
});

test('the refusal of a credential keeps its scheme', async () => {
	await using home = await temporaryHome();
	const {stderr} = await command(
		'mcp add crm --url https://a.example --header'
			.split(' ')
			.concat('Authorization=Bearer abcdefgh'),
		{home: home.path},
	);
	expect(stderr).toContain("use 'Authorization=Bearer ${CRM_AUTHORIZATION}' instead");
});

test('variables that are not set are said with the file that should hold them', async () => {
	await using home = await temporaryHome({'.env': 'CRM_HOST=a.example\n'});
	const {stderr} = await command(
		[
			...'mcp add crm --trust full --url https://${CRM_HOST}/ --header'.split(' '),
			'Authorization=Bearer ${CRM_TOKEN} ${CRM_TOKEN}',
		],
		{home: home.path},
	);
	expect(stderr).toBe(`Not set yet: \${CRM_TOKEN}. Write it into "${home.file('.env')}"\n`);
});

test('a name that a shell would take apart is quoted where it is to be typed', async () => {
	await using home = await temporaryHome();
	const {stdout} = await command(['mcp', 'add', "ann's crm", '--', 'x'], {home: home.path});
	expect(stdout).toContain("Try it: svc mcp test 'ann'\\''s crm'\n");
});

test('a server that is switched off says so, and is not connected to for a test', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'mcp_servers:\n  crm: {command: x, enabled: false}\n',
	});
	const look = async () => (await command(['mcp', 'status', 'crm'], {home: home.path})).stdout;
	expect(await command(['mcp', 'test', 'crm'], {home: home.path})).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(server_disabled)'),
	});
	expect(await look()).toMatch(/^crm {2}skipped\n.*\nwhy +enabled: false in config\.yaml\n/);
	const {reason: _reason, ...off} = makeServer({name: 'crm', status: 'skipped'});
	await using _ = await serveControl(home.path, createFakePort({servers: [off]}));
	expect(await look()).toMatch(/^crm {2}skipped\n.*\nwhy +enabled: false in config\.yaml\n/);
});

test('what cannot be a server is refused', async () => {
	await using home = await temporaryHome();

	expect(
		await command(['mcp', 'add', 'crm', '--url', 'ftp://a.example'], {home: home.path}),
	).toMatchObject({code: 1, stderr: expect.stringContaining('(server_invalid)')});
	for (const args of [
		['mcp', 'add', 'crm'],
		['mcp', 'add', 'crm', '--url', 'https://a.example', '--', 'x'],
	]) {
		expect(await command(args, {home: home.path})).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('either --url or a command'),
		});
	}
});

test('a server is removed after a yes, and the rest of the file stays', async () => {
	await using home = await temporaryHome({
		'config.yaml':
			'# mine\nmcp_servers:\n  crm: {command: x}\n  # of the mail\n  mail: {command: y}\n',
	});

	expect(await command(['mcp', 'remove', 'crm'], {home: home.path})).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(confirmation_needed)'),
	});
	expect(await command(['mcp', 'remove', 'crm', '--yes'], {home: home.path})).toMatchObject({
		code: 0,
		stdout: 'Removed crm\n',
	});
	expect(await configIn(home)).toContain('# of the mail\n  mail: {command: y}');
	expect(await configIn(home)).not.toContain('crm');
	expect(await command(['mcp', 'remove', 'crm', '--yes'], {home: home.path})).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(server_not_found)'),
	});
});

test('a server that is broken can be removed', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'mcp_servers:\n  crm: {timeout: soon}\n  mail: {command: y}\n',
	});

	expect(await command(['mcp', 'remove', 'crm', '--yes'], {home: home.path})).toMatchObject({
		code: 0,
	});
	expect(await configIn(home)).toBe('mcp_servers:\n  mail: {command: y}\n');
});
