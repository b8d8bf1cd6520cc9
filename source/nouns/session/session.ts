import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {countOf} from '../../core/names.ts';
import {
	messageText,
	sessionOwnerOf,
	sessionOwnerWords,
	type ChatSession,
	type SessionMatch,
	type SessionMessage,
	type StoredSession,
} from '../../core/session.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Act} from '../act.ts';
import {column, type Fact, type Noun} from '../noun.ts';

/** A stored conversation, with its messages if they were read. */
type Session = ChatSession & Partial<Pick<StoredSession, 'conversation'>>;

const ownerOf = (session: ChatSession): string => sessionOwnerWords(sessionOwnerOf(session));

/** A conversation of the chat API, of the person at the terminal, or of a chat on a platform. @see manual/chat-api.md#sessions */
export const sessionNoun: Omit<Noun<Session>, 'vocabulary'> = {
	one: 'session',
	many: 'sessions',
	argument: 'session',
	missing: 'session_not_found',
	id: ({id}) => id,
	name: ({title}) => `session "${title}"`,
	columns: [
		column('session', 0, ({id}) => id),
		column('of', 0, ownerOf),
		column('model', 0, ({model}) => model),
		column('messages', 0, ({messages}) => String(messages)),
		column('last', 0, ({usedAt}) => printableTime(usedAt)),
		column('begins', 0, ({title}) => title),
	],
	printed: {
		columns: ['session', 'of', 'model', 'messages', 'last', 'begins'],
		whole: ['session'],
		optional: ['model', 'of', 'messages', 'last'],
		empty:
			'No chat sessions: a request with the header "x-svc-session: new" begins one, and so does pane 0 Chat of the interface',
	},
	factCells: 5,
	head: session => [{text: session.id}, {text: ownerOf(session)}, {text: session.model}],
	facts: ({createdAt, usedAt, messages, conversation = []}) => [
		{
			name: 'begun',
			value: `${printableTime(createdAt)}, last used ${printableTime(usedAt)}, ${countOf(messages, 'message')}`,
		},
		...conversation.flatMap(messageFacts),
	],
};

/** Messages found by a search for words. */
export const messageNoun: Pick<Noun<SessionMatch>, 'columns' | 'many' | 'note' | 'printed'> = {
	many: 'messages',
	columns: [
		column('session', 0, ({session}) => session.id),
		column('of', 0, ({session}) => ownerOf(session)),
		column('when', 0, ({at}) => printableTime(at)),
		column('who', 0, ({role}) => role),
	],
	note: ({excerpt}) => excerpt,
	printed: {
		columns: ['session', 'of', 'when', 'who'],
		whole: ['session'],
		optional: ['of', 'when'],
		empty: 'Nothing in the chat sessions has all of these words',
	},
};

function messageFacts({at, message, run}: SessionMessage): readonly Fact[] {
	const {role} = message;
	const text = saidText(message);
	return [
		{
			title: `${typeof role === 'string' ? role : '?'}  ${printableTime(at)}${run === undefined ? '' : `  run #${run} (svc runs show ${run})`}`,
		},
		...(text === '' ? [] : [{text}]),
	];
}

/** The text of a message and the calls in it. */
export const saidText = (message: SessionMessage['message']): string =>
	[messageText(message), ...objectsOf(message['tool_calls']).map(callText)]
		.filter(text => text !== '')
		.join('\n');

const callText = ({function: called}: JsonObject): string =>
	isJsonObject(called) ? `calls ${wordOf(called['name'])} ${wordOf(called['arguments'])}` : 'calls';

const wordOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const objectsOf = (value: JsonValue | undefined): readonly JsonObject[] =>
	Array.isArray(value) ? value.filter(isJsonObject) : [];

/** The gateway operations on sessions. */
type SessionPort = {deleteSession(id: string): Promise<boolean>};

/** What can be done with a session. */
export const sessionActs: ReadonlyArray<Act<Session, SessionPort>> = [
	{
		verb: 'delete',
		key: 'ctrl+x',
		label: 'forget it (asks)',
		says: 'delete a session with all its messages',
		ask: ({title, messages}) => ({
			title: 'Forget a conversation',
			lines: [
				`"${title}"`,
				`${messages} messages are gone for good; the runs of its answers stay.`,
			],
			act: 'forget it',
		}),
		async effect(port, id) {
			return (await port.deleteSession(id))
				? {said: `Deleted session ${id}`, json: {id}}
				: undefined;
		},
		gone: 'it does not exist',
	},
];
