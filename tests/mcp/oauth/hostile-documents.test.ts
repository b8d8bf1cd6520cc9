import {mkdir, rm, stat, writeFile} from 'node:fs/promises';
import type {FetchLike} from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {AddressScope} from '../../../source/core/address-scope.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {codeOf, messageOf} from '../../../source/core/errors.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createRedact} from '../../../source/core/redact.ts';
import {type DeviceCode, readCode} from '../../../source/mcp/logins/device/ask-for-code.ts';
import {problemWithDocument} from '../../../source/mcp/oauth/check-document.ts';
import {type DeviceServer, findDeviceServer} from '../../../source/mcp/oauth/find-device-server.ts';
import {grantFiles, type StoredTokens} from '../../../source/mcp/oauth/grant-files.ts';
import {createServerLogins} from '../../../source/mcp/oauth/server-logins.ts';
import {refusalOfUrl} from '../../../source/mcp/wire/address-guard.ts';
import {ConnectError} from '../../../source/mcp/wire/connect-error.ts';
import {createHttpTransport} from '../../../source/mcp/wire/http-transport.ts';
import type {OpenTransport} from '../../../source/mcp/wire/open-transport.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {remoteServer} from './oauth-world.ts';

// Addresses that are no names: nobody is asked where they are.
const endpoint = 'https://93.184.216.34/mcp';
const site = 'https://93.184.216.35';
const secret = 'SECRET-0123456789';

/** What must reach no terminal. */
const hidden = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u;

const words =
	'javascript:alert(1) file:///etc/passwd https://169.254.169.254/x //evil.example https://[::ffff:127.0.0.1]/x https://2852039166/ http://93.184.216.35/plain https://user:pw@93.184.216.35/ https://93.184.216.35/other https://10.0.0.1/ http://localhost/ -flag "&calc __proto__ 0 none private_key_jwt'.split(
		' ',
	);

const nasty: fc.Arbitrary<unknown> = fc.oneof(
	fc.constantFrom(...words),
	fc.constantFrom('\u001B[2J\u202Eevil\u0007', 'a\r\nX-Evil: 1', '', ' ', '\uD800'),
	fc.constant(`${site}/${'a'.repeat(20_000)}`),
	fc.constantFrom<unknown>(1e308, -1e308, 0, -1, 1.5, true, null, [], {}, [null], {a: {b: []}}),
	fc.array(fc.constantFrom('S256', 'plain', 'none', 'code', '\u001B[2J', site), {maxLength: 3}),
	fc.string({unit: 'binary', maxLength: 12}),
);

const key = fc.constantFrom(
	...'issuer authorization_endpoint token_endpoint registration_endpoint resource device_authorization_endpoint response_types_supported scopes_supported scope code_challenge_methods_supported token_endpoint_auth_methods_supported error grant_types_supported client_id_metadata_document_supported authorization_servers client_id client_secret redirect_uris token_endpoint_auth_method client_name access_token refresh_token id_token token_type expires_in error_description device_code user_code verification_uri verification_uri_complete interval __proto__ authorization_response_iss_parameter_supported url client issued_at'.split(
		' ',
	),
);

/** The claims that do not hold, by name. */
const broken = (claims: Readonly<Record<string, boolean>>): readonly string[] =>
	Object.keys(claims).filter(claim => claims[claim] === false);

const isHeader = (token: string): boolean => {
	try {
		return new Headers({authorization: `Bearer ${token}`}).has('authorization');
	} catch {
		return false;
	}
};

const isTime = (seconds = 0): boolean => !Number.isNaN(new Date(seconds * 1000).getTime());

const mayBeAsked = (url: URL): boolean => refusalOfUrl(url, 'public') === undefined;

/** A good document with a few members that are not, members left out, or something else altogether; as text. */
const spoilt = (good: Readonly<Record<string, unknown>>): fc.Arbitrary<string> =>
	fc.oneof(
		{
			weight: 8,
			arbitrary: fc
				.tuple(fc.array(fc.tuple(key, nasty), {maxLength: 3}), fc.subarray(Object.keys(good)))
				.map(([changes, left]) =>
					JSON.stringify(
						Object.fromEntries([
							...Object.entries(good).filter(([name]) => left.length > 2 || !left.includes(name)),
							...changes,
						]),
					),
				),
		},
		{weight: 1, arbitrary: fc.constantFrom('', '<html>', '[]', 'null', '{', '['.repeat(5000))},
	);

