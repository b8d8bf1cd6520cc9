import {createHash} from 'node:crypto';
import type {
	OAuthDiscoveryState,
	StoredOAuthClientInformation,
	StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import {z} from 'zod';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {parsedJson} from '../../core/json.ts';
import {loginShelf, type LoginStorage, type LoginShelf} from './login-shelf.ts';
import {maxPrivateFileBytes} from './private-file.ts';

/** An authorization server's metadata as discovered, and what the next login should request. */
export type KnownAuthorization = {
	readonly discovery?: OAuthDiscoveryState;
	/** Space-separated scopes that the server required but the grant lacks. */
	readonly wantedScope?: string;
	/** The grant was made by code: its authorization server need not be the first that the tool server names. */
	readonly byDevice?: boolean;
};

/** Tokens with the data stored beside them. */
export type StoredTokens = StoredOAuthTokens & {
	/** The client they were granted to; absent: the configured one, or that of the separate file. */
	readonly client?: StoredOAuthClientInformation;
	/** When the tokens were issued, and when the access token expires, in seconds since 1970. */
	readonly issued_at?: number;
	readonly expires_at?: number;
};

/** The files of one server's login. Their contents are always validated on reading. @see manual/logins.md */
export type GrantFiles = ReturnType<typeof grantFiles>;

/** All parts together stay below the size limit for reading. */
const maxPartLength = 65_536;

/** Only characters that a header may contain: another token could not be presented, and an error would quote it. @see RFC 6749 §A.12 */
export const accessToken = z
	.string()
	.max(maxPartLength)
	.regex(/^[!-~]+$/);

/** The other parts of a grant. */
export const tokenPart = z.string().max(maxPartLength);

/** In seconds; an implausible lifetime, longer or negative, is clamped, because it is displayed. */
const maxLifetime = 100 * 365 * 24 * 60 * 60;

/** Seconds since 1970 within the range of a date. */
const time = z.number().min(-8.64e12).max(8.64e12);

const clientShape = z.looseObject({
	client_id: z.string().min(1),
	client_secret: z.string().optional(),
	issuer: z.string().optional(),
});

const tokensShape = z.looseObject({
	access_token: accessToken,
	token_type: z.string(),
	refresh_token: z.string().optional(),
	scope: z.string().optional(),
	issuer: z.string().optional(),
	issued_at: time.exactOptional(),
	expires_at: time.exactOptional(),
	client: clientShape.exactOptional(),
	/** The tool server's URL: a grant for one server must not be sent to another with its name. */
	url: z.string().optional(),
});

const urlText = z.url({protocol: /^https?$/});

/** The part that the SDK reads; every address in it is checked again before use. */
const knownShape: z.ZodType<OAuthDiscoveryState> = z.looseObject({
	authorizationServerUrl: urlText,
	resourceMetadataUrl: urlText.exactOptional(),
	resourceMetadata: z
		.looseObject({
			resource: urlText,
			authorization_servers: z.array(urlText).exactOptional(),
			scopes_supported: z.array(z.string()).exactOptional(),
		})
		.exactOptional(),
	authorizationServerMetadata: z
		.looseObject({
			issuer: z.string(),
			authorization_endpoint: urlText,
			token_endpoint: urlText,
			registration_endpoint: urlText.exactOptional(),
			response_types_supported: z.array(z.string()),
			scopes_supported: z.array(z.string()).exactOptional(),
			code_challenge_methods_supported: z.array(z.string()).exactOptional(),
			token_endpoint_auth_methods_supported: z.array(z.string()).exactOptional(),
			client_id_metadata_document_supported: z.boolean().exactOptional(),
			authorization_response_iss_parameter_supported: z.boolean().exactOptional(),
		})
		.exactOptional(),
});

const meantShape = z.looseObject({
	wantedScope: z.string().optional(),
	byDevice: z.boolean().optional(),
	url: z.string().optional(),
});

/** Marks that the metadata document was refused. */
const refusal = '.cimd-off';

/** The login files for `server` at `url` in `place`, named after it. Neither reads nor creates anything yet. */
export function grantFiles(
	place: LoginStorage,
	{server, url, clock}: {readonly server: string; readonly url: string; readonly clock: Clock},
) {
	const shelf = loginShelf(place, {server, stem: fileStem(server)});
	const save = async (ending: string, value: unknown) => shelf.replace(ending, textOf(value));

	return {
		/** `undefined` if they were issued for another URL than the server's current one. @throws SvcError `login_file_unusable` */
		async tokens(): Promise<StoredTokens | undefined> {
			const stored = await parse(shelf, '.json', tokensShape);
			return stored && (stored.url ?? url) === url ? stored : undefined;
		},
		/** @throws SvcError `login_file_unusable` */
		client: async (): Promise<StoredOAuthClientInformation | undefined> =>
			parse(shelf, '.client.json', clientShape),
		/** Empty if the file is unreadable: its contents can be discovered again. */
		async known(): Promise<KnownAuthorization> {
			const text = await shelf.read('.meta.json').catch(() => undefined);
			const value: unknown = text === undefined ? undefined : parsedJson(text);
			const meant = meantShape.safeParse(value).data;
			const discovery = knownShape.safeParse(value);
			return meant && (meant.url ?? url) === url
				? {
						...(discovery.success && {discovery: discovery.data}),
						...(meant.wantedScope && {wantedScope: meant.wantedScope}),
						...(meant.byDevice && {byDevice: true}),
					}
				: {};
		},
		async saveTokens({expires_in, ...tokens}: StoredTokens): Promise<void> {
			const now = Math.floor(clock.now() / 1000);
			await save('.json', {
				...tokens,
				url,
				...(expires_in !== undefined && {
					issued_at: now,
					expires_at: now + Math.min(Math.max(expires_in, 0), maxLifetime),
				}),
			});
		},
		saveClient: async (client: StoredOAuthClientInformation): Promise<void> =>
			save('.client.json', client),
		async saveKnown({discovery, ...meant}: KnownAuthorization): Promise<void> {
			const whole = textOf({...discovery, ...meant, url});
			await shelf.replace(
				'.meta.json',
				// If too large to be read again, metadata are left out: they can be discovered again.
				Buffer.byteLength(whole) <= maxPrivateFileBytes ? whole : textOf({...meant, url}),
			);
		},
		/** Whether the authorization server once refused our metadata document. */
		documentRefused: (): boolean => shelf.has(refusal),
		refuseDocument: async (document: string): Promise<void> =>
			shelf.replace(refusal, `${new Date(clock.now()).toISOString()} ${document}\n`),
		forgetRefusal: async (): Promise<void> => shelf.remove(refusal),
		/** Runs `task` under the lock that guards every change of tokens between processes. @throws SvcError `lock_timeout`, `lock_failed`, `login_file_unusable` */
		exclusively: async <Value>(task: () => Promise<Value>): Promise<Value> =>
			shelf.exclusively(task, {clock}),
	};
}

/**
 * The name of a server's files without suffix: the server's name, or, if that would leave the folder, hide the file or equal another server's file, a part of it
 * with a hash.
 */
export function fileStem(server: string): string {
	if (/^\w[\w.-]{0,63}$/.test(server) && !/\.(?:client|meta)$/i.test(server)) {
		return server;
	}

	const hash = createHash('sha256').update(server).digest('hex').slice(0, 12);
	return `${server.replaceAll(/[^\w-]+/g, '_').slice(0, 40)}-${hash}`;
}

async function parse<T>(
	shelf: LoginShelf,
	ending: string,
	shape: z.ZodType<T>,
): Promise<T | undefined> {
	const text = await shelf.read(ending);
	if (text === undefined) {
		return undefined;
	}

	const {success, data} = shape.safeParse(parsedJson(text));
	if (!success) {
		// Without the messages of parser and schema, which may quote the file.
		throw new SvcError(
			'login_file_unusable',
			`Cannot use "${shelf.nameOf(ending)}": it does not hold a login`,
		);
	}

	return data;
}

const textOf = (value: unknown): string => `${JSON.stringify(value, undefined, '\t')}\n`;
