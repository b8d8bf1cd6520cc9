import {expect, test} from 'vitest';
import {attackCorpus} from '../../../helpers/attack-corpus.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {foreignSequences} from '../../../helpers/foreign-sequences.ts';
import {makeServer} from '../../../helpers/make-server.ts';
import {makeRun} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {freshPicture, showShell, testNow, type ShownShell} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};

const linear = makeServer({
	name: 'linear',
	transport: 'http',
	status: 'needs login',
	since: testNow - 60_000,
	endpoint: 'https://mcp.linear.example/mcp',
	reason: 'Tool server "linear" needs a login: run "svc mcp login linear"',
	login: {flow: 'device', stored: false},
});

const github = makeServer({
	name: 'github',
	transport: 'http',
	endpoint: 'https://api.github.example/mcp',
	since: testNow - 60_000,
	login: {
		flow: 'browser',
		stored: true,
		expiresAt: testNow + 3_600_000,
		issuer: 'github.example',
		scope: 'read write',
	},
});

const crm = makeServer({
	name: 'crm',
	transport: 'http',
	status: 'needs login',
	since: testNow,
	endpoint: 'https://crm.example/mcp',
	reason: 'Tool server "crm" refuses the login that is stored: run "svc mcp login crm"',
	login: {flow: 'browser', stored: false},
});

const files = makeServer({name: 'files'});

const servers = [crm, files, github, linear];

const code = {
	server: 'linear',
	status: 'waiting',
	flow: 'device',
	serverHost: 'mcp.linear.example',
	userCode: 'WDJB-MJHT',
	verificationUri: 'https://auth.linear.example/device',
	verificationUriComplete: 'https://auth.linear.example/device?user_code=WDJB-MJHT',
	verificationHost: 'auth.linear.example',
	startedAt: testNow,
	endsAt: testNow + 300_000,
} as const;

const page = {
	server: 'crm',
	status: 'waiting',
	flow: 'browser',
	serverHost: 'crm.example',
	url: `https://login.crm.example/auth?state=${'s'.repeat(200)}`,
	opened: false,
	redirectPort: 27_890,
	tunnel: 'ssh -N -L 27890:127.0.0.1:27890 ann@198.51.100.4',
	endsAt: testNow + 300_000,
} as const;

/** The servers with what stands before their names; what is said under one as it is. */
const rowsOfServers = ({screen}: ShownShell) =>
	readTable(screen.lines(), ['server', 'state', 'way', 'host', 'token ends']).map(
		({sign, isUnder, text, cells}) => (isUnder ? text : [sign, ...Object.values(cells)]),
	);

const rowsOf = ({screen}: ShownShell, from: number, to: number) =>
	screen
		.lines()
		.slice(from, to)
		.map(row => row.trimEnd());

const open = async (size: typeof wide = narrow, state = {servers}) =>
	showShell(createFakePort(state), size, {pane: 'logins'});

test('every server with a login: its state, its way, its host, and when the token ends; what is more than that under it', async () => {
	await using shown = await open();

	expect(rowsOf(shown, 0, 3)).toEqual([
		expect.stringContaining('! 2 logins'),
		expect.stringContaining('[4Auth]'),
		expect.stringContaining('── Logins ── 3 servers ── 2 need a login ──'),
	]);
	expect(rowsOfServers(shown)).toEqual([
		['>!', 'crm', '! needs login 0s', 'browser', 'crm.example', '-'],
		'refuses the login that is stored',
		['', 'github', '● logged in', 'browser', 'api.github.example', '13:00:00'],
		['!', 'linear', '! needs login 1m', 'device', 'mcp.linear.example', '-'],
	]);
});

