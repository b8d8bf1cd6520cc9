import type {OAuthSettings} from './oauth-settings.ts';

/** The ports that a client metadata document declares. @see manual/logins.md#callback-ports */
export const pinnedPorts = [27_890, 27_891, 27_892, 27_893, 27_894] as const;

/** The redirect URIs of a client identified by a document. */
export const declaredRedirects: readonly string[] = ['127.0.0.1', 'localhost'].flatMap(host =>
	pinnedPorts.map(port => `http://${host}:${port}/callback`),
);

/**
 * Whether `text` can be the URL of a client metadata document: HTTPS with a path, without user, fragment, and `.` or `..` segments. Examines the raw text, because
 * parsing removes dot segments.
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

/** Whether the settings identify the client. */
export const namesClient = (settings: OAuthSettings): boolean =>
	(settings.clientId ??
		settings.clientSecret ??
		settings.clientName ??
		settings.tokenEndpointAuthMethod) !== undefined;

/**
 * The document that identifies this program to an authorization server that accepts documents. `undefined` if it must register: the settings identify the client,
 * rule out documents, or name an unusable one, or a server refused it before.
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
