import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {JsonObject} from '../../core/json.ts';
import type {LoginFlow} from '../../core/logins.ts';

/** The `oauth` mapping of a server as this room uses it; what is empty, null or of another type counts as not set. @see manual/logins.md */
export type OAuthSettings = {
	readonly clientId?: string;
	readonly clientSecret?: string;
	readonly tokenEndpointAuthMethod?: string;
	readonly clientName?: string;
	/** Space-separated; wins over every scope that a server advertises. */
	readonly scope?: string;
	/** For requests to the token endpoint. */
	readonly userAgent?: string;
	readonly clientMetadataUrl?: string;
	/** A callback of the person's own, as it is written. */
	readonly redirectUri?: string;
	readonly redirectPort?: number;
	/** `cimd: false` forces dynamic registration. */
	readonly cimd: boolean;
	readonly flow: LoginFlow;
	/** How long a code may wait for a person. */
	readonly timeoutMs: number;
};

const defaultTimeoutSeconds = 300;

/** `undefined` for a server without `auth: oauth`. */
export function oauthSettingsOf({endpoint}: ToolServerConfig): OAuthSettings | undefined {
	if (endpoint.transport === 'stdio' || !endpoint.oauth) {
		return undefined;
	}

	const written = endpoint.oauth;
	const texts: ReadonlyArray<readonly [TextSetting, string | undefined]> = [
		['clientId', text(written, 'client_id')],
		['clientSecret', text(written, 'client_secret')],
		['tokenEndpointAuthMethod', text(written, 'token_endpoint_auth_method')],
		['clientName', text(written, 'client_name')],
		['scope', text(written, 'scope')],
		['userAgent', text(written, 'user_agent')],
		['clientMetadataUrl', text(written, 'client_metadata_url')],
		['redirectUri', text(written, 'redirect_uri')],
	];
	const redirectPort = number(written, 'redirect_port');
	return {
		...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
		...(redirectPort !== undefined && {redirectPort}),
		cimd: written['cimd'] !== false,
		flow: written['flow'] === 'device' ? 'device' : 'browser',
		timeoutMs: (number(written, 'timeout') ?? defaultTimeoutSeconds) * 1000,
	};
}

type TextSetting = Exclude<keyof OAuthSettings, 'redirectPort' | 'cimd' | 'flow' | 'timeoutMs'>;

/** A reference may have become a number. */
function number(written: JsonObject, key: string): number | undefined {
	const value = written[key];
	const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof parsed === 'number' && Number.isFinite(parsed) && parsed > 0 ? parsed : undefined;
}

function text(written: JsonObject, key: string): string | undefined {
	const value = written[key];
	return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
