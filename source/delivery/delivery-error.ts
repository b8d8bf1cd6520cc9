import {SvcError} from '../core/errors.ts';

/**
 * Why a text did not reach its target.
 *
 * - `target_incomplete`, `target_invalid`: keys of `deliver_extra` are missing, not filled in or not allowed.
 * - `platform_unknown`, `platform_unavailable`, `platform_disabled`: nothing delivers there.
 * - `empty_message`, `delivery_busy`, `delivery_timeout`, `delivery_aborted`.
 * - `forge_client_missing`, `forge_client_unusable`, `forge_not_authenticated`, `forge_forbidden`, `forge_target_not_found`,
 *   `forge_rejected`, `forge_rate_limited`, `forge_failed`.
 * - `smtp_unreachable`, `smtp_not_authenticated`, `smtp_insecure`, `smtp_temporary` (4xx), `smtp_rejected` (5xx), `smtp_failed`.
 */
export type DeliveryErrorCode =
	| 'target_incomplete'
	| 'target_invalid'
	| 'platform_unknown'
	| 'platform_unavailable'
	| 'platform_disabled'
	| 'empty_message'
	| 'delivery_busy'
	| 'delivery_timeout'
	| 'delivery_aborted'
	| 'forge_client_missing'
	| 'forge_client_unusable'
	| 'forge_not_authenticated'
	| 'forge_forbidden'
	| 'forge_target_not_found'
	| 'forge_rejected'
	| 'forge_rate_limited'
	| 'forge_failed'
	| 'smtp_unreachable'
	| 'smtp_not_authenticated'
	| 'smtp_insecure'
	| 'smtp_temporary'
	| 'smtp_rejected'
	| 'smtp_failed';

/** Those that another try may cure, without anybody doing anything. */
const passing: ReadonlySet<DeliveryErrorCode> = new Set<DeliveryErrorCode>([
	'delivery_busy',
	'delivery_timeout',
	'delivery_aborted',
	'forge_rate_limited',
	'forge_failed',
	'smtp_unreachable',
	'smtp_temporary',
	'smtp_failed',
]);

/** A failed delivery. The message is redacted and cleaned: it may be logged, stored and shown. */
export class DeliveryError extends SvcError {
	/** Whether another try may help. */
	readonly retryable: boolean;

	constructor(code: DeliveryErrorCode, message: string, options?: {readonly cause?: unknown}) {
		super(code, message, options);
		this.retryable = passing.has(code);
	}
}

/** Whether another try may help after `error`; false for anything but a `DeliveryError`. */
export const isRetryable = (error: unknown): boolean =>
	error instanceof DeliveryError && error.retryable;
