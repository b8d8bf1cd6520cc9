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
