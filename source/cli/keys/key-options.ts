import {InvalidArgumentError} from 'commander';
import {apiEndpoints, type ApiEndpoint, type KeyBudget} from '../../core/api-keys/api-key.ts';
import {maxKeyNameLength, readBudget, readExpiry} from '../../core/api-keys/read-grant.ts';
import type {Clock} from '../../core/clock.ts';
import {listOption} from '../console/options.ts';

const isEndpoint = (text: string): text is ApiEndpoint =>
	apiEndpoints.some(endpoint => endpoint === text);

/** How long a change of keys waits for a home that another process holds: a command is soon done, a gateway that starts soon answers. */
export const keyLockWaitMs = 5000;

/** A parser for the name of a key. */
export function keyNameOption(text: string): string {
	if (text.trim() === '' || text.length > maxKeyNameLength) {
		throw new InvalidArgumentError(`Use a text of at most ${maxKeyNameLength} characters.`);
	}

	return text;
}

/** A parser for `chat,models`, also repeated. */
export function endpointsOption(
	text: string,
	previous?: readonly ApiEndpoint[],
): readonly ApiEndpoint[] {
	const words = listOption(text);
	if (words.length === 0 || !words.every(isEndpoint)) {
		throw new InvalidArgumentError(`Use some of ${apiEndpoints.join(', ')}.`);
	}

	return [...new Set([...(previous ?? []), ...words.filter(isEndpoint)])];
}

/** A parser for `100000/day`, `/week` or `/month`. */
export const budgetOption = (text: string): KeyBudget => orRefuse(readBudget(text));

/** A parser for `2026-12-31` (the end of that day by UTC), or a time with its offset; only of what is to come. Milliseconds since 1970. */
export const expiryOption = (clock: Clock) => (text: string) =>
	orRefuse(readExpiry(text, clock.now()));

function orRefuse<Value extends number | object>(read: Value | string): Value {
	if (typeof read === 'string') {
		throw new InvalidArgumentError(read);
	}

	return read;
}
