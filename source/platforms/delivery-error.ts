import {SvcError} from '../core/errors.ts';
import type {ErrorCode} from '../manual/error-codes.ts';

/** The consequences of a failed delivery. */
export type Failure = {
	/** A retry may succeed without any change on our side. */
	readonly passes?: true;
	/** The platform is unreachable or refuses our credentials: other messages would fail as well. */
	readonly isDown?: true;
	/** It broke after the request was written: the message may have arrived. */
	readonly isUncertain?: true;
	/** The cause alone, without the action that failed. */
	readonly reason?: string | undefined;
	/** How long the platform asks to wait before another try, milliseconds. */
	readonly retryAfterMs?: number | undefined;
};

/** Failures common to all kinds of targets; each kind adds its own. */
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
	readonly failure: Failure;

	constructor(code: keyof typeof common, message: string);
	constructor(code: ErrorCode, message: string, failure: Failure);
	constructor(code: ErrorCode, message: string, failure: Failure = known[code] ?? {}) {
		super(code, message);
		this.failure = failure;
	}

	/** Whether a retry may succeed. */
	get retryable(): boolean {
		return this.failure.passes ?? false;
	}

	/** Whether other messages would fail as well. */
	get isPlatformDown(): boolean {
		return this.failure.isDown ?? false;
	}

	/** Whether the message may have arrived nevertheless. */
	get isUncertain(): boolean {
		return this.failure.isUncertain ?? false;
	}

	/** The minimum wait before a retry, milliseconds; absent if the platform does not say. */
	get retryAfterMs(): number | undefined {
		return this.failure.retryAfterMs;
	}

	/** The cause alone, without the action that failed. */
	get reason(): string {
		return this.failure.reason ?? this.message;
	}

	/** The same failure, attributed to one part of the text. */
	about(part: string): DeliveryError {
		return new DeliveryError(this.code, `${this.message} (${part})`, this.failure);
	}
}

/** Failures of platforms and their consequences for a delivery. */
export const platformFailures = {
	platform_unreachable: {passes: true, isDown: true},
	platform_rate_limited: {passes: true},
	platform_unauthorized: {passes: true, isDown: true},
	platform_rejected: {},
	platform_failed: {passes: true, isDown: true},
} as const satisfies Partial<Record<ErrorCode, Failure>>;

export type PlatformCode = keyof typeof platformFailures;

/** A failure of a platform. */
export const platformFailure = (
	code: PlatformCode,
	message: string,
	more: Pick<Failure, 'reason' | 'retryAfterMs'> = {},
): DeliveryError => new DeliveryError(code, message, {...platformFailures[code], ...more});

/** Whether the message may have arrived despite `error`; `false` for anything but a `DeliveryError`. */
export const isUncertain = (error: unknown): boolean =>
	error instanceof DeliveryError && error.isUncertain;
