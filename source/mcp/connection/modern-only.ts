/** Refusals of `initialize` that name the protocol: version not supported, method not found. */
const refusals: ReadonlySet<unknown> = new Set([-32_022, -32_601]);

/** What these statuses say concerns the caller or the moment, not the protocol. */
const otherReasons: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/**
 * Whether a failed legacy handshake says that the server speaks only 2026-07-28: a JSON-RPC error that names version or method, also as
 * the body of an HTTP 4xx. Time-outs, 5xx, a network that fails and walls that ask for a login say nothing about the protocol.
 *
 * @see Interface 2.12 `protocol`
 */
export function isRejectedAsModernOnly(error: unknown): boolean {
	if (!(error instanceof Error)) {
		return false;
	}

	const {code, status, data} = error as Error & {
		readonly code?: unknown;
		readonly status?: unknown;
		readonly data?: unknown;
	};
	if (typeof code === 'number') {
		return refusals.has(code);
	}

	return (
		typeof status === 'number' &&
		status >= 400 &&
		status < 500 &&
		!otherReasons.has(status) &&
		refusals.has(codeOfBody(textOf(data)))
	);
}

const textOf = (data: unknown): string =>
	typeof data === 'object' && data !== null && 'text' in data && typeof data.text === 'string'
		? data.text
		: '';

function codeOfBody(text: string): unknown {
	try {
		const body: unknown = JSON.parse(text);
		const message: unknown = Array.isArray(body) ? body[0] : body;
		return typeof message === 'object' &&
			message !== null &&
			'error' in message &&
			typeof message.error === 'object' &&
			message.error !== null &&
			'code' in message.error
			? message.error.code
			: undefined;
	} catch {
		return undefined;
	}
}