test('a login with a code: both hosts together, the code in large letters, what to do, and how long', async () => {
	await using shown = await open();
	await shown.screen.press('G', 'l');
	expect(shown.logins.calls).toEqual([['start', {server: 'linear', profile: 'default'}, {}]]);
	shown.logins.tell(code);
	await shown.pass(60_000);

	const left = rowsOf(shown, 3, 24).map(row => row.slice(0, 45).trimEnd());
	expect(left.slice(0, 18)).toEqual([
		'linear',
		'  tool server mcp.linear.example',
		'  login page  auth.linear.example',
		'  Is that the page you expect for this',
		'  server? If not, do not go there: x',
		'',
		'  1 open https://auth.linear.example/devi',
		'         ce',
		'  2 type WDJB-MJHT',
		'',
		'    █   █ █▀▀▄   ▀█ █▀▀▄',
		'    █▄▀▄█ █  █ ▄  █ █▀▀▄ ▀▀▀',
		'    ▀   ▀ ▀▀▀   ▀▀  ▀▀▀',
		'',
		'    █▄ ▄█   ▀█ █  █ ▀▀█▀▀',
		'    █ ▀ █ ▄  █ █▀▀█   █',
		'    ▀   ▀  ▀▀  ▀  ▀   ▀',
		'',
	]);
	expect(shown.screen.lines()[3]).toMatch(/! waits 4:00$/);
	expect(shown.text()).toMatch(/█+░+ {2}4:00 left/);
	expect(shown.screen.picture()).toBe(await freshPicture(shown));
});

test('a page on another host than its authorization server is said, with a code and in a browser, in the list and whole', async () => {
	await using shown = await open();
	// Without the picture beside it.
	const {verificationUriComplete: _, ...plain} = code;
	shown.logins.tell({...plain, issuerHost: 'evil.example'});
	shown.logins.tell({...page, issuerHost: 'evil.example'});
	await shown.pass(0);
	expect(rowsOfServers(shown)).toContain(
		'! the page is one of login.crm.example, which is not evil.example',
	);
	expect(rowsOfServers(shown)).toContainEqual(
		expect.stringMatching(/^! not a page of evil\.example: code WDJB-MJHT at https:/),
	);

	for (const [key, host] of [
		['g', 'login.crm.example'],
		['G', 'auth.linear.example'],
	] as const) {
		await shown.screen.press(key, 'enter');
		const text = rowsOf(shown, 3, 24)
			.map(row => row.trim())
			.join(' ');
		expect(text).toContain(
			`! A page of ${host}, which is not evil.example, its authorization server. Unless you expect that, do not go there: x`,
		);
		await shown.screen.press('esc');
	}
});

test('a page of the authorization server itself needs no word of caution', async () => {
	await using shown = await open();
	shown.logins.tell({...code, issuerHost: code.verificationHost});
	await shown.screen.press('G', 'enter');

	expect(shown.text()).not.toContain('which is not');
});

test('how the server is asked is said while a person waits, a slower pace too', async () => {
	await using shown = await open();
	shown.logins.tell({
		...code,
		polling: {times: 18, askedAt: testNow - 2000, answer: 'pending', pauseMs: 5000},
	});
	await shown.screen.press('G', 'enter');
	expect(shown.text()).toContain('Asked 18×, every 5 s');
	shown.logins.tell({
		server: 'linear',
		polling: {times: 19, askedAt: testNow, answer: 'slower', pauseMs: 10_000},
	});
	await shown.pass(0);
	expect(shown.text()).toContain('Asked 19×, every 10 s');
});

test('the QR code is dark on light, whatever the terminal is; Q takes it away, and where it has no room that is said', async () => {
	await using shown = await open(wide);
	await shown.screen.press('G', 'd');
	expect(shown.logins.calls).toEqual([
		['start', {server: 'linear', profile: 'default'}, {flow: 'device'}],
	]);
	shown.logins.tell(code);
	await shown.pass(100);

	const column = 119;
	expect(shown.screen.cell(4, column)).toMatchObject({background: '15', text: ' '});
	expect(shown.screen.cell(5, column - 2)).toMatchObject({background: '15', foreground: '0'});
	expect(shown.screen.cell(3, column).background).toBe('default');
	await shown.screen.press('Q');
	expect(shown.screen.cell(4, column).background).toBe('default');
	await shown.screen.press('Q');
	await shown.pass(100);
	await shown.resize({columns: 70, rows: 20});
	expect(shown.screen.picture()).not.toContain('"background":"15"');
	await shown.screen.press('G');
	expect(shown.text()).toContain('other servers');
	await shown.screen.press('/');
	await shown.screen.type('QR');
	await shown.screen.press('enter', 'n');
	expect(shown.text()).toContain('A larger window shows a QR code here.');
});

