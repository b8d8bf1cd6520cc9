/** Both names are decoded. `route` is `undefined` when the path names none, `profile` when it has no prefix. */
export type WebhookPath = {
	readonly kind: 'webhook';
	readonly profile: string | undefined;
	readonly route: string | undefined;
};

export type RequestPath = {readonly kind: 'health' | 'metrics'} | WebhookPath;

const webhooks = '/webhooks/';

const profiles = '/p/';

const nothing: WebhookPath = {kind: 'webhook', profile: undefined, route: undefined};

/**
 * What a path without its query names. Everything that is not exactly one segment under `/webhooks/`, or under `/p/<one segment>/webhooks/`, is an unknown
 * route.
 *
 * @see manual/receiver.md#answers
 */
export function parseRequestPath(path: string): RequestPath {
	if (path.startsWith(webhooks)) {
		return {
			kind: 'webhook',
			profile: undefined,
			route: decodeSegment(path.slice(webhooks.length)),
		};
	}

	switch (path) {
		case '/health':
			return {kind: 'health'};
		case '/metrics':
			return {kind: 'metrics'};
		default:
			return path.startsWith(profiles) ? parseProfilePath(path.slice(profiles.length)) : nothing;
	}
}

/** `<profile>/webhooks/<route>`. */
function parseProfilePath(path: string): WebhookPath {
	const end = path.indexOf('/');
	if (end === -1 || !path.startsWith(webhooks, end)) {
		return nothing;
	}

	const profile = decodeSegment(path.slice(0, end));
	const route = decodeSegment(path.slice(end + webhooks.length));
	return profile === undefined || route === undefined ? nothing : {kind: 'webhook', profile, route};
}

function decodeSegment(segment: string): string | undefined {
	if (segment === '' || segment.includes('/')) {
		return undefined;
	}

	if (!segment.includes('%')) {
		return segment;
	}

	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}
