// @module-tag slow
import type {RequestListener} from 'node:http';
import {expect, test} from 'vitest';
import {startEverything} from '../servers/everything-server.ts';
import {always, remoteServer, startHttp} from '../servers/http-server.ts';
import {openManager} from './open-manager.ts';

const hint =
	'MCP server \'crm\': this looks like an SSE endpoint: --transport sse ("transport: sse" in config.yaml)';

/** What is said of an endpoint that is given without `transport: sse`. */
async function reasonOf(url: string, protocol: 'auto' | 'stateless' | 'legacy' = 'auto') {
	await using managed = await openManager();
	await managed.apply({...remoteServer(url), protocol});
	const {status, reason} = managed.view();
	return {status, reason};
}

/** An endpoint that takes a GET alone. */
const stream =
	(refusal: number): RequestListener =>
	(request, response) => {
		if (request.method === 'GET') {
			response.writeHead(200, {'content-type': 'text/event-stream; charset=utf-8'});
			response.write('event: endpoint\ndata: /messages?session=1\n\n');
		} else {
			response.writeHead(refusal, {'content-type': 'text/html'}).end('no');
		}
	};

test.for(['auto', 'stateless', 'legacy'] as const)(
	'the official server over SSE says so, with protocol %s',
	async protocol => {
		await using server = await startEverything('sse');

		expect(await reasonOf(server.url, protocol)).toEqual({status: 'parked', reason: hint});
	},
);

test.for([400, 404, 405])('one that answers POST with HTTP %i says so', async status => {
	await using http = await startHttp(stream(status));

	expect((await reasonOf(http.url)).reason).toBe(hint);
});

test('one that redirects to itself with a slash says so', async () => {
	const serve = stream(405);
	await using http = await startHttp((request, response) => {
		if (request.url === '/mcp') {
			response.writeHead(307, {location: '/mcp/'}).end();
		} else {
			serve(request, response);
		}
	});

	expect((await reasonOf(http.url)).reason).toBe(hint);
});

test('what refuses both, or wants a login, does not', async () => {
	await using nothing = await startHttp(always(404, 'text/plain', 'nothing here'));
	await using login = await startHttp(always(401, 'text/event-stream'));
	await using other = await startHttp((request, response) => {
		response
			.writeHead(request.method === 'GET' ? 302 : 404, {location: 'http://127.0.0.1:9/'})
			.end();
	});

	expect((await reasonOf(nothing.url)).reason).toContain('There is no tool server at its URL');
	expect((await reasonOf(login.url)).reason).toContain('HTTP 401');
	expect((await reasonOf(other.url)).reason).toContain('There is no tool server at its URL');
});
