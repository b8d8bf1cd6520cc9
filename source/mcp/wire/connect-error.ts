import {SvcError} from '../../core/errors.ts';
import type {ConnectFailure} from './open-transport.ts';

/** A server cannot be reached as it is configured, or is not a tool server. The message is that of `failure`. */
export class ConnectError extends SvcError {
	readonly failure: ConnectFailure;

	constructor(failure: ConnectFailure, options?: {readonly cause?: unknown}) {
		super('mcp_connect_failed', failure.message, options);
		this.failure = failure;
	}
}

/** Another try may succeed. */
export const passing = (message: string): ConnectFailure => ({kind: 'passing', message});

/** A person or a changed file has to act first. */
export const permanent = (message: string): ConnectFailure => ({kind: 'permanent', message});

/** Why a person gets no login to a server. `reason`: cleaned, redacted. */
export const loginError = (
	server: string,
	reason: string,
	{kind = 'needs-login', cause}: {kind?: ConnectFailure['kind']; cause?: unknown} = {},
): ConnectError =>
	new ConnectError({kind, message: `Cannot log in to tool server "${server}": ${reason}`}, {cause});

/** The same of a login with a code that the configuration does not allow. */
export const codeLoginError = (server: string, reason: string): ConnectError =>
	new ConnectError(permanent(`Cannot log in to tool server "${server}" with a code: ${reason}`));