test('in the list each code stands under its server; several logins at once', async () => {
	await using shown = await open();
	await shown.screen.press('A');
	expect(shown.text()).toContain('Logins begin for crm, linear.');
	await shown.screen.press('y');
	expect(shown.logins.calls.map(([name, {server}]) => [name, server])).toEqual([
		['start', 'crm'],
		['start', 'linear'],
	]);
	shown.logins.tell(code);
	shown.logins.tell(page);
	await shown.pass(1000);

	expect(shown.text()).toContain('── Logins ── 3 servers ── 2 wait for you ──');
	expect(rowsOfServers(shown)).toEqual([
		['>!', 'crm', '! waits 4:59', 'browser', 'crm.example', '-'],
		'open the page in a browser: u copies its address',
		['', 'github', '● logged in', 'browser', 'api.github.example', '13:00:00'],
		['!', 'linear', '! waits 4:59', 'device', 'mcp.linear.example', '-'],
		'code WDJB-MJHT at https://auth.linear.example/device',
	]);
	await shown.screen.press('A');
	expect(shown.said()).toBe(' No server that was reached needs a login now');
});

test.for([
	['linear', 'c', 'WDJB-MJHT'],
	['linear', 'u', code.verificationUri],
	['linear', 'yf', code.verificationUriComplete],
	['crm', 'u', page.url],
	['crm', 't', page.tunnel],
	['crm', 'yn', 'crm'],
] as const)('%s: %s copies %s', async ([server, keys, text]) => {
	await using shown = await open();
	shown.logins.tell(code);
	shown.logins.tell(page);
	await shown.screen.press(server === 'crm' ? 'g' : 'G', ...Array.from(keys));
	await shown.pass(0);

	expect(shown.desktop.copied).toEqual([text]);
	expect(shown.said()).toContain('copied by OSC 52');
});

test('a login in a browser elsewhere: the page whole, the ssh line, and pasting', async () => {
	await using shown = await open();
	shown.logins.tell(page);
	await shown.screen.press('enter');
	const text = shown.text();
	expect(text).toContain('login page  login.crm.example');
	expect(text).toContain('Open this page in a browser, and agree there (u copies it whole):');
	expect(text.replaceAll(/\s/g, '')).toContain(page.url);
	expect(text).toContain(`  ${page.tunnel}`);

	await shown.screen.press('p');
	expect(shown.text()).toContain('Paste the whole address that the browser ended on');
	shown.logins.pasted = {problem: 'The URL belongs to another login (state)'};
	await shown.screen.paste('http://127.0.0.1:27890/callback?code=1');
	expect(shown.text()).toContain('> http://127.0.0.1:27890/callback?code=1');
	expect(shown.text()).toContain('The URL belongs to another login (state)');
	await shown.screen.press('2');
	expect(shown.text()).not.toContain('another login');
	expect(shown.text()).toContain('callback?code=12');

	shown.logins.pasted = {};
	const long = `http://127.0.0.1:27890/callback?code=${'c'.repeat(5000)}`;
	await shown.screen.paste(long);
	expect(shown.logins.calls.at(-1)).toEqual(['paste', {server: 'crm', profile: 'default'}, long]);
	expect(shown.text()).not.toContain('Paste the whole');
});

test('a login that has succeeded says so for a moment, then the server says how it stands', async () => {
	const port = createFakePort({servers});
	await using shown = await showShell(port, narrow, {pane: 'logins'});
	shown.logins.tell(code);
	shown.logins.tell({server: 'linear', status: 'finishing'});
	await shown.screen.press('G', 'enter');
	expect(shown.text()).toContain('Answered; the login is being completed');
	await shown.screen.press('x');
	expect(shown.said()).toContain('It is being completed');

	shown.logins.tell({server: 'linear', status: 'succeeded', endedAt: testNow});
	await shown.pass(1000);
	expect(shown.screen.lines()[3]).toMatch(/✓ logged in now$/);
	expect(shown.said()).toBe(' Logged in to linear (mcp.linear.example)');
	const reached = {
		...linear,
		status: 'connected',
		since: testNow + 1000,
		login: {flow: 'device', stored: true},
	} as const;
	port.change({servers: [reached]});
	await shown.pass(5000);
	expect(shown.screen.lines()[3]).toMatch(/● logged in$/);
	port.change({servers: [{...reached, login: {flow: 'device', stored: false}}]});
	await shown.pass(1000);
	expect(shown.screen.lines()[3]).toMatch(/○ no login stored$/);
});

