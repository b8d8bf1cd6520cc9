import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {JsonObject} from '../../core/json.ts';

/** The `oauth` mapping of a server as this room uses it; what is empty, null or of another type counts as not set. @see manual/tool-servers.md#logins */
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
	/** A callback of the person's own: `redirect_uri` or `redirect_port`. */
	readonly ownRedirect: boolean;
	/** `cimd: false` forces dynamic registration. */
	readonly cimd: boolean;
};

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
	];
	return {
		...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
		ownRedirect: isSet(written, 'redirect_uri') || isSet(written, 'redirect_port'),
		cimd: written['cimd'] !== false,
	};
}

type TextSetting = Exclude<keyof OAuthSettings, 'ownRedirect' | 'cimd'>;

const isSet = (written: JsonObject, key: string): boolean =>
	written[key] !== undefined && written[key] !== null && written[key] !== '';

function text(written: JsonObject, key: string): string | undefined {
	const value = written[key];
	return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
