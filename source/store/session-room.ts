import {SvcError} from '../core/errors.ts';
import type {ChatSession} from '../core/session.ts';
import {maxBytesOfSession, maxMessagesOfSession} from './rules.ts';

/** What a session would have. @throws SvcError `session_full` where that is more than it may */
export function refuseAbove({messages, bytes}: Pick<ChatSession, 'messages' | 'bytes'>): void {
	const bound =
		messages > maxMessagesOfSession
			? `${maxMessagesOfSession} messages`
			: bytes > maxBytesOfSession
				? `${maxBytesOfSession} bytes`
				: undefined;
	if (bound !== undefined) {
		throw new SvcError(
			'session_full',
			`Cannot add to the session: it would have more than ${bound}; begin another`,
		);
	}
}