test('"a login made in a second shell": one that waits here is said to be needed no more', async () => {
	const port = createFakePort({servers});
	await using shown = await showShell(port, narrow, {pane: 'logins'});
	shown.logins.tell(code);
	const reached = {
		...linear,
		status: 'connected',
		since: testNow + 500,
		login: {flow: 'device', stored: true},
	} as const;
	port.change({servers: [reached]});
	await shown.pass(1000);
	expect(shown.text()).toContain('logged in from elsewhere meanwhile: x ends this one');
	await shown.screen.press('enter');
	expect(shown.text()).toContain('The server was logged in to from elsewhere');
});

test('why a login failed stays until the server is reached with one; what was stored is still there', async () => {
	const port = createFakePort({servers});
	await using shown = await showShell(port, narrow, {pane: 'logins'});
	port.change({servers: [{...linear, login: {flow: 'device', stored: true}}]});
	const reason = 'Cannot log in to tool server "linear": access was denied';
	shown.logins.tell({...code, status: 'failed', reason, endedAt: testNow});
	expect(shown.said()).not.toContain('denied');
	await shown.screen.press('G');
	expect(shown.said()).toBe(` ${reason}`);
	expect(shown.text()).toContain(`      ✗ ${reason}`);

	await shown.screen.press('enter');
	expect(shown.text()).toContain('What was stored before is still there. l tries again');
	await shown.screen.press('x');
	expect(shown.logins.calls.at(-1)).toEqual(['cancel', {server: 'linear', profile: 'default'}]);
	shown.logins.tell({...code, status: 'failed', reason, endedAt: testNow});
	port.change({servers: [{...linear, status: 'connected', since: testNow + 1}]});
	await shown.pass(5000);
	expect(shown.text()).not.toContain('denied');
});

