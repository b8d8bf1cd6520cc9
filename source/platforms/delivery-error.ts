import {SvcError} from '../core/errors.ts';
import type {ErrorCode} from '../manual/error-codes.ts';

/** What a failed delivery says besides its reason. */
export type Failure = {
	/** Another try may cure it, without anybody doing anything. */
	readonly passes?: true;
	/** The platform is not there, or will not have us: no failure of this one message. */
	readonly isDown?: true;
	/** It broke after the request was written: the message may have arrived. */
	readonly isUncertain?: true;
	/** So long the platform asks to wait before another try, milliseconds. */
	readonly retryAfterMs?: number;
};

/** What may happen on the way to any target; each kind of target adds its own. */
const common = {
	target_incomplete: {},
	target_invalid: {},
	platform_unknown: {},
	platform_disabled: {passes: true},
	message_gone: {},
	empty_message: {},
	delivery_held: {},
	delivery_busy: {passes: true},
	delivery_timeout: {passes: true, isDown: true},
	delivery_aborted: {passes: true},
	delivery_uncertain: {isUncertain: true},
} as const satisfies Partial<Record<ErrorCode, Failure>>;

const known: Partial<Record<ErrorCode, Failure>> = common;

/** A failed delivery. The message is redacted and cleaned: it may be logged, stored and shown. */
export class DeliveryError extends SvcError {
	/** Whether another try may help. */
	readonly retryable: boolean;
	/** Whether other messages would fail as well. */
	readonly isPlatformDown: boolean;
	/** Whether the message may have arrived all the same. */
	readonly isUncertain: boolean;
	/** How long to wait before another try, at least; absent: the platform does not say. Milliseconds. */
	readonly retryAfterMs: number | undefined;

	constructor(code: keyof typeof common, message: string);
	constructor(code: ErrorCode, message: string, failure: Failure);
	constructor(code: ErrorCode, message: string, failure: Failure = known[code] ?? {}) {
		super(code, message);
		this.retryable = failure.passes ?? false;
		this.isPlatformDown = failure.isDown ?? false;
		this.isUncertain = failure.isUncertain ?? false;
		this.retryAfterMs = failure.retryAfterMs;
	}

	/** The same failure, of a part of what was sent. */
	about(part: string): DeliveryError {
		const {code, message, retryable, isPlatformDown, isUncertain: uncertain, retryAfterMs} = this;
		return new DeliveryError(code, `${message} (${part})`, {
			...(retryable && {passes: true}),
			...(isPlatformDown && {isDown: true}),
			...(uncertain && {isUncertain: true}),
			...(retryAfterMs !== undefined && {retryAfterMs}),
		});
	}
}

/** Whether the message may have arrived although `error` came; false for anything but a `DeliveryError`. */
export const isUncertain = (error: unknown): boolean =>
	error instanceof DeliveryError && error.isUncertain;
