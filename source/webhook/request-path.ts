export type RequestPath =
	| {readonly kind: 'health' | 'metrics'}
	/** `route` is decoded; `undefined` when the path names none. */
	| {readonly kind: 'webhook'; readonly route: string | undefined};

const webhooks = '/webhooks/';

/**
 * What a request target names; the query does not count. Everything that is not exactly one segment under `/webhooks/` is an unknown route.
 *
 * @see Interface 4.2
 */
export function parseRequestPath(target: string): RequestPath {
	const query = target.indexOf('?');
	const path = query === -1 ? target : target.slice(0, query);
	if (path.startsWith(webhooks)) {
		return {kind: 'webhook', route: decodeSegment(path.slice(webhooks.length))};
	}

	switch (path) {
		case '/health':
			return {kind: 'health'};
		case '/metrics':
			return {kind: 'metrics'};
		default:
			return {kind: 'webhook', route: undefined};
	}
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
