import {SvcError} from '../../core/errors.ts';
import type {ErrorCode} from '../../manual/error-codes.ts';
import {ApiError, internalError, storeAway, upstreamError} from '../http/api-error.ts';

/** Statuses for failures of an agent; any other failure is one of the model's server. */
export const failureStatuses: Partial<Record<ErrorCode, 500 | 503 | 504>> = {
	run_timeout: 504,
	run_cancelled: 503,
	step_limit: 500,
	model_misconfigured: 503,
	model_not_found: 503,
	journal_unavailable: 503,
};

/** Statuses for refusals of a session, which the client can correct. */
export const sessionRefusals: Partial<Record<ErrorCode, 400 | 404 | 409>> = {
	session_full: 400,
	session_not_found: 404,
	session_busy: 409,
};

/** @param signal the request's signal, whose reason may be the error */
export function failureOf(error: unknown, signal: AbortSignal): ApiError {
	if (signal.aborted && signal.reason instanceof ApiError) {
		return signal.reason;
	}

	if (error instanceof ApiError) {
		return error;
	}

	if (!(error instanceof SvcError)) {
		return internalError();
	}

	const {code, message} = error;
	if (code === 'journal_unavailable') {
		return storeAway();
	}

	const status = sessionRefusals[code] ?? failureStatuses[code];
	return status === undefined ? upstreamError(502, message) : new ApiError(status, {message, code});
}
