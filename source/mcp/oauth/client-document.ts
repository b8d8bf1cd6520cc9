import type {OAuthSettings} from './oauth-settings.ts';

/**
 * Whether `text` can name a client metadata document: HTTPS with a path, without user, fragment, and `.` or `..` between slashes. Looks at the
 * text as it is written: a parsed URL has lost its dot segments.
 *
 * @see manual/logins.md
 */
export function isClientDocumentUrl(text: string): boolean {
	const [, authority = '', path = ''] =
		/^https:\/\/([^/?#\\\s]+)(\/[^?#\\\s]+)(?:\?[^#\s]*)?$/i.exec(text) ?? [];
	const segments = new Set(path.split('/').map(segment => segment.replaceAll(/%2e/gi, '.')));
	return (
		authority !== '' &&
		!authority.includes('@') &&
		URL.canParse(text) &&
		!segments.has('.') &&
		!segments.has('..')
	);
}

/**
 * The document that identifies this program to an authorization server which takes documents; `undefined` where it has to register: the settings say who
 * the client is, rule documents out, or name none that can be used, or a server refused it before.
 *
 * @see manual/logins.md
 */
export function clientDocument(
	settings: OAuthSettings,
	{refused}: {readonly refused: boolean},
): string | undefined {
	const saysWho =
		settings.clientId ??
		settings.clientSecret ??
		settings.clientName ??
		settings.tokenEndpointAuthMethod;
	const url = settings.clientMetadataUrl;
	return url !== undefined &&
		settings.cimd &&
		!refused &&
		saysWho === undefined &&
		settings.redirectUri === undefined &&
		settings.redirectPort === undefined &&
		isClientDocumentUrl(url)
		? url
		: undefined;
}
