import {SvcError} from '../../core/errors.ts';
import type {ConnectFailure} from './open-transport.ts';

/** A server is unreachable as configured, or is not a tool server. The message is that of `failure`. */
export class ConnectError extends SvcError {
	readonly failure: ConnectFailure;

	constructor(failure: ConnectFailure, options?: {readonly cause?: unknown}) {
		super('mcp_connect_failed', failure.message, options);
		this.failure = failure;
	}
}

/** A failure that may pass: retry. */
export const passing = (message: string): ConnectFailure => ({kind: 'passing', message});

/** A failure that needs a person or a changed file. */
export const permanent = (message: string): ConnectFailure => ({kind: 'permanent', message});

/** Why a login failed. `reason`: escaped, redacted. */
export const loginError = (
	server: string,
	reason: string,
	{kind = 'needs-login', cause}: {kind?: ConnectFailure['kind']; cause?: unknown} = {},
): ConnectError =>
	new ConnectError({kind, message: `Cannot log in to tool server "${server}": ${reason}`}, {cause});

/** A login by code that the configuration does not allow. */
export const codeLoginError = (server: string, reason: string): ConnectError =>
	new ConnectError(permanent(`Cannot log in to tool server "${server}" with a code: ${reason}`));
