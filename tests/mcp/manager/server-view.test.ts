import {expect, test} from 'vitest';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {createRedact} from '../../../source/core/redact.ts';
import type {ServerState} from '../../../source/mcp/connection/state.ts';
import {viewServer} from '../../../source/mcp/manager/server-view.ts';
import type {LoginFacts} from '../../../source/mcp/wire/server-login.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {remoteServer} from '../servers/http-server.ts';
import {stdioServer} from '../servers/stdio-server.ts';

const parked: ServerState = {
	status: 'parked',
	since: 2000,
	connection: 3,
	failures: 3,
	known: false,
	reason: 'It said \u001B[2J token-of-mine\nand more',
	nextAttemptAt: 302_000,
};

const viewOf = (server: ToolServerConfig, state: ServerState = parked, login?: LoginFacts) => {
	const clock = {...createFakeClock(), now: () => 1_700_000_005_000, monotonic: () => 5000};
	return viewServer(
		{
			server,
			profile: 'default',
			state,
			facts: {
				era: 'modern',
				version: '2026-07-28',
				serverInfo: 'crm\u202E 1.0',
				capabilities: {resources: false, prompts: false},
			},
			tools: [],
			offered: 0,
			stderr: 'token-of-mine is wrong',
			pingMs: 12.4,
			activeCalls: 0,
			login,
			warnings: Array.from({length: 30}, () => 'x'.repeat(400)),
		},
		{clock, redact: createRedact(() => ['token-of-mine'])},
	);
};

test('two long names that begin alike stay two', () => {
	const name = 'n'.repeat(128);
	expect(viewOf({...stdioServer('crm'), name}).name).toBe(name);
});

test('times are those of the wall clock', () => {
	expect(viewOf(stdioServer('crm'))).toMatchObject({
		since: 1_700_000_002_000,
		nextAttemptAt: 1_700_000_302_000,
	});
});

test('what a stranger said is cleaned, redacted and short', () => {
	const view = viewOf(stdioServer('crm'));

	expect(view.reason).toBe('It said ␛[2J [redacted]␊and more');
	expect(view.stderr).toBe('[redacted] is wrong');
	expect(view.serverInfo).toBe('crm\\u{202e} 1.0');
	expect(view.protocol).toBe('stateless 2026-07-28');
	expect(view.warnings).toHaveLength(20);
	expect(view.warnings[0]).toHaveLength(300);
	expect(view).not.toHaveProperty('pingMs');
});

test('an endpoint is shown as it is written, without credentials', () => {
	expect(viewOf(stdioServer('npx', ['-y', 'a server', '${TOKEN}'])).endpoint).toBe(
		'npx -y "a server" ${TOKEN}',
	);
	expect(
		viewOf(remoteServer('https://u:hunter2pass@crm.example.com/mcp?api_key=abcdef')).endpoint,
	).toBe('https://u:[redacted]@crm.example.com/mcp?api_key=[redacted]');
});

test('a filter is shown in one line', () => {
	const server = stdioServer('crm');
	const filtered = (tools: Partial<ToolServerConfig['tools']>) =>
		viewOf({...server, tools: {...server.tools, ...tools}}).filter;

	expect(filtered({})).toBeUndefined();
	expect(filtered({include: ['get_*', 'list_*']})).toBe('include [get_*, list_*]');
	expect(filtered({include: []})).toBe('include []');
	expect(filtered({exclude: ['a', 'b']})).toBe('exclude [a, b]');
});

test('the login of a server: its way, and of the tokens that were used last their end, their rights, and who granted them', () => {
	const server = remoteServer('https://crm.example.com/mcp');
	const withLogin = (oauth: JsonObject) =>
		({...server, endpoint: {...server.endpoint, oauth}}) as ToolServerConfig;

	expect(viewOf(server)).not.toHaveProperty('login');
	expect(viewOf(withLogin({})).login).toEqual({flow: 'browser', stored: false});
	expect(
		viewOf(withLogin({flow: 'device'}), parked, {
			expiresAt: 1_700_000_900_000,
			issuer: 'https://auth.example.com/realm',
			scope: 'read\u001B[2J token-of-mine',
		}).login,
	).toEqual({
		flow: 'device',
		stored: true,
		expiresAt: 1_700_000_900_000,
		issuer: 'auth.example.com',
		scope: 'read␛[2J [redacted]',
	});
});
