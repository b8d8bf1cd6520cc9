/**
 * An expected failure with a stable name. The message is one sentence: the failed action, the value
 * in quotes, what to do; no final period. `code` is snake_case, public, and listed in the README.
 */
export class SvcError extends Error {
	override readonly name = 'SvcError';

	readonly code: string;

	constructor(code: string, message: string, options?: {readonly cause?: unknown}) {
		super(message, options);
		this.code = code;
	}
}

/** The `code` of any thrown value: ours, Node's (`EADDRINUSE`), or `unknown`. */
export function codeOf(error: unknown): string {
	const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
	return typeof code === 'string' && code !== '' ? code : 'unknown';
}

/** The message of any thrown value, for a person; still to be redacted and cleaned. */
export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : textOf(error);

function textOf(value: unknown): string {
	try {
		return String(value);
	} catch {
		// What came from outside may be no text and have no way to become one.
		return Object.prototype.toString.call(value);
	}
}
