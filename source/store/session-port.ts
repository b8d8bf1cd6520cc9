import {SvcError} from '../core/errors.ts';
import type {ChatSession, SessionMatch, SessionMessage} from '../core/session.ts';
import {maxBytesOfSession, maxMessagesOfSession} from './rules.ts';
import type {LeaseToken} from './shared-port.ts';

/** A complete turn, as it is added to its session. */
export type SessionTurn = {
	readonly at: number;
	/** The public model that answered. */
	readonly model: string;
	/** The title that the session gets if it has none yet. */
	readonly title: string;
	/** `text`: the text of the message, for the search. */
	readonly messages: ReadonlyArray<Omit<SessionMessage, 'at'> & {readonly text: string}>;
};

/** Conversations of the chat API, of the person at the terminal, and of people on platforms. @see source/store/rules.ts for their bounds */
export type StoredSessions = {
	/**
	 * Durably begins one, without a message, and drops those of its owner that were used longest ago where that has more than it may.
	 * @throws SvcError `journal_unavailable`
	 */
	begin(session: Omit<ChatSession, 'messages' | 'bytes' | 'usedAt' | 'title'>): Promise<void>;
	/**
	 * Durably adds a turn, all of it or nothing; one whose run has been added before changes nothing. `undefined` when the session is gone. `lease`: what the turn was made under, if anything.
	 * @throws SvcError `session_full` when it would have more than it may, `session_busy` when another has had the lease since, `journal_unavailable`
	 */
	append(id: string, turn: SessionTurn, lease?: LeaseToken): Promise<ChatSession | undefined>;
	/** Durably forgets one; `false` when there is none. */
	remove(id: string): Promise<boolean>;
	get(id: string): Promise<ChatSession | undefined>;
	/** Its messages, oldest first; empty when there is none. */
	messages(id: string): Promise<readonly SessionMessage[]>;
	/** Those that have messages, last used first, at most `limit` (1 to 1,000). `before`: the identifier of the last one of the page before. */
	list(filter: {readonly before?: string; readonly limit: number}): Promise<readonly ChatSession[]>;
	/** Messages that have all words of `text`, each from its beginning; newest first, at most `limit`. Any text is a valid question: everything but words is ignored, and without a word nothing is found. */
	search(text: string, limit: number): Promise<readonly SessionMatch[]>;
};

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

/** Another gateway may have gone on with a session meanwhile. */
export const sessionTaken = (id: string): SvcError =>
	new SvcError(
		'session_busy',
		`Cannot add the turn to session "${id}": another gateway may have gone on with it, as this one could not keep its place`,
	);

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