const answers = {
	'/.well-known/oauth-protected-resource': {
		resource: endpoint,
		authorization_servers: [site],
		scopes_supported: ['tools'],
	},
	'/.well-known/oauth-authorization-server': {
		issuer: site,
		authorization_endpoint: `${site}/auth`,
		token_endpoint: `${site}/token`,
		registration_endpoint: `${site}/reg`,
		device_authorization_endpoint: `${site}/code`,
		response_types_supported: ['code'],
		code_challenge_methods_supported: ['S256'],
		token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
	},
	'/reg': {client_id: 'c', client_secret: `${secret}-client`, redirect_uris: ['http://127.0.0.1/']},
	'/token': {
		access_token: `${secret}-access`,
		refresh_token: `${secret}-refresh`,
		token_type: 'Bearer',
		expires_in: 600,
	},
} as const;

type Path = keyof typeof answers;
const paths = Object.keys(answers) as readonly Path[];

const documents: fc.Arbitrary<Readonly<Record<Path, string>>> = fc
	.constantFrom(...paths)
	.chain(hostile =>
		spoilt(answers[hostile]).map(text => ({
			...(Object.fromEntries(paths.map(path => [path, JSON.stringify(answers[path])])) as Record<
				Path,
				string
			>),
			[hostile]: text,
		})),
	);

/** A tool server and an authorization server that answer so, without a network. */
function peer(
	given: Readonly<Record<Path, string>>,
	statusOf: Readonly<Partial<Record<Path, number>>> = {},
) {
	const asked: URL[] = [];
	const fetch: FetchLike = async (input, init) => {
		const url = new URL(input);
		asked.push(url);
		if (url.href === endpoint) {
			const authorized = new Headers(init?.headers).has('authorization');
			return authorized
				? Response.json({jsonrpc: '2.0', id: 0, error: {code: -1, message: 'no'}})
				: new Response(null, {status: 401, headers: {'www-authenticate': 'Bearer'}});
		}

		const path = paths.find(each => url.pathname.startsWith(each));
		const status = path && given[path] !== undefined ? (statusOf[path] ?? 200) : 404;
		return new Response(path ? given[path] : '', {
			status: path === '/reg' && status === 200 ? 201 : status,
			headers: {'content-type': 'application/json'},
		});
	};
	return {asked, fetch};
}

const openWith =
	(fetch: FetchLike): OpenTransport =>
	async (_, {login}) => {
		const made = login?.fetchWith(fetch, async () => 'public') ?? fetch;
		return {
			transport: createHttpTransport(new URL(endpoint), {
				clock: systemClock,
				fetch: made,
				...(login && {authProvider: login.credentials}),
				onLost() {},
			}),
			lastStderr: () => undefined,
			complaint: () => undefined,
			exit: () => undefined,
			explain: error => ({kind: 'passing', message: messageOf(error)}),
			async [Symbol.asyncDispose]() {},
		};
	};

/** Logs in with a person who agrees to everything, and tells what was asked and shown. */
async function logIn(
	given: Readonly<Record<Path, string>>,
	{
		folder,
		statusOf = {},
	}: {readonly folder: string; readonly statusOf?: Readonly<Partial<Record<Path, number>>>},
) {
	const {asked, fetch} = peer(given, statusOf);
	const shown: URL[] = [];
	const logins = createServerLogins({
		onSecrets() {},
		clock: systemClock,
		log: silentLogger,
		redact: createRedact(() => []),
		paths: {mcpTokens: folder, profile: 'default'},
	});

	const failure: unknown = await logins
		.login(remoteServer(endpoint), {
			open: openWith(fetch),
			redirect: async () => ({url: 'http://127.0.0.1:27890/callback', isDeclared: false}),
			async openBrowser(url) {
				shown.push(url);
				return new URLSearchParams({
					code: `${secret}-code`,
					state: url.searchParams.get('state') ?? '',
				});
			},
			secrets: [],
			signal: new AbortController().signal,
		})
		.then(
			() => undefined,
			(error: unknown) => error,
		);
	return {asked, shown, failure};
}

