import {codeOf, SvcError} from './errors.ts';

const maxCauses = 8;

/**
 * `error`, or what it means where it, or what caused it, is that a part of the program that is loaded late is not there any more: another version took its place, as an update does, while
 * this process ran. `program_replaced` then.
 */
export function asReplaced(error: unknown): unknown {
	let cause = error;
	for (let depth = 0; depth < maxCauses && cause instanceof Error; depth += 1) {
		if (codeOf(cause) === 'ERR_MODULE_NOT_FOUND') {
			return new SvcError(
				'program_replaced',
				'Cannot go on: the program was replaced while it ran. Stop the gateway and start it again',
				{cause: error},
			);
		}

		cause = cause.cause;
	}

	return error;
}
