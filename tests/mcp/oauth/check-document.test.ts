import {expect, test} from 'vitest';
import {systemClock as clock} from '../../../source/core/clock.ts';
import {declaredClient} from '../../../source/mcp/logins/declared-client.ts';
import {problemWithDocument} from '../../../source/mcp/oauth/check-document.ts';

const url = 'https://svc.example/client.json';
const {signal} = new AbortController();

/** What is said of a document that is answered like this. */
const problemOf = async (answer: () => Response | Promise<Response>) =>
	problemWithDocument(url, {fetch: async () => answer(), clock, signal});

const json = (changes: Readonly<Record<string, unknown>> = {}, init: ResponseInit = {}) =>
	Response.json({...declaredClient(url), ...changes}, init);

test('the document that "svc mcp client-document" prints can be presented', async () => {
	expect(await problemOf(() => json())).toBeUndefined();
	expect(
		await problemOf(() => json({}, {headers: {'content-type': 'application/json; charset=utf-8'}})),
	).toBeUndefined();
});

test.for([
	['no redirect', () => Response.redirect('https://svc.example/other'), 'status 302, not 200'],
	['answer 200', () => json({}, {status: 404}), 'status 404, not 200'],
	[
		'Content-Type: application/json',
		() => new Response('{}', {headers: {'content-type': 'text/html'}}),
		'answered as "text/html"',
	],
	[
		'a document',
		() => new Response('<html>', {headers: {'content-type': 'application/json'}}),
		'is no JSON object',
	],
	['client_id equal to its own URL', () => json({client_id: `${url}x`}), 'not its own address'],
	[
		'all ten loopback redirect URIs',
		() => json({redirect_uris: declaredClient(url).redirect_uris.slice(1)}),
		'lacks "http://127.0.0.1:27890/callback"',
	],
	[
		'a public client',
		() => json({token_endpoint_auth_method: 'private_key_jwt'}),
		'"token_endpoint_auth_method" other than "none"',
	],
] as const)('it must have: %s', async ([, answer, problem]) => {
	expect(await problemOf(answer)).toContain(problem);
});

test('that this machine cannot reach it says nothing about others', async () => {
	expect(
		await problemOf(() => {
			throw new TypeError('fetch failed');
		}),
	).toBeUndefined();
});
