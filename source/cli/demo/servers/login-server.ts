import {randomBytes, randomInt, randomUUID} from 'node:crypto';
import {z} from 'zod';
import type {Clock} from '../../../core/clock.ts';
import {type Asked, type Reply, serve} from './serve.ts';
import {createToolServer} from './tool-server.ts';
import type {ToolSetName} from './tools.ts';

/** How long a code waits until somebody seems to have agreed. */
const agreesAfterMs = 12_000;

const lifetimeSeconds = 600;
const pollSeconds = 2;
const accessSeconds = 3600;

/** More codes than these are not remembered. */
const maxPending = 50;

const jsonObject = z.record(z.string(), z.unknown());

type Pending = {readonly userCode: string; agreed: boolean};

const page = (text: string, more = '') =>
	`<!doctype html><meta charset="utf-8"><title>svc demo</title><body style="font: 1.2em sans-serif; margin: 4em"><h1>svc demo</h1><p>${text}</p>${more}`;

type Routes = Readonly<Record<string, (asked: Asked) => Reply>>;

/** What one of `routes` says; streams of the protocol are not offered. */
const answerOf = (routes: Routes, asked: Asked): Reply =>
	routes[`${asked.method} ${asked.url.pathname}`]?.(asked) ?? {
		status: asked.url.pathname === '/mcp' ? 405 : 404,
	};

/** Letters that are not mistaken for others. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

const refuse = (error: string): Reply => ({status: 400, body: {error}});

const makeUserCode = () => {
	const code = Array.from({length: 8}, () => letters[randomInt(letters.length)]).join('');
	return `${code.slice(0, 4)}-${code.slice(4)}`;
};

/**
 * An authorization server on this machine and, behind it, a tool server. Everybody agrees: to a browser at once, to a code after some seconds or when a button on its
 * page is pressed. It keeps nothing.
 */
export async function startLoginServer(
	tools: ToolSetName,
	{clock}: {readonly clock: Clock},
): Promise<AsyncDisposable & {readonly url: string}> {
	const answerTool = createToolServer(tools);
	const pending = new Map<string, Pending>();
	const accessTokens = new Set<string>();
	const timers = new Set<() => void>();

	const grant = (): Reply => {
		const accessToken = randomBytes(16).toString('hex');
		accessTokens.add(accessToken);
		const body = {
			access_token: accessToken,
			token_type: 'Bearer',
			expires_in: accessSeconds,
			refresh_token: randomUUID(),
		};
		return {status: 200, body};
	};

	const authorization = await serve(asked => answerOf(logins, asked));
	const origin = () => authorization.origin;
	const logins: Routes = {
		'GET /.well-known/oauth-authorization-server': () => ({
			status: 200,
			body: {
				issuer: origin(),
				authorization_endpoint: `${origin()}/authorize`,
				token_endpoint: `${origin()}/token`,
				device_authorization_endpoint: `${origin()}/device`,
				registration_endpoint: `${origin()}/register`,
				response_types_supported: ['code'],
				grant_types_supported: [
					'authorization_code',
					'refresh_token',
					'urn:ietf:params:oauth:grant-type:device_code',
				],
				code_challenge_methods_supported: ['S256'],
				token_endpoint_auth_methods_supported: ['none'],
			},
		}),
		'POST /register': ({body}) => ({
			status: 201,
			body: {...jsonObject.parse(JSON.parse(body)), client_id: randomUUID()},
		}),
		'POST /device'() {
			const deviceCode = randomUUID();
			const code: Pending = {userCode: makeUserCode(), agreed: false};
			const [oldest] = pending.keys();
			if (pending.size >= maxPending && oldest !== undefined) {
				pending.delete(oldest);
			}

			pending.set(deviceCode, code);
			const cancel = clock.after(agreesAfterMs, () => {
				timers.delete(cancel);
				code.agreed = true;
			});
			timers.add(cancel);
			const verification = `${origin()}/activate`;
			const body = {
				device_code: deviceCode,
				user_code: code.userCode,
				verification_uri: verification,
				verification_uri_complete: `${verification}?user_code=${code.userCode}`,
				expires_in: lifetimeSeconds,
				interval: pollSeconds,
			};
			return {status: 200, body};
		},
		'GET /activate': () => ({
			status: 200,
			body: page(
				'This is what a page of a login looks like here. A code agrees by itself after some seconds.',
				'<form method="post"><button>Agree now</button></form>',
			),
		}),
		'POST /activate'() {
			for (const code of pending.values()) {
				code.agreed = true;
			}

			return {status: 200, body: page('Agreed. The terminal goes on.')};
		},
		'GET /authorize'({url: {searchParams}}) {
			const target = URL.parse(searchParams.get('redirect_uri') ?? '');
			if (!target || !['127.0.0.1', 'localhost', '[::1]'].includes(target.hostname)) {
				return refuse('invalid_request');
			}

			target.searchParams.set('code', randomUUID());
			target.searchParams.set('state', searchParams.get('state') ?? '');
			return {status: 302, headers: {location: target.href}};
		},
		'POST /token'({body}) {
			const form = new URLSearchParams(body);
			if (form.has('device_code')) {
				const code = pending.get(form.get('device_code') ?? '');
				if (!code?.agreed) {
					return refuse(code ? 'authorization_pending' : 'expired_token');
				}

				pending.delete(form.get('device_code') ?? '');
			}

			return grant();
		},
	};

	const server = await serve(asked => answerOf(toolRoutes, asked));
	const toolRoutes: Routes = {
		'GET /.well-known/oauth-protected-resource/mcp': () => ({
			status: 200,
			body: {resource: `${server.origin}/mcp`, authorization_servers: [origin()]},
		}),
		'POST /mcp'({headers, body}) {
			const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
			if (!accessTokens.has(token)) {
				const metadata = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
				return {
					status: 401,
					headers: {'www-authenticate': `Bearer resource_metadata="${metadata}"`},
				};
			}

			const [answer] = answerTool(JSON.parse(body));
			return answer ? {status: 200, body: answer} : {status: 202};
		},
	};

	return {
		url: `${server.origin}/mcp`,
		async [Symbol.asyncDispose]() {
			for (const cancel of timers) {
				cancel();
			}

			await Promise.all([server[Symbol.asyncDispose](), authorization[Symbol.asyncDispose]()]);
		},
	};
}
