import {expect, test} from 'vitest';
import {dialogRows} from '../../../helpers/dialog-rows.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeShownTool, makeToolApproval} from '../../../helpers/make-approval.ts';
import {makeServer, makeServerTool} from '../../../helpers/make-server.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {freshPicture, showShell, testNow} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};

const github = makeServer({
	name: 'github-tools',
	transport: 'http',
	trust: 'untrusted',
	since: testNow - 2 * 3_600_000,
	endpoint: 'https://api.example.com/mcp',
	offered: 38,
	filter: 'include [get_*, create_issue]',
	protocol: 'legacy 2025-11-25',
	serverInfo: 'github 2.1',
	pingMs: 48.3,
	stderr: 'listening on stdio',
	activeCalls: 2,
	warnings: ['tool "merge" changed'],
	tools: [
		makeServerTool({
			tool: 'get_issue',
			name: 'mcp__github-tools__get_issue',
			claims: {readOnly: true},
		}),
		makeServerTool({tool: 'create_issue', asks: true, args: ['title*', 'body']}),
		makeServerTool({tool: 'merge', asks: true, changed: true, claims: {destructive: true}}),
	],
});

const servers = [
	makeServer({
		name: 'crm',
		status: 'failed',
		since: testNow - 3000,
		reason: "${CRM_URL} in url/headers is not set in this profile's .env",
		nextAttemptAt: testNow + 5000,
	}),
	github,
	makeServer({name: 'linear', transport: 'http', status: 'needs login', since: testNow - 60_000}),
	makeServer({name: 'old', status: 'skipped'}),
	makeServer({name: 'search', transport: 'sse', status: 'connecting', since: testNow - 3000}),
];

test('servers with state and age, tools and trust, and under each that is not connected the reason', async () => {
	await using shown = await showShell(createFakePort({servers}), narrow, {pane: 'tools'});

	expect(shown.text()).toContain('── 5 servers ── 1 connected · 1 connecting · 1 login · 1 error');
	const rows = readTable(shown.screen.lines(), ['server', 'transport', 'state', 'tools', 'trust']);
	expect(
		rows.map(({sign, isUnder, text, cells}) => (isUnder ? text : [sign, ...Object.values(cells)])),
	).toEqual([
		['>!', 'crm', 'stdio', '✗ failed 3s', '-', 'full'],
		"${CRM_URL} in url/headers is not set in this profile's .env · again in 5s",
		['!', 'github-tools', 'http', '● connected 2h', '3 of 38', 'untrusted'],
		['!', 'linear', 'http', '! needs login 1m', '-', 'full'],
		['', 'old', 'stdio', '- skipped', '-', 'disabled'],
		['', 'search', 'sse', '◐ connecting 3s', '-', 'full'],
	]);
});

test('the detail: endpoint, filter, protocol, ping, stderr, warnings, and tools with their claims', async () => {
	const calls = [
		makeToolApproval({id: 1, decision: {outcome: 'allowed', at: testNow, by: 'tui'}}),
		makeToolApproval({id: 2, decision: {outcome: 'denied', at: testNow, by: 'tui'}}),
		makeToolApproval({id: 3, tool: makeShownTool({profile: 'ops'})}),
	];
	const port = createFakePort({servers: [github], settledApprovals: calls});
	await using shown = await showShell(port, wide, {pane: 'tools'});
	const right = shown.screen.lines().map(row => row.slice(70));

	expect(right.slice(3, 19).map(row => row.trimEnd())).toEqual([
		'github-tools                            untrusted',
		'  https://api.example.com/mcp',
		'  filter    include [get_*, create_issue]',
		'  protocol  legacy 2025-11-25',
		'  server    github 2.1',
		'  ping      48 ms',
		'  calls     2 under way',
		'  stderr    listening on stdio',
		'  ! tool "merge" changed',
		'',
		'  * claimed by the server, not verified',
		'  R get_issue     auto  read-only*',
		'  ! create_issue  asks  2 asked, 1 denied',
		'  ! merge         asks  destructive*  changed',
		'',
		'',
	]);
	expect(shown.screen.lines()[2]).toContain('1 connected · 3 tools registered');
	expect(shown.screen.picture()).toBe(await freshPicture(shown));
});

test('c connects; what it came to is said', async () => {
	const port = createFakePort({servers});
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('c');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'connectServer', args: ['crm', {profile: 'default'}]}]);
	expect(shown.said()).toContain('crm ✗ failed: ${CRM_URL}');

	await shown.screen.press('j', 'c');
	expect(shown.said()).toBe(' It is connected');
	await shown.screen.press('j', 'j', 'c');
	expect(shown.said()).toContain('It is switched off');
	expect(port.calls).toHaveLength(1);
});

