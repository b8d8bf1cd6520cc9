import {expect, test} from 'vitest';
import {requestKind} from '../../../source/mcp/oauth/oauth-fetch.ts';

const endpoint = new URL('https://crm.example/mcp');

const form = {'content-type': 'application/x-www-form-urlencoded'};
const json = {'content-type': 'application/json'};

test.for<[string, string, RequestInit, string]>([
	['a message', 'https://crm.example/mcp', {method: 'POST', headers: json}, 'tool-server'],
	['a stream', 'https://crm.example/mcp', {}, 'tool-server'],
	[
		'a message to the address that an SSE server named',
		'https://crm.example/messages?id=1',
		{method: 'POST', headers: json, body: '{"jsonrpc":"2.0","method":"ping","id":1}'},
		'tool-server',
	],
	[
		'a stream at another address',
		'https://crm.example/other',
		{headers: {accept: 'text/event-stream'}},
		'tool-server',
	],
	['a token request', 'https://crm.example/token', {method: 'POST', headers: form}, 'token'],
	['a token request to the endpoint', endpoint.href, {method: 'POST', headers: form}, 'token'],
	[
		'a registration that quotes a message',
		'https://crm.example/register',
		{method: 'POST', headers: json, body: '{"client_name":"\\"jsonrpc\\":\\"2.0\\""}'},
		'registration',
	],
	[
		'metadata',
		'https://crm.example/.well-known/oauth-protected-resource/mcp',
		{headers: {accept: 'application/json'}},
		'metadata',
	],
])('%s is recognised', ([, url, init, kind]) => {
	expect(requestKind(new URL(url), init, endpoint)).toBe(kind);
});
