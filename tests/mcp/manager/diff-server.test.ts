import {expect, test} from 'vitest';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {diffServer} from '../../../source/mcp/manager/diff-server.ts';
import {remoteServer} from '../servers/http-server.ts';
import {stdioServer} from '../servers/stdio-server.ts';

const stdio = stdioServer('crm-server', ['--all']);
const http = remoteServer('https://crm.example.com/mcp');
const {endpoint} = http;

/** Each key of an entry, as it stands in the file; whether its change needs a new connection. */
test.for<[string, ToolServerConfig, ToolServerConfig, boolean]>([
	['enabled', stdio, {...stdio, enabled: false}, true],
	['command', stdio, {...stdio, endpoint: {...stdio.endpoint, command: 'x'}}, true],
	['args', stdio, {...stdio, endpoint: {...stdio.endpoint, args: []}}, true],
	['env', stdio, {...stdio, endpoint: {...stdio.endpoint, env: {A: 'b'}}}, true],
	['idle_timeout_seconds', stdio, {...stdio, endpoint: {...stdio.endpoint, idleMs: 1}}, false],
	['max_lifetime_seconds', stdio, {...stdio, endpoint: {...stdio.endpoint, lifetimeMs: 1}}, false],
	['transport', http, {...http, endpoint: {...endpoint, transport: 'sse'}}, true],
	['url', http, {...http, endpoint: {...endpoint, url: 'https://x.example.com/'}}, true],
	['headers', http, {...http, endpoint: {...endpoint, headers: {a: 'b'}}}, true],
	['oauth', http, {...http, endpoint: {...endpoint, oauth: {}}}, true],
	['ssl_verify', http, {...http, endpoint: {...endpoint, tls: {verify: false}}}, true],
	[
		'client_cert',
		http,
		{...http, endpoint: {...endpoint, tls: {verify: true, client: {cert: 'a.pem'}}}},
		true,
	],
	['skip_preflight', http, {...http, endpoint: {...endpoint, skipPreflight: true}}, true],
	['protocol', stdio, {...stdio, protocol: 'legacy'}, true],
	['sampling', stdio, {...stdio, sampling: {...stdio.sampling, enabled: false}}, true],
	['elicitation', stdio, {...stdio, elicitation: {enabled: false, timeoutMs: 1}}, true],
	['trust', stdio, {...stdio, trust: 'untrusted'}, true],
	['timeout', stdio, {...stdio, timeoutMs: 1}, false],
	['connect_timeout', stdio, {...stdio, connectTimeoutMs: 1}, false],
	['supports_parallel_tool_calls', stdio, {...stdio, parallel: true}, false],
	['keepalive_interval', stdio, {...stdio, keepaliveMs: 5000}, false],
	['lazy', stdio, {...stdio, lazy: true}, false],
	['tools.include', stdio, {...stdio, tools: {...stdio.tools, include: []}}, false],
	['tools.exclude', stdio, {...stdio, tools: {...stdio.tools, exclude: ['a']}}, false],
	['tools.resources', stdio, {...stdio, tools: {...stdio.tools, resources: false}}, false],
	['tools.prompts', stdio, {...stdio, tools: {...stdio.tools, prompts: false}}, false],
])('%s', ([key, before, after, reconnects]) => {
	expect(diffServer(before, after)).toMatchObject({keys: [key], reconnects});
});

test('equal entries are equal, whoever made them', () => {
	expect(diffServer(stdio, structuredClone(stdio))).toEqual({
		keys: [],
		reconnects: false,
		isOther: false,
	});
});

test('another program or another place is another server', () => {
	expect(diffServer(stdio, http).isOther).toBe(true);
	expect(diffServer(stdio, {...stdio, trust: 'untrusted'}).isOther).toBe(false);
});