test('x asks when calls are under way, and only then', async () => {
	const idle = makeServer({name: 'zeta'});
	const port = createFakePort({servers: [github, idle]});
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('x');
	expect(shown.text()).toContain('2 calls are under way and would fail');
	expect(port.calls).toEqual([]);
	await shown.screen.press('y', 'j', 'x');
	await shown.pass(0);
	expect(port.calls.map(({args}) => args[0])).toEqual(['github-tools', 'zeta']);
});

test.for([['R'], [':']] as const)('%s shows what a reload would do, then asks', async ([key]) => {
	const port = createFakePort({servers});
	port.answers.serverPlan = {
		changes: [
			'+ crm2',
			'~ github-tools: tools.include changed (14 → 9 tools, 1 approval rule becomes void)',
			'- old',
		],
		closes: ['github-tools'],
	};
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press(key);
	if (key === ':') {
		await shown.screen.type('/reload-mcp');
		await shown.screen.press('enter');
	}

	await shown.pass(0);
	const asked = dialogRows(shown.screen.lines()).join(' ').replaceAll(/\s+/g, ' ');
	expect(asked).toContain('+ crm2');
	expect(asked).toContain('(14 → 9 tools, 1 approval rule becomes void)');
	expect(asked).toContain('Connections that end: github-tools.');
	expect(port.calls).toEqual([]);
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'reload', args: []}]);
});

test('a reload that changes nothing asks nothing', async () => {
	const port = createFakePort({servers});
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('R');
	await shown.pass(0);

	expect(shown.said()).toBe(
		' Nothing to reload: what is saved in mcp_servers is applied by itself',
	);
});

test('T opens config.yaml at the lines of the server; l says that a program has no login', async () => {
	const port = createFakePort({servers: [github]});
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	shown.desktop.file = 'model: {}\nmcp_servers:\n  crm:\n    url: x\n  github-tools:\n    url: y\n';
	await shown.screen.press('T');
	await shown.pass(0);
	expect(shown.desktop.opened).toEqual(['/home/ann/.svc/config.yaml:5']);

	await shown.screen.press('l');
	expect(shown.said()).toContain('It has no login');
});

test('y copies the name of the server, or of the tool that was entered', async () => {
	const port = createFakePort({servers: [github]});
	await using shown = await showShell(port, wide, {pane: 'tools'});
	await shown.screen.press('y', 'enter');
	for (let rows = 0; rows < 11; rows++) {
		// oxlint-disable-next-line no-await-in-loop -- one row after the other
		await shown.screen.press('j');
	}

	await shown.screen.press('y');
	await shown.pass(0);
	expect(shown.desktop.copied).toEqual(['github-tools', 'mcp__github-tools__get_issue']);
});