test('a login, whatever one of its documents says: nobody nearer is asked or shown, what is stored can be used, no secret is told', async () => {
	await using home = await temporaryHome();
	const folder = home.file('tokens');
	const files = () => grantFiles(folder, {server: 'crm', url: endpoint, clock: systemClock});
	await fc.assert(
		fc.asyncProperty(
			documents,
			fc.constantFrom(200, 400, 401, 500),
			fc.constantFrom(...paths),
			async (given, status, refusing) => {
				await rm(folder, {recursive: true, force: true});
				await files().saveTokens({access_token: 'old', token_type: 'Bearer'});
				const {asked, shown, failure} = await logIn(given, {
					folder,
					statusOf: {[refusing]: status},
				});
				const stored = await files().tokens();
				const isNew = stored?.access_token !== 'old';
				const {size} = await stat(`${folder}/crm.json`);
				const said = failure === undefined ? '' : messageOf(failure);
				expect(
					broken({
						'nobody nearer is asked': asked.every(url => url.href === endpoint || mayBeAsked(url)),
						'no page that is nearer, or has no end': shown.every(
							url => mayBeAsked(url) && url.href.length <= 16_384,
						),
						'fails with a reason': failure === undefined || failure instanceof ConnectError,
						'tells no secret': !said.includes('SECRET'),
						'ends with a grant': failure !== undefined || isNew,
						'a person agreed to the grant': !isNew || shown.length > 0,
						'the token can be sent': isHeader(stored?.access_token ?? '\n'),
						'the token has an end': isTime(stored?.expires_at),
						'the file can be read again': size <= 1_048_576,
					}),
				).toEqual([]);
			},
		),
		{numRuns: propertyRuns(100)},
	);
});

const claimsOfProblem = (problem: string) => ({
	'in one line': !hidden.test(problem),
	'tells no secret': !problem.includes('SECRET'),
});

const claimsOf = (
	{
		userCode,
		verificationUri,
		verificationUriComplete = verificationUri,
		verificationHost,
		lifetimeMs,
		intervalMs,
	}: DeviceCode,
	home: AddressScope,
) => {
	const pages = [verificationUri, verificationUriComplete];
	return {
		'no page that is nearer': pages.every(page => refusalOfUrl(new URL(page), home) === undefined),
		'the host that is shown': pages.every(page => new URL(page).host === verificationHost),
		'in one line': !hidden.test([...pages, userCode].join(' ')),
		'a short code': /^[\w -]{1,32}$/.test(userCode),
		'a time': lifetimeMs > 0 && intervalMs >= 1000,
	};
};

test('whatever a server answers to a request for a code, what is shown is a page of a host, and a code in one line', () => {
	const good = {
		device_code: secret,
		user_code: 'WDJB-MJHT',
		verification_uri: `${site}/device`,
		verification_uri_complete: `${site}/device?code=WDJB-MJHT`,
		expires_in: 600,
		interval: 5,
	};
	fc.assert(
		fc.property(spoilt(good), fc.constantFrom('public', 'private', 'loopback'), (text, home) => {
			const code = readCode(text, home);
			expect(
				'problem' in code ? broken(claimsOfProblem(code.problem)) : broken(claimsOf(code, home)),
			).toEqual([]);
		}),
		{numRuns: propertyRuns(2000)},
	);
});

const isDeviceServer = (found: unknown): found is DeviceServer =>
	typeof found === 'object' && found !== null && 'discovery' in found;

const claimsOfFailure = (error: Error) => ({
	'fails with a reason': error instanceof ConnectError,
	'in one line': !hidden.test(error.message),
	short: error.message.length < 10_000,
});

const claimsOfServer = ({
	codeEndpoint,
	discovery: {authorizationServerMetadata: metadata, authorizationServerUrl: address},
}: DeviceServer) => ({
	'the one that was asked': new URL(metadata.issuer).origin === new URL(address).origin,
	'endpoints are addresses': [metadata.token_endpoint, codeEndpoint].every(url =>
		/^https?:$/.test(new URL(url).protocol),
	),
});

