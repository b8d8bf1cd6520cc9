import {expect, test} from 'vitest';
import {isRejectedAsModernOnly} from '../../../source/mcp/connection/connect-server.ts';

const body = (code: unknown, more: Readonly<Record<string, unknown>> = {}) =>
	JSON.stringify({jsonrpc: '2.0', id: 1, error: {code, message: '', ...more}});

const http = (status: number, text: string) =>
	Object.assign(new Error('refused'), {code: 'CLIENT_HTTP', status, data: {text}});

/** "falling back to the 2026-07-28 probe when the server rejects the handshake as modern-only" (manual/tool-servers.md#settings) */
test.for<[string, unknown, boolean]>([
	['version not supported', Object.assign(new Error('no'), {code: -32_022}), true],
	['method not found', Object.assign(new Error('no'), {code: -32_601}), true],
	['another JSON-RPC error', Object.assign(new Error('no'), {code: -32_603}), false],
	['HTTP 400 that names the version', http(400, body(-32_022)), true],
	['HTTP 404 that names the method', http(404, body(-32_601)), true],
	['HTTP 400 with a batch', http(400, `[${body(-32_022)}]`), true],
	[
		'HTTP 400 that misses the header of a version',
		http(400, body(-32_020, {message: 'Missing MCP-Protocol-Version header'})),
		true,
	],
	[
		'HTTP 400 that names what it supports under another code',
		http(400, body(-32_602, {data: {supported: ['2026-07-28']}})),
		true,
	],
	[
		'HTTP 400 that supports other versions alone',
		http(400, body(-32_602, {data: {supported: ['2024-11-05']}})),
		false,
	],
	[
		'HTTP 400 that misses the version in the body',
		http(400, body(-32_602, {message: 'missing _meta: io.modelcontextprotocol/protocolVersion'})),
		true,
	],
	[
		'an error that names the version',
		Object.assign(new Error('Protocol version is not supported: use 2026-07-28'), {code: -32_000}),
		true,
	],
	[
		'a result of a version that the SDK does not shake hands with',
		new Error("Server's protocol version is not supported: 2026-07-28"),
		true,
	],
	[
		'a result of a version that is none',
		new Error("Server's protocol version is not supported: 1.0"),
		false,
	],
	['HTTP 400 with another error', http(400, body(-32_000)), false],
	['HTTP 400 with a web page', http(400, '<html>'), false],
	['HTTP 400 with null', http(400, 'null'), false],
	['HTTP 400 without a text', http(400, ''), false],
	['a login wall', http(401, body(-32_022)), false],
	['a refusal of access', http(403, body(-32_022)), false],
	['a proxy that wants a login', http(407, body(-32_022)), false],
	['a time-out', http(408, body(-32_022)), false],
	['a rate limit', http(429, body(-32_022)), false],
	['HTTP 500', http(500, body(-32_022)), false],
	['a refused connection', Object.assign(new Error('no'), {code: 'ECONNREFUSED'}), false],
	['no error at all', 'text', false],
])('%s', ([, error, expected]) => {
	expect(isRejectedAsModernOnly(error)).toBe(expected);
});
