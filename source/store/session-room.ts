import {SvcError} from '../core/errors.ts';
import type {ChatSession} from '../core/session.ts';
import {maxBytesOfSession, maxMessagesOfSession} from './rules.ts';
import type {SessionTurn} from './session-port.ts';

/** The run that a turn is of; absent: of none. */
export const answeredBy = ({messages}: SessionTurn): number | undefined =>
	messages.find(({run}) => run !== undefined)?.run;

/** A session with one more turn, the rest of its row as JSON, and the messages as JSON. @throws SvcError `session_full` */
export function withTurn(
	{id, usedAt, messages, bytes, ...kept}: ChatSession,
	turn: SessionTurn,
): {readonly session: ChatSession; readonly data: string; readonly texts: readonly string[]} {
	const texts = turn.messages.map(({message}) => JSON.stringify(message));
	const next = {
		messages: messages + texts.length,
		bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), bytes),
	};
	refuseAbove(next);
	const data = {
		...kept,
		model: turn.model,
		title: kept.title === '' ? turn.title : kept.title,
	};
	return {
		session: {id, ...data, usedAt: Math.max(usedAt, turn.at), ...next},
		data: JSON.stringify(data),
		texts,
	};
}

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