test('whatever metadata say, the server for devices is the one that was asked, or each is named with a reason in one line', async () => {
	await fc.assert(
		fc.asyncProperty(documents, async given => {
			const {fetch} = peer(given);
			const found = await findDeviceServer({
				name: 'crm',
				endpoint: new URL(endpoint),
				fetch,
			}).catch((error: unknown) => error);
			expect(broken(found instanceof Error ? claimsOfFailure(found) : {})).toEqual([]);
			expect(isDeviceServer(found) ? broken(claimsOfServer(found)) : []).toEqual([]);
		}),
		{numRuns: propertyRuns(300)},
	);
});

test('whatever a client document is, what is wrong with it is said in one short line', async () => {
	const url = `${site}/client.json`;
	const {signal} = new AbortController();
	await fc.assert(
		fc.asyncProperty(
			spoilt({client_id: url, redirect_uris: [], client_name: 'svc'}),
			fc.constantFrom(200, 301, 404, 500),
			fc.constantFrom('application/json', 'application/jsonp', `text/${'x'.repeat(5000)}`, ''),
			async (text, status, type) => {
				const problem = await problemWithDocument(url, {
					fetch: async () => new Response(text, {status, headers: {'content-type': type}}),
					clock: systemClock,
					signal,
				});
				expect(problem ?? '').not.toMatch(hidden);
				expect((problem ?? '').length).toBeLessThan(400);
			},
		),
		{numRuns: propertyRuns(500)},
	);
});

test('whatever stands in the files of a login, it is a login that can be presented, or is called none without a word of it', async () => {
	await using home = await temporaryHome();
	const folder = home.file('tokens');
	await mkdir(folder, {mode: 0o700});
	const files = grantFiles(folder, {server: 'crm', url: endpoint, clock: systemClock});
	const good = {
		...answers['/token'],
		...answers['/.well-known/oauth-authorization-server'],
		authorizationServerUrl: site,
		client_id: 'c',
		issued_at: 1,
		expires_at: 2,
		url: endpoint,
	};
	await fc.assert(
		fc.asyncProperty(spoilt(good), async text => {
			await Promise.all(
				['.json', '.client.json', '.meta.json'].map(async ending =>
					writeFile(`${folder}/crm${ending}`, text),
				),
			);
			const [tokens, client, {discovery}] = await Promise.all([
				files.tokens().catch((error: unknown) => error),
				files.client().catch((error: unknown) => error),
				files.known(),
			]);
			const failures = [tokens, client].filter(one => one instanceof Error);
			const held = tokens instanceof Error ? undefined : (tokens as StoredTokens | undefined);
			expect(
				broken({
					'called none': failures.every(error => codeOf(error) === 'login_file_unusable'),
					'without a word of it': !/SECRET|evil/.test(failures.map(messageOf).join(' ')),
					'the token can be sent': held === undefined || isHeader(held.access_token),
					'the token has an end': isTime(held?.expires_at),
					'an address': /^https?:/.test(discovery?.authorizationServerUrl ?? site),
				}),
			).toEqual([]);
		}),
		{numRuns: propertyRuns(300)},
	);
});

test.for([
	'http://localhost:8080/delete?all',
	'https://192.168.0.1/',
	'https://[::1]/auth',
	'https://user:pw@93.184.216.35/auth',
	'http://93.184.216.35/auth',
	'file:///etc/passwd',
])('no person is sent to %s by a public tool server', async page => {
	await using home = await temporaryHome();
	const place = '/.well-known/oauth-authorization-server';
	const spoiltAnswers = {...answers, [place]: {...answers[place], authorization_endpoint: page}};

	const {shown, failure} = await logIn(
		Object.fromEntries(paths.map(path => [path, JSON.stringify(spoiltAnswers[path])])) as Record<
			Path,
			string
		>,
		{folder: home.file('tokens')},
	);

	expect(shown).toEqual([]);
	expect(messageOf(failure)).toContain('would send you to');
});
