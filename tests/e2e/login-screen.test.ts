// @module-tag slow
import {readdir} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {gatewayHome, testConfig} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {openPty, type Pty} from '../helpers/pty.ts';
import {startSvc, svcCommand, svcEnvironment} from '../helpers/svc.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';
import {startAuthorizationServer} from '../mcp/servers/authorization-server.ts';
import {agreeingBrowser, answerCode} from '../mcp/servers/surf.ts';

const [node, script] = svcCommand;

const open = (home: TemporaryHome, env: Readonly<Record<string, string>> = {}): Pty =>
	openPty(node, [script], {columns: 80, rows: 24, env: svcEnvironment({home: home.path, env})});

/** A home whose tool server `crm` wants a login, and a route whose runs ask it who they are. */
const homeFor = async (url: string, flow: 'browser' | 'device'): Promise<TemporaryHome> => {
	const home = await gatewayHome({
		subscriptions: {ask: {prompt: '/tool mcp__crm__whoami {}', secret: 'INSECURE_NO_AUTH'}},
	});
	await home.write(
		'config.yaml',
		testConfig({mcp_servers: {crm: {url, auth: 'oauth', trust: 'full', oauth: {flow}}}}),
	);
	return home;
};

/** Waits until the gateway needs no login any more. */
const connected = async (pty: Pty) => pty.waitFor(([status = '']) => !status.includes('1 login'));

/** Sends an event whose run needs the login. */
const ask = async (pty: Pty) => {
	const [, port = ''] = /● :(\d+)/.exec(pty.lines()[0] ?? '') ?? [];
	await post(`http://127.0.0.1:${port}/webhooks/ask`, {payload: {}});
};

test('from pane 3 to a code, its page on another device, and a run that has the tools; nothing opens by itself', async () => {
	await using site = await startAuthorizationServer();
	await using home = await homeFor(site.url, 'device');
	await using pty = open(home, {BROWSER: 'false'});
	await pty.waitForText(/! 1 login\b/);
	pty.press('3');
	await pty.waitForText('! needs login');
	expect(site.arrived.filter(({at}) => at === 'authorization server')).toEqual([]);

	pty.press('l');
	const screen = await pty.waitForText(/2 type [A-Z]{4}-[A-Z]{4}/);
	const text = screen.join('\n');
	const [, code = ''] = /2 type ([A-Z]{4}-[A-Z]{4})/.exec(text) ?? [];
	expect(text).toContain(`tool server ${new URL(site.url).host}`);
	expect(text).toContain(`login page  ${new URL(site.issuer).host}`);
	expect(text).toMatch(/! waits [45]:\d\d/);
	await pty.waitFor(rows => rows.some(row => row.trimEnd().endsWith('█▀▀▀▀▀█')));

	await answerCode(`${site.issuer}/device?user_code=${code}`);
	await pty.waitForText('Logged in to crm');
	await connected(pty);
	await ask(pty);
	pty.press('7');
	await pty.waitForText(/ask .* ✓ /);
	pty.press('enter');
	await pty.waitForText('alice');
	expect(pty.foreign()).toEqual([]);
});

test('attached: the browser is the person\'s, the gateway takes the login over; "L" takes it away again', async () => {
	await using site = await startAuthorizationServer();
	await using home = await homeFor(site.url, 'browser');
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	await gateway.waitFor(/needs a login/);
	await using pty = open(home, {BROWSER: agreeingBrowser});
	await pty.waitForText(/! 1 login\b/);
	pty.press('4', 'l');
	await connected(pty);
	expect(await readdir(home.file('mcp-tokens'))).toContain('crm.json');
	await ask(pty);
	pty.press('7');
	await pty.waitForText(/ask .* ✓ /);

	pty.press('4', 'L');
	await pty.waitForText('Log out of crm');
	pty.press('y');
	await pty.waitForText('Logged out of crm');
	await pty.waitForText('○ no login stored');
	expect(await readdir(home.file('mcp-tokens'))).not.toContain('crm.json');
	expect(pty.foreign()).toEqual([]);
});

test('leaving while a code waits names it, and ends at once', async () => {
	await using site = await startAuthorizationServer();
	await using home = await homeFor(site.url, 'device');
	await using pty = open(home);
	await pty.waitForText(/! 1 login\b/);
	pty.press('4', 'd');
	await pty.waitForText(/2 type /);
	pty.press('q');
	await pty.waitForText('1 login under way ends unfinished (crm)');
	pty.press('q');
	expect(await pty.exited).toEqual({exitCode: 0, signal: 0});
});