test('t tries a tool: a field for each argument, JSON or text; what the model would read is shown', async () => {
	const port = createFakePort({servers: [github]});
	port.answers.toolResult = {text: 'created\u001B[2J #7'};
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('t', '2');
	expect(shown.text()).toContain('── Try create_issue ── github-tools ──');
	await shown.screen.press('a');
	expect(port.calls).toEqual([]);
	expect(shown.said()).toContain('Not called: title is needed');

	await shown.screen.press('enter');
	await shown.screen.type('a title');
	await shown.screen.press('tab');
	await shown.screen.paste('{"x":1}');
	await shown.screen.press('enter', 'a');
	await shown.pass(0);
	expect(port.calls).toEqual([
		{
			name: 'tryTool',
			args: [
				'mcp__crm__search',
				{arguments: {title: 'a title', body: {x: 1}}, by: 'tui', profile: 'default'},
			],
		},
	]);
	expect(shown.text()).toContain('── create_issue ✓ answered ──');
	expect(shown.text()).toContain('created␛[2J #7');
	await shown.screen.press('esc');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('a tool with a long name is named in full beside its list, and enter on it tries it', async () => {
	const server = makeServer({
		tools: [
			makeServerTool({tool: 'list_directory_with_sizes', claims: {readOnly: true}}),
			makeServerTool({tool: 'write_file', description: 'Writes\na file', args: ['path*']}),
		],
	});
	await using shown = await showShell(createFakePort({servers: [server]}), wide, {pane: 'tools'});
	expect(shown.text()).toContain('R list_directory_with_sizes  auto  read-only*');

	await shown.screen.press('enter', 'G', 'enter');
	expect(shown.text()).toContain('── Try write_file ── crm ──');
	expect(shown.text()).toContain('Writes a file');
});

test('what a full-trust server claims is marked as a claim too', async () => {
	const server = makeServer({tools: [makeServerTool({claims: {destructive: true}})]});
	await using shown = await showShell(createFakePort({servers: [server]}), wide, {pane: 'tools'});

	expect(shown.text()).toContain('search  auto  destructive*');
	expect(shown.text()).toContain('* claimed by the server, not verified');
});

test('what a tool answered can be copied, and tried again with other arguments', async () => {
	const port = createFakePort({servers: [github]});
	port.answers.toolResult = {text: 'title is\ntoo long', isError: true};
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('t', '2', 'enter');
	await shown.screen.type('x');
	await shown.screen.press('enter', 'a');
	await shown.pass(0);
	expect(shown.text()).toContain('── create_issue ✗ failed ──');
	expect(shown.said()).toContain('t other arguments');
	await shown.screen.press('y');
	await shown.pass(0);
	expect(shown.desktop.copied).toEqual(['title is\ntoo long']);

	await shown.screen.press('t');
	expect(shown.text()).toContain('── Try create_issue ── github-tools ──');
	expect(shown.text()).toMatch(/> title\*\s+x/);
});

test('an answer that comes while a person is elsewhere is said, and takes no keys', async () => {
	const {promise, resolve} = Promise.withResolvers<{text: string}>();
	const port = {...createFakePort({servers: [github]}), tryTool: async () => promise};
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('t', '2', 'enter');
	await shown.screen.type('x');
	await shown.screen.press('enter', 'a', '1');
	resolve({text: 'created #7'});
	await shown.pass(0);
	expect(shown.shell.view.get().overlay).toBeUndefined();
	expect(shown.said()).toContain('create_issue has answered: created #7');
});

test('a tool that cannot be called gives its arguments back, unless the person has gone on', async () => {
	const calls = [Promise.withResolvers<never>(), Promise.withResolvers<never>()] as const;
	const waiting = calls.values();
	const port = {
		...createFakePort({servers: [github]}),
		tryTool: async () => waiting.next().value?.promise ?? {text: ''},
	};
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('t', '2', 'enter');
	await shown.screen.type('x');
	await shown.screen.press('enter', 'a');
	calls[0].reject(new Error('the server is gone'));
	await shown.pass(0);
	expect(shown.text()).toMatch(/> title\*\s+x/);
	expect(shown.said()).toContain('the server is gone');

	await shown.screen.press('a', '1');
	calls[1].reject(new Error('it is gone again'));
	await shown.pass(0);
	expect(shown.said()).toContain('it is gone again');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('an answer is laid out anew for another width', async () => {
	const port = createFakePort({servers: [github]});
	port.answers.toolResult = {text: `${'word '.repeat(30)}end`};
	await using shown = await showShell(port, wide, {pane: 'tools'});
	await shown.screen.press('t', '2', 'enter');
	await shown.screen.type('x');
	await shown.screen.press('enter', 'a');
	await shown.pass(0);
	await shown.resize(narrow);
	expect(shown.text()).toContain('end');
});

test('! over a form of arguments opens what waits, and comes back to what was typed', async () => {
	const port = createFakePort({servers: [github], approvals: [makeToolApproval()]});
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('t', '2', 'enter');
	await shown.screen.type('x');
	await shown.screen.press('alt+a');
	expect(shown.text()).toContain('── Approval 1 of 1 ──');
	await shown.screen.press('esc');
	expect(shown.text()).toMatch(/> title\*\s+x/);
	await shown.screen.press('enter', '!', 'd');
	expect(port.calls.map(({name}) => name)).toEqual(['settleApproval']);
	expect(shown.text()).toContain('── Try create_issue ── github-tools ──');
});

test('the reason under a server does not name it once more; recycled ones are counted as that', async () => {
	const some = [
		makeServer({status: 'parked', reason: "MCP server 'crm': ${URL} in url/headers is not set"}),
		makeServer({name: 'old', status: 'recycled', reason: 'disconnected by hand'}),
	];
	await using shown = await showShell(createFakePort({servers: some}), narrow, {pane: 'tools'});

	expect(shown.text()).toContain('      ${URL} in url/headers is not set\n');
	expect(shown.text()).toContain('1 recycled · 1 error');
});

test('the filter knows servers, states and tools', async () => {
	await using shown = await showShell(createFakePort({servers}), narrow, {pane: 'tools'});
	await shown.screen.press('/');
	await shown.screen.type('tool:merge');
	expect(shown.text()).toContain('1 of 5 servers');
	expect(shown.text()).toContain('·! github-tools');
	expect(shown.text()).not.toContain('linear');
});

test('without servers it says how to get one', async () => {
	await using shown = await showShell(createFakePort(), narrow, {pane: 'tools'});

	expect(shown.text()).toContain('No tool servers: agents answer without tools.');
	expect(shown.text()).toContain('`svc mcp add NAME …`');
});
