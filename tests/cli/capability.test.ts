import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {makeServer, makeServerTool} from '../helpers/make-server.ts';
import {command, commandJson, serveControl} from './command.ts';

const crm = makeServer({
	tools: [makeServerTool(), makeServerTool({tool: 'send', name: 'mcp__crm__send', asks: true})],
	protocol: 'legacy 2025-11-25',
});
const mail = makeServer({name: 'mail', status: 'failed'});
const off = makeServer({name: 'off', status: 'skipped'});
const ofAcme = makeServer({
	profile: 'acme',
	tools: [makeServerTool({name: 'mcp__crm__of_acme'})],
});

const homeWith = async (toolsets?: readonly string[], config: JsonObject = {}) =>
	gatewayHome({config, subscriptions: {hook: toolsets ? {toolsets} : {}}});

const lineOf = async (home: string) => {
	const {stdout, stderr} = await command(['webhook', 'subscribe', 'hook'], {home});
	return `${/^can +(.*)$/m.exec(stdout)?.[1]}${stderr}`;
};

test.for([
	{
		toolsets: undefined,
		line: 'each event starts an agent run unattended, with 2 tools (mcp__crm__search, mcp__crm__send), of which mcp__crm__send asks a person first, and the tools of mail, which are not known before it is connected; the answer goes to the log',
	},
	{
		toolsets: ['mcp-mail'],
		line: 'with the tools of mail, which are not known before it is connected;',
	},
	{
		toolsets: ['terminal'],
		config: {sandbox: {read: ['/nowhere/at/all']}},
		line: 'without tools;',
	},
	{
		toolsets: ['terminal'],
		config: {sandbox: {read: ['/nowhere/at/all']}},
		line: 'Toolset "terminal" was dropped: sandbox.read: "/nowhere/at/all" is not there',
	},
	{
		toolsets: ['terminal'],
		config: {sandbox: {required: false}},
		line: 'with 1 tool (terminal), of which terminal asks a person first;',
	},
	{toolsets: ['mcp-off'], line: 'Toolset "mcp-off" was dropped: no tool server "off" gives tools'},
])(
	'what a secret can make happen names the tools of the running gateway: $toolsets',
	async ({toolsets, config, line}) => {
		await using home = await homeWith(toolsets, config);
		const port = createFakePort({servers: [crm, mail, off, ofAcme]});
		await using _ = await serveControl(home.path, port);

		expect(await lineOf(home.path)).toContain(line);
	},
);

test('without a sandbox, where none is required, every tool asks, whatever is allowed, and that is said', async () => {
	const allow = {approval: 'allow'};
	await using home = await homeWith(['terminal', 'file'], {
		sandbox: {required: false},
		toolsets: {terminal: allow, file: allow},
	});
	const subscribe = async (path: string) =>
		command(['webhook', 'subscribe', 'hook'], {home: home.path, environment: {PATH: path}});

	const {stdout, stderr} = await subscribe('/nowhere');
	expect(stdout).toContain(
		'with 5 tools (terminal, read_file, search_files, write_file, edit_file), of which terminal, read_file, search_files, write_file, edit_file ask a person first;',
	);
	expect(stderr).toMatch(
		/^terminal and file work without a sandbox, and each call asks: no sandbox works here: .*; it runs with all rights of the gateway$/m,
	);
	await using none = await homeWith(['web'], {sandbox: {required: false}});
	const ofWeb = await command(['webhook', 'subscribe', 'hook'], {home: none.path});
	expect(ofWeb.stderr).not.toContain('sandbox');
});

test('toolsets of svc that have settings and are not named are told of where a route has no tools', async () => {
	await using home = await gatewayHome({
		config: {toolsets: {terminal: {timeout_seconds: 60}, file: {approval: 'allow'}}},
		subscriptions: {hook: {}},
	});

	expect(await lineOf(home.path)).toContain(
		'without tools (no tool server is configured; name terminal or file in its toolsets: svc help routes);',
	);
});

test('as JSON, the tools and those that ask are lists', async () => {
	await using home = await homeWith(['mcp-crm']);
	await using _ = await serveControl(home.path, createFakePort({servers: [crm, mail]}));

	const {capability} = await commandJson(['webhook', 'subscribe', 'hook'], {home: home.path});

	expect(capability).toMatchObject({
		tools: ['mcp__crm__search', 'mcp__crm__send'],
		changes: ['mcp__crm__search', 'mcp__crm__send'],
		asks: ['mcp__crm__send'],
		unknownServers: [],
	});
});

test('without a gateway, servers that were never connected are named', async () => {
	await using home = await gatewayHome({
		config: {mcp_servers: {crm: {command: 'crm-server'}, off: {command: 'x', enabled: false}}},
	});

	expect(await lineOf(home.path)).toContain(
		'with the tools of crm, which are not known before it is connected;',
	);
});

test('of more tools than a model takes, "subscribe" and "mcp list" say that they are deferred, and name every one that may change things', async () => {
	const toolsOf = (name: string, count: number) =>
		makeServer({
			name,
			tools: Array.from({length: count}, (_, index) =>
				makeServerTool({
					name: `mcp__${name}__${String(index).padStart(3, '0')}`,
					claims: {readOnly: index % 10 > 0},
				}),
			),
		});
	await using home = await gatewayHome({
		config: {mcp_servers: {mail: {command: 'x'}, crm: {command: 'x'}}},
		subscriptions: {hook: {}},
	});
	const port = createFakePort({servers: [toolsOf('crm', 40), toolsOf('mail', 100)]});
	await using _ = await serveControl(home.path, port);
	const deferred =
		'140 tools, all of them deferred (a request takes 128): the model finds them with tool_search';
	const ofCrm = ['000', '010', '020', '030'].map(name => `mcp__crm__${name}`);

	const line = await lineOf(home.path);
	expect(line).toContain('with 140 tools (of which 14 may change things: mcp__mail__000, ');
	expect(line).toContain(ofCrm.join(', '));
	expect(line).toContain(deferred);
	const {stderr} = await command(['mcp', 'list'], {home: home.path});
	expect(stderr).toContain(`crm: 4 tools may change things: ${ofCrm.join(', ')}\n`);
	expect(stderr).toContain(deferred);
	expect(await commandJson(['mcp', 'list', '--json'], {home: home.path})).toMatchObject([
		{name: 'crm', changes: ofCrm},
		{name: 'mail'},
	]);
});

test('what no tool server has said yet is not counted; what few tools weigh is', async () => {
	await using home = await gatewayHome({subscriptions: {hook: {}}});
	const heavy = makeServer({tools: [makeServerTool({tokens: 20_001})]});
	await using _ = await serveControl(home.path, createFakePort({servers: [heavy, mail]}));

	expect(await lineOf(home.path)).toContain('1 tool, all of them deferred');
});
