import {SvcError} from '../core/errors.ts';
import type {ChatSession, SessionMatch, SessionMessage} from '../core/session.ts';
import {maxBytesOfSession, maxMessagesOfSession} from './rules.ts';
import type {LeaseToken} from './shared-port.ts';

/** A complete turn to be added to a session. */
export type SessionTurn = {
	readonly at: number;
	/** The public model that answered. */
	readonly model: string;
	/** The session's title, if it has none yet. */
	readonly title: string;
	/** `text`: the text of the message, for the search. */
	readonly messages: ReadonlyArray<Omit<SessionMessage, 'at'> & {readonly text: string}>;
};

/** Sessions of the chat API, of the person at the terminal, and of people on platforms. @see source/store/rules.ts for their limits */
export type StoredSessions = {
	/**
	 * Durably creates an empty session, and drops the owner's least recently used ones if it has too many.
	 *
	 * @throws SvcError `journal_unavailable`
	 */
	begin(session: Omit<ChatSession, 'messages' | 'bytes' | 'usedAt' | 'title'>): Promise<void>;
	/**
	 * Durably adds a turn completely or not at all; a turn whose run was added before changes nothing. `undefined` when the session is gone. `lease`: the lease under which the
	 * turn was made, if any.
	 *
	 * @throws SvcError `session_full` when the session would be too large, `session_busy` when another holder has taken the lease since, `journal_unavailable`
	 */
	append(id: string, turn: SessionTurn, lease?: LeaseToken): Promise<ChatSession | undefined>;
	/** Durably deletes a session; `false` when there is none. */
	remove(id: string): Promise<boolean>;
	get(id: string): Promise<ChatSession | undefined>;
	/** The messages of a session, oldest first; empty when there is no such session. */
	messages(id: string): Promise<readonly SessionMessage[]>;
	/** Sessions with messages, most recently used first, at most `limit` (1 to 1,000). `before`: the last identifier of the previous page. */
	list(filter: {readonly before?: string; readonly limit: number}): Promise<readonly ChatSession[]>;
	/**
	 * Messages that contain words beginning with each word of `text`, newest first, at most `limit`. Any text is a valid query: everything except words is ignored, and without
	 * a word nothing is found.
	 */
	search(text: string, limit: number): Promise<readonly SessionMatch[]>;
};

/** The run of a turn; `undefined` if it has none. */
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

/** Another gateway may have continued the session meanwhile. */
export const sessionTaken = (id: string): SvcError =>
	new SvcError(
		'session_busy',
		`Cannot add the turn to session "${id}": another gateway may have gone on with it, as this one could not keep its place`,
	);

/** Checks the size that a session would have. @throws SvcError `session_full` when it is too large */
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
