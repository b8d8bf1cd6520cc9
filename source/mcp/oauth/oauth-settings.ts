import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {JsonObject} from '../../core/json.ts';
import type {LoginFlow} from '../../core/logins.ts';

/** The text settings of the mapping, by their names here. */
const textKeys = {
	clientId: 'client_id',
	clientSecret: 'client_secret',
	tokenEndpointAuthMethod: 'token_endpoint_auth_method',
	clientName: 'client_name',
	/** Space-separated; takes precedence over every scope that a server advertises. */
	scope: 'scope',
	/** For requests to the token endpoint. */
	userAgent: 'user_agent',
	clientMetadataUrl: 'client_metadata_url',
	/** A redirect URI chosen by the person, as written. */
	redirectUri: 'redirect_uri',
} as const;

/** The `oauth` mapping of a server; values that are empty, null or of a wrong type count as unset. @see manual/logins.md */
export type OAuthSettings = {readonly [Key in keyof typeof textKeys]?: string} & {
	readonly redirectPort?: number;
	/** `cimd: false` forces dynamic registration. */
	readonly cimd: boolean;
	readonly flow: LoginFlow;
	/** How long a login by code may wait for a person. */
	readonly timeoutMs: number;
};

const defaultTimeoutSeconds = 300;

/** `undefined` for a server without `auth: oauth`. */
export function oauthSettingsOf({endpoint}: ToolServerConfig): OAuthSettings | undefined {
	if (endpoint.transport === 'stdio' || !endpoint.oauth) {
		return undefined;
	}

	const written = endpoint.oauth;
	const texts = Object.entries(textKeys).map(([key, name]) => [key, text(written, name)] as const);
	const redirectPort = number(written, 'redirect_port');
	return {
		...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
		...(redirectPort !== undefined && {redirectPort}),
		cimd: written['cimd'] !== false,
		flow: written['flow'] === 'device' ? 'device' : 'browser',
		timeoutMs: (number(written, 'timeout') ?? defaultTimeoutSeconds) * 1000,
	};
}

/** A number, also one that came from a variable reference as text. */
function number(written: JsonObject, key: string): number | undefined {
	const value = written[key];
	const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof parsed === 'number' && Number.isFinite(parsed) && parsed > 0 ? parsed : undefined;
}

function text(written: JsonObject, key: string): string | undefined {
	const value = written[key];
	return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
