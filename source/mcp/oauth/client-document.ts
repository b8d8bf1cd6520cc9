import type {OAuthSettings} from './oauth-settings.ts';

/** The ports that a client metadata document declares. @see manual/logins.md#callback-ports */
export const pinnedPorts = [27_890, 27_891, 27_892, 27_893, 27_894] as const;

/** Where the browser may come back to when a document identifies us. */
export const declaredRedirects: readonly string[] = ['127.0.0.1', 'localhost'].flatMap(host =>
	pinnedPorts.map(port => `http://${host}:${port}/callback`),
);

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

/** Whether the settings say who the client is. */
export const namesClient = (settings: OAuthSettings): boolean =>
	(settings.clientId ??
		settings.clientSecret ??
		settings.clientName ??
		settings.tokenEndpointAuthMethod) !== undefined;

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
	const url = settings.clientMetadataUrl;
	return url !== undefined &&
		settings.cimd &&
		!refused &&
		!namesClient(settings) &&
		settings.redirectUri === undefined &&
		settings.redirectPort === undefined &&
		isClientDocumentUrl(url)
		? url
		: undefined;
}
