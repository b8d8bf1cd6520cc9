import {countOf} from '../../core/counted.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
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
import type {Table} from '../console/print-table.ts';

const ownerOf = (session: ChatSession): string => sessionOwnerWords(sessionOwnerOf(session));

export const sessionTable = (sessions: readonly ChatSession[]): Table => ({
	header: ['SESSION', 'OF', 'MODEL', 'MESSAGES', 'LAST', 'BEGINS'],
	rows: sessions.map(session => [
		session.id,
		ownerOf(session),
		session.model,
		String(session.messages),
		printableTime(session.usedAt),
		session.title,
	]),
	empty:
		'No chat sessions: a request with the header "x-svc-session: new" begins one, and so does pane 0 Chat of the interface',
	whole: ['SESSION'],
	optional: ['MODEL', 'OF', 'MESSAGES', 'LAST'],
});

export const matchTable = (matches: readonly SessionMatch[]): Table => ({
	header: ['SESSION', 'OF', 'WHEN', 'WHO'],
	rows: matches.map(({session, at, role}) => [
		session.id,
		ownerOf(session),
		printableTime(at),
		role,
	]),
	below: matches.map(({excerpt}) => excerpt),
	empty: 'Nothing in the chat sessions has all of these words',
	whole: ['SESSION'],
	optional: ['OF', 'WHEN'],
});

/** A session in lines: whose it is, and what was said. */
export const describeSession = (session: StoredSession): readonly string[] => [
	`${session.id}  ${ownerOf(session)}  ${session.model}`,
	`begun ${printableTime(session.createdAt)}, last used ${printableTime(session.usedAt)}, ${countOf(session.messages, 'message')}`,
	...session.conversation.flatMap(describeMessage),
];

function describeMessage({at, message, run}: SessionMessage): readonly string[] {
	const {role} = message;
	const said = [
		...messageText(message).split('\n'),
		...objectsOf(message['tool_calls']).map(({function: called}) =>
			isJsonObject(called)
				? `calls ${wordOf(called['name'])} ${wordOf(called['arguments'])}`
				: 'calls',
		),
	];
	return [
		'',
		`${typeof role === 'string' ? role : '?'}  ${printableTime(at)}${run === undefined ? '' : `  run #${run} (svc runs show ${run})`}`,
		...said.filter((line, index) => index > 0 || line !== '').map(line => `  ${line}`),
	];
}

const wordOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const objectsOf = (value: JsonValue | undefined): readonly JsonObject[] =>
	Array.isArray(value) ? value.filter(isJsonObject) : [];
