import {lookUp} from '../core/payload.ts';
import type {PlatformAnswer} from './post.ts';

/** The longest wait, milliseconds: a run is never delayed longer. */
const maxToldWaitMs = 3_600_000;

/** Where platforms say how long to wait, and in which unit; the longest counts. */
const tellers = [
	['header', 'retry-after', 1000],
	['header', 'x-ratelimit-reset-after', 1000],
	['json', 'retry_after', 1000],
	['json', 'retry_after_ms', 1],
	['json', 'retry-after', 1000],
	['json', 'parameters.retry_after', 1000],
] as const;

/**
 * How long a platform asks to wait, milliseconds, at most an hour; `undefined` if it does not say. `Retry-After` may be a date.
 *
 * @see RFC 9110 §10.2.3
 */
export function toldWaitMs(
	{header, json}: Pick<PlatformAnswer, 'header' | 'json'>,
	/** Milliseconds since 1970. */
	now: number,
): number | undefined {
	const told = tellers.flatMap(([where, path, unitMs]) => {
		const value = where === 'header' ? header(path) : lookUp(json ?? null, path.split('.'));
		const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		return typeof amount === 'number' && amount >= 0 ? [amount * unitMs] : [];
	});
	const date = Date.parse(header('retry-after')?.replace(/^[^a-z]*$/i, '') ?? '');
	const waits = [...told, ...(Number.isNaN(date) ? [] : [Math.max(0, date - now)])];
	// -Infinity if there is none.
	return boundedWaitMs(Math.max(...waits));
}

/** A wait in whole milliseconds, at most an hour; `undefined` for an invalid one. */
export const boundedWaitMs = (ms: number | undefined): number | undefined =>
	ms !== undefined && ms >= 0 ? Math.min(maxToldWaitMs, Math.ceil(ms)) : undefined;
