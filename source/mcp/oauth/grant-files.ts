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

/** What an authorization server was found to say, and what the next login should ask for. */
export type KnownAuthorization = {
	readonly discovery?: OAuthDiscoveryState;
	/** Space-separated scopes that the server wanted and the grant lacks. */
	readonly wantedScope?: string;
	/** The grant came by a code: its authorization server need not be the first that the tool server names. */
	readonly byDevice?: boolean;
};

/** Tokens with what is kept beside them. */
export type StoredTokens = StoredOAuthTokens & {
	/** Whom they were granted to; absent: the client of the settings, or of the file of its own. */
	readonly client?: StoredOAuthClientInformation;
	/** Seconds since 1970: when they came, and when the access token ends. */
	readonly issued_at?: number;
	readonly expires_at?: number;
};

/** The files of one server's login. Reading never trusts what is in them. @see manual/logins.md */
export type GrantFiles = ReturnType<typeof grantFiles>;

/** All parts together still fit into a file that is read again. */
const maxPartLength = 65_536;

/** What a header can hold: any other token could not be presented, and an error would quote it. @see RFC 6749 §A.12 */
export const accessToken = z
	.string()
	.max(maxPartLength)
	.regex(/^[!-~]+$/);

/** What else is granted. */
export const tokenPart = z.string().max(maxPartLength);

/** What is said to live longer, or less than nothing, has an end all the same: it is shown. Seconds. */
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
	/** Of the tool server: what was granted for one must not reach another that took over its name. */
	url: z.string().optional(),
});

const urlText = z.url({protocol: /^https?$/});

/** What the SDK reads of it; every address in it is judged again before it is used. */
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

/** Says that a metadata document was refused. */
const refusal = '.cimd-off';

/** The files for `server`, which is at `url`, in `place`, named after it. Nothing is read or made yet. */
export function grantFiles(
	place: LoginStorage,
	{server, url, clock}: {readonly server: string; readonly url: string; readonly clock: Clock},
) {
	const shelf = loginShelf(place, {server, stem: fileStem(server)});
	const save = async (ending: string, value: unknown) => shelf.replace(ending, textOf(value));

	return {
		/** None when they are for another URL than the server's now. @throws SvcError `login_file_unusable` */
		async tokens(): Promise<StoredTokens | undefined> {
			const stored = await parse(shelf, '.json', tokensShape);
			return stored && (stored.url ?? url) === url ? stored : undefined;
		},
		/** @throws SvcError `login_file_unusable` */
		client: async (): Promise<StoredOAuthClientInformation | undefined> =>
			parse(shelf, '.client.json', clientShape),
		/** Nothing when the file cannot be read: all of it can be found out again. */
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
				// What would not be read again can be found out again.
				Buffer.byteLength(whole) <= maxPrivateFileBytes ? whole : textOf({...meant, url}),
			);
		},
		/** Whether the authorization server once refused our metadata document. */
		documentRefused: (): boolean => shelf.has(refusal),
		refuseDocument: async (document: string): Promise<void> =>
			shelf.replace(refusal, `${new Date(clock.now()).toISOString()} ${document}\n`),
		forgetRefusal: async (): Promise<void> => shelf.remove(refusal),
		/** Runs `task` alone among all processes, as every change of tokens is. @throws SvcError `lock_timeout`, `lock_failed`, `login_file_unusable` */
		exclusively: async <Value>(task: () => Promise<Value>): Promise<Value> =>
			shelf.exclusively(task, {clock}),
	};
}

/**
 * The name of a server's files without their endings: the server's own, or, where that would leave the folder, hide the file or be the name of another
 * server's file, a part of it with a hash.
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
		// Neither the parser's message nor the schema's: both may quote the file.
		throw new SvcError(
			'login_file_unusable',
			`Cannot use "${shelf.nameOf(ending)}": it does not hold a login`,
		);
	}

	return data;
}

const textOf = (value: unknown): string => `${JSON.stringify(value, undefined, '\t')}\n`;