test('x cancels, L asks before it logs out; what cannot be done says why', async () => {
	await using shown = await open();
	shown.logins.tell(code);
	await shown.screen.press('G', 'x');
	expect(shown.logins.calls.at(-1)).toEqual(['cancel', {server: 'linear', profile: 'default'}]);
	for (const [key, why] of [
		['x', 'No login to it is under way'],
		['c', 'There is no code now'],
		['u', 'There is no page now: l begins a login'],
		['p', 'No login waits for a URL: b begins one'],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one key after the other
		await shown.screen.press(key);
		expect(shown.said()).toBe(` ${why}`);
	}

	await shown.screen.press('L');
	expect(shown.text()).toContain('Everything that is stored of the login to linear is removed');
	await shown.screen.press('y');
	await shown.pass(0);
	expect(shown.logins.calls.at(-1)).toEqual(['logOut', {server: 'linear', profile: 'default'}]);
	expect(shown.said()).toBe(' Logged out of linear');
});

test('"l in pane 3" starts the login a server needs; of others it says what to do', async () => {
	const remote = makeServer({name: 'plain', transport: 'http', endpoint: 'https://plain.example'});
	const port = createFakePort({servers: [files, github, linear, remote]});
	await using shown = await showShell(port, narrow, {pane: 'tools'});
	await shown.screen.press('l');
	expect(shown.said()).toContain('It is a program and has no login');
	await shown.screen.press('G', 'l');
	expect(shown.said()).toContain('set auth: oauth in config.yaml (T)');
	expect(shown.logins.calls).toEqual([]);

	await shown.screen.press('k', 'l');
	expect(shown.logins.calls).toEqual([['start', {server: 'linear', profile: 'default'}, {}]]);
	expect(shown.screen.lines()[2]).toMatch(/^── Logins /);
	expect(shown.screen.lines()[3]).toMatch(/^linear .*◐ looking$/);

	await shown.screen.press('3', 'g', 'j', 'l');
	expect(shown.screen.lines()[3]).toMatch(/^github .*● logged in$/);
	expect(shown.text()).toContain('granted by  github.example');
	expect(shown.logins.calls).toHaveLength(1);
});

test('the palette goes to a login by the name of its server', async () => {
	await using shown = await showShell(createFakePort({servers}), narrow);
	await shown.screen.press(':');
	await shown.screen.type('login linear');
	await shown.screen.press('enter');
	expect(shown.screen.lines()[3]).toMatch(/^linear .*! needs login 1m$/);
	expect(shown.logins.calls).toEqual([]);
});

test('leaving names the logins that end with it', async () => {
	await using shown = await open();
	shown.logins.tell(code);
	await shown.screen.press('q');
	expect(shown.text()).toContain('1 login under way ends unfinished (linear)');
});

test('while agents are at work, the server whose login they miss is named above every pane', async () => {
	const runs = [makeRun({id: 1, state: 'running'}), makeRun({id: 2, state: 'running'})];
	await using shown = await showShell(createFakePort({servers, runs}), narrow);
	expect(shown.text()).toContain('! crm (+1) needs a login: 2 runs are under way without it');
});

test('the server whose login runs wait for is named first', async () => {
	const waits = {state: 'queued', awaitsLogins: ['linear']} as const;
	const runs = [makeRun({id: 1, state: 'running'}), makeRun({id: 2, ...waits})];
	await using shown = await showShell(createFakePort({servers, runs}), narrow);
	expect(shown.text()).toContain('! linear (+1) needs a login: 1 run waits for it · see Logins');
});

test('nothing counts seconds but a login that waits, and that only in this pane', async () => {
	await using shown = await open();
	await shown.pass(70_000);
	const idle = shown.screen.written().length;
	await shown.pass(10_000);
	expect(shown.screen.written().length).toBe(idle);

	shown.logins.tell({...code, endsAt: shown.clock.now() + 300_000});
	await shown.pass(1000);
	expect(shown.text()).toContain('! waits 4:59');
	await shown.pass(2000);
	expect(shown.text()).toContain('! waits 4:57');
	await shown.screen.press('8');
	await shown.pass(70_000);
	const elsewhere = shown.screen.written().length;
	await shown.pass(10_000);
	expect(shown.screen.written().length).toBe(elsewhere);
});

test('without such a server the pane says what makes one', async () => {
	await using shown = await open(narrow, {servers: [files]});
	expect(shown.text()).toContain('No tool server has a login.');
	expect(shown.text()).toContain('auth: oauth');
});

// The other sizes share the texts: what keeps one a text does not know how wide it stands.
test.for([
	{...narrow, parts: [0, 1, 2, 3]},
	{...wide, parts: [0, 2]},
	{columns: 60, rows: 16, parts: [1, 3]},
])(
	'hostile texts stay text, and nothing leaves its place, at $columns × $rows',
	async ({parts, ...size}) => {
		expect(attackCorpus.length).toBeLessThanOrEqual(4 * 120);
		const hosts = [`${'a'.repeat(250)}.example`, 'аррle.example', 'xn--80ak6aa92e.com'];
		for (const part of parts) {
			const all = attackCorpus
				.slice(part * 120, (part + 1) * 120)
				.join(' ')
				.slice(0, 3000);
			const host = hosts[part % hosts.length] ?? '';
			const name = all.slice(0, 128);
			const hostile = makeServer({
				name,
				transport: 'http',
				status: 'needs login',
				endpoint: all,
				reason: all,
				login: {flow: 'device', stored: true, issuer: all, scope: all},
			});
			const port = createFakePort({servers: [hostile, {...hostile, name: 'b'}]});
			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await using shown = await showShell(port, size, {pane: 'logins'});
			shown.logins.tell({
				...code,
				server: name,
				serverHost: host,
				userCode: `\u202E${'M'.repeat(63)}`,
				verificationUri: `https://paypal.example@${host}/${all}`,
				verificationUriComplete: `https://ann@${host}/${'x'.repeat(300)}`,
				verificationHost: host,
				notes: [all],
			});
			shown.logins.tell({...page, server: 'b', url: `https://${host}/${all}`, tunnel: all});
			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await shown.screen.press('enter', 'G', 'esc', 'j', 'enter', 'G', 'esc', 'p', 'esc', 'y');
			shown.logins.tell({server: 'b', status: 'failed', reason: all, endedAt: testNow});
			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await shown.screen.press('esc', 'enter', 'L', 'esc', '1');

			expect(foreignSequences(shown.screen.written())).toEqual([]);
			expect(shown.screen.lines()).toHaveLength(size.rows);
		}
	},
);

test('an unusual or long code is spelt, whole', async () => {
	await using shown = await open();
	shown.logins.tell({...code, userCode: 'ab-12'});
	await shown.screen.press('G', 'enter');
	expect(shown.text()).toContain('  a b - 1 2');
	shown.logins.tell({userCode: 'K'.repeat(32), server: 'linear'});
	await shown.pass(100);
	const shownCode = rowsOf(shown, 3, 23)
		.map(row => row.slice(0, 45))
		.join('')
		.replaceAll(/[^K]/g, '');
	expect(shownCode.length).toBeGreaterThanOrEqual(64);
});
