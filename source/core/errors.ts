import type {ErrorCode} from '../manual/error-codes.ts';

/**
 * An expected failure with a stable name. The message is one sentence: the failed action, the value
 * in quotes, what to do; no final period. `code` is snake_case, public, and explained by `manual/error-codes.ts`.
 */
export class SvcError extends Error {
	override readonly name = 'SvcError';

	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string, options?: {readonly cause?: unknown}) {
		super(message, options);
		this.code = code;
	}
}

/**
 * An error that somebody else tells of (another process of this program, or the cause of this one), under the code that it has there.
 *
 * @param code.length bounded by the caller; a newer program may know codes that this one does not
 */
export const errorWithCode = (
	code: string,
	message: string,
	options?: {readonly cause?: unknown},
): SvcError =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- who reads it compares it with codes that are known
	new SvcError(code as ErrorCode, message, options);

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
