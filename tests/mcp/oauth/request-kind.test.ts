import {expect, test} from 'vitest';
import {requestKind} from '../../../source/mcp/oauth/oauth-fetch.ts';

const form = {'content-type': 'application/x-www-form-urlencoded'};
const json = {'content-type': 'application/json'};

test.for<[string, RequestInit, string]>([
	[
		'a message',
		{method: 'POST', headers: json, body: '{"jsonrpc":"2.0","method":"ping","id":1}'},
		'tool-server',
	],
	['a stream', {headers: {accept: 'text/event-stream'}}, 'tool-server'],
	['the end of a session', {method: 'DELETE'}, 'tool-server'],
	['a token request', {method: 'POST', headers: form}, 'token'],
	[
		'a registration that quotes a message',
		{method: 'POST', headers: json, body: '{"client_name":"\\"jsonrpc\\":\\"2.0\\""}'},
		'registration',
	],
	['metadata', {headers: {accept: 'application/json'}}, 'metadata'],
	['metadata, as the SDK asks for those of a resource', {}, 'metadata'],
])('%s is recognised', ([, init, kind]) => {
	expect(requestKind(init)).toBe(kind);
});
