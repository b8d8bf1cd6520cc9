import type {DatabaseSync, StatementSync} from 'node:sqlite';
import type {ChatSession, SessionMatch, SessionMessage} from '../core/session.ts';
import {escapeLine, escapeBlock} from '../core/untrusted.ts';
import {integerOf, jsonOf, nullableInteger, optional, type Row, textOf} from './columns.ts';
import {pageOf} from './newest-first.ts';
import type {StoredSessions} from './session-port.ts';

const maxWords = 16;
/** Of a word, so much is compared. */
export const maxWordLength = 64;
/** Words of an excerpt. */
export const excerptWords = 24;
const maxExcerpt = 400;

/** Reads sessions; needs no write access. */
export function createSessionReader(
	database: DatabaseSync,
): Pick<StoredSessions, 'get' | 'messages' | 'list' | 'search'> {
	const columns = 'session.id, used_at, messages, bytes, session.data';
	const one = database.prepare(`select ${columns} from session where id = ?`);
	const messages = database.prepare(
		`select at, run, session_message.data from session_message
		where session = (select seq from session where id = ?) order by id`,
	);
	const list = database.prepare(
		`select ${columns} from session indexed by session_used
		where (used_at, seq) < (?, ?) and messages > 0 order by used_at desc, seq desc limit ?`,
	);
	const place = database.prepare('select used_at, seq from session where id = ?');
	/** Prepared with the first search: SQLite reads the words of the index for it. */
	let found: StatementSync | undefined;

	return {
		async get(id) {
			const row = one.get(id);
			return row && sessionOfRow(row);
		},
		messages: async id => messages.all(id).map(messageOfRow),
		async list({before, limit}) {
			const last = before === undefined ? undefined : place.get(before);
			const [usedAt, seq] = [last?.['used_at'], last?.['seq']].map(value =>
				value === undefined ? Number.MAX_SAFE_INTEGER : integerOf(value),
			);
			return list.all(usedAt ?? 0, seq ?? 0, pageOf(limit)).map(sessionOfRow);
		},
		async search(text, limit) {
			const question = wordsOf(text);
			if (question === '') {
				return [];
			}

			found ??= database.prepare(
				`select ${columns}, at, session_message.data ->> 'role' as role, snippet(session_text, 0, '', '', '…', ${excerptWords}) as excerpt
				from session_text
				join session_message on session_message.id = session_text.rowid
				join session on session.seq = session_message.session
				where session_text match ? order by session_text.rowid desc limit ?`,
			);
			return found.all(question, pageOf(limit)).map(matchOfRow);
		},
	};
}

/** A question to the index: each word as a text, so that no sign in it means anything. */
const wordsOf = (text: string): string =>
	askedWords(text)
		.map(({word, isWhole}) => `"${word}"${isWhole ? '' : '*'}`)
		.join(' ');

/** The words that a question asks for. A single letter stands for itself: half of all words begin with it. */
export const askedWords = (
	text: string,
): ReadonlyArray<{readonly word: string; readonly isWhole: boolean}> =>
	(text.normalize('NFC').match(wordPattern) ?? [])
		.filter(word => hasSubstance.test(word))
		.slice(0, maxWords)
		.map(word => ({word: word.slice(0, maxWordLength), isWhole: word.length === 1}));

/** A word, as the index of SQLite tells words apart; marks alone are none. */
export const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
export const hasSubstance = /[\p{L}\p{N}\p{Co}]/u;

export function sessionOfRow(row: Row): ChatSession {
	const kept = jsonOf<Pick<ChatSession, 'key' | 'origin' | 'model' | 'title' | 'createdAt'>>(
		row['data'],
	);
	return {
		id: textOf(row['id']),
		...kept,
		usedAt: integerOf(row['used_at']),
		messages: integerOf(row['messages']),
		bytes: integerOf(row['bytes']),
	};
}

/** A match from the row of its session, with `at`, `role` and `excerpt` of the message. */
export const matchOfRow = (row: Row): SessionMatch => ({
	session: sessionOfRow(row),
	at: integerOf(row['at']),
	role: escapeLine(textOf(row['role']), 40),
	excerpt: escapeBlock(textOf(row['excerpt']), {maxLength: maxExcerpt, maxLines: 8}),
});

export const messageOfRow = (row: Row): SessionMessage => ({
	at: integerOf(row['at']),
	message: jsonOf<SessionMessage['message']>(row['data']),
	...optional('run', nullableInteger(row['run'])),
});
