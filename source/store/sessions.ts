import type {DatabaseSync, StatementSync} from 'node:sqlite';
import {
	sessionOwnerId,
	sessionOwnerOf,
	type ChatSession,
	type SessionMatch,
	type SessionMessage,
} from '../core/session.ts';
import {escapeLine, escapeBlock} from '../core/untrusted.ts';
import {type OnBroken, readRows} from './broken-rows.ts';
import {integerOf, type Row, jsonOf, nullableInteger, optional, textOf, pageOf} from './columns.ts';
import type {Engine} from './engine.ts';
import type {StoreParts} from './parts.ts';
import type {RetentionStep} from './retention.ts';
import {emptySessionMs, maxBytesOfOwner, maxSessionBytes, maxSessionsOfOwner} from './rules.ts';
import {type StoredSessions, answeredBy, sessionTaken, withTurn} from './session-port.ts';

/** `StoredSessions` on SQLite. */
export function createStoredSessions({
	database,
	engine,
	commit,
	isLast,
	onBroken,
}: StoreParts): StoredSessions {
	const insert = database.prepare(
		'insert into session (id, owner, used_at, data) values (?, ?, ?, ?)',
	);
	const one = database.prepare(
		'select seq, owner, id, used_at, messages, bytes, data from session where id = ?',
	);
	const update = database.prepare(
		'update session set used_at = max(used_at, ?2), messages = ?3, bytes = ?4, data = ?5 where seq = ?1',
	);
	const add = database.prepare(
		'insert into session_message (session, at, run, text, data) values (?, ?, ?, ?, ?)',
	);
	const ofRun = database.prepare(
		'select 1 from session_message where session = ? and run = ? limit 1',
	);
	const ofOwner = database.prepare(
		'select seq, bytes from session where owner = ? order by used_at desc, seq desc',
	);
	const drop = createSessionDeletion(database);

	/** Keeps the most recently used session of an owner, whatever its size. */
	const trim = (owner: string) => {
		let bytes = 0;
		for (const [index, row] of ofOwner.all(owner).entries()) {
			bytes += integerOf(row['bytes']);
			if (index > 0 && (index >= maxSessionsOfOwner || bytes > maxBytesOfOwner)) {
				drop(integerOf(row['seq']));
			}
		}
	};

	return {
		...createSessionReader(engine),
		search: createSessionSearch(database, onBroken),
		async begin({id, ...session}) {
			await commit.write(() => {
				const owner = sessionOwnerId(sessionOwnerOf(session));
				insert.run(id, owner, session.createdAt, JSON.stringify({...session, title: ''}));
				trim(owner);
			});
		},
		append: async (id, turn, lease) =>
			commit.write(() => {
				if (lease && !isLast(lease)) {
					throw sessionTaken(id);
				}

				const row = one.get(id);
				if (!row) {
					return undefined;
				}

				const answered = answeredBy(turn);
				if (answered !== undefined && ofRun.get(row['seq'] ?? null, answered)) {
					return sessionOfRow(row);
				}

				const {session, data, texts} = withTurn(sessionOfRow(row), turn);
				const seq = integerOf(row['seq']);
				for (const [index, {text, run}] of turn.messages.entries()) {
					add.run(seq, turn.at, run ?? null, text, texts[index] ?? '');
				}

				update.run(seq, turn.at, session.messages, session.bytes, data);
				trim(sessionOwnerId(sessionOwnerOf(session)));
				return session;
			}),
		remove: async id =>
			commit.write(() => {
				const row = one.get(id);
				if (row) {
					drop(integerOf(row['seq']));
				}

				return row !== undefined;
			}),
	};
}

function createSessionDeletion(database: DatabaseSync): (seq: number) => void {
	const dropMessages = database.prepare('delete from session_message where session = ?');
	const dropSession = database.prepare('delete from session where seq = ?');
	return seq => {
		dropMessages.run(seq);
		dropSession.run(seq);
	};
}

/** Deletes one session per slice: first those that are too old or above the total size, least recently used first, then those that stayed empty for a day. */
export function createSessionRetention({
	database,
	clock,
}: Pick<StoreParts, 'clock' | 'database'>): RetentionStep {
	const oldest = database.prepare(
		'select seq, used_at from session indexed by session_used order by used_at, seq limit 1',
	);
	const empty = database.prepare(
		'select seq from session where messages = 0 and used_at < ? limit 1',
	);
	const sum = database.prepare('select total(bytes) as bytes from session indexed by session_used');
	const drop = createSessionDeletion(database);
	const goes = (rowMs: number): Row | undefined => {
		const row = oldest.get();
		const isTooOld = row && clock.now() - integerOf(row['used_at']) > rowMs;
		return isTooOld || integerOf(sum.get()?.['bytes']) > maxSessionBytes
			? row
			: empty.get(clock.now() - emptySessionMs);
	};

	return ({rowMs}) => {
		const row = goes(rowMs);
		if (row) {
			drop(integerOf(row['seq']));
		}

		return {went: row ? 1 : 0, last: 0, more: row !== undefined};
	};
}

const maxWords = 16;
/** Maximum length of a word that is compared. */
export const maxWordLength = 64;
/** Number of words in an excerpt. */
export const excerptWords = 24;
const maxExcerpt = 400;

/** Columns of a session. */
export const sessionColumns = 'session.id, used_at, messages, bytes, session.data';

/** Reads sessions; needs no write access. */
export function createSessionReader({
	prepare,
	onBroken,
	indexedBy,
}: Engine): Pick<StoredSessions, 'get' | 'messages' | 'list'> {
	const one = prepare(`select ${sessionColumns} from session where id = $1`);
	const messages = prepare(
		'select id, at, run, data from session_message where session = (select seq from session where id = $1) order by id',
	);
	const list = prepare(
		`select ${sessionColumns} from session ${indexedBy('session_used')}
		where (used_at, seq) < (cast($1 as bigint), cast($2 as bigint)) and messages > 0 order by used_at desc, seq desc limit $3`,
	);
	const places = prepare('select used_at, seq from session where id = $1');

	return {
		async get(id) {
			const [row] = await one(id);
			return row && sessionOfRow(row);
		},
		messages: async id =>
			readRows(await messages(id), messageOfRow, {table: 'session_message', onBroken}),
		async list({before, limit}) {
			const [last] = before === undefined ? [] : await places(before);
			const place = (name: string) => (last ? integerOf(last[name]) : Number.MAX_SAFE_INTEGER);
			const rows = await list(place('used_at'), place('seq'), pageOf(limit));
			return readRows(rows, sessionOfRow, {table: 'session', onBroken});
		},
	};
}

/** Searches the messages of sessions; needs no write access. */
export function createSessionSearch(
	database: DatabaseSync,
	onBroken: OnBroken,
): StoredSessions['search'] {
	/** Prepared for the first search: SQLite then reads the index's vocabulary. */
	let found: StatementSync | undefined;
	return async (text, limit) => {
		const question = wordsOf(text);
		if (question === '') {
			return [];
		}

		found ??= database.prepare(
			`select ${sessionColumns}, at, iif(json_valid(session_message.data), session_message.data ->> 'role', '') as role, snippet(session_text, 0, '', '', '…', ${excerptWords}) as excerpt
			from session_text
			join session_message on session_message.id = session_text.rowid
			join session on session.seq = session_message.session
			where session_text match ? order by session_text.rowid desc limit ?`,
		);
		return readRows(found.all(question, pageOf(limit)), matchOfRow, {table: 'session', onBroken});
	};
}

/** The query for the index: each word is quoted, so that no character in it has a special meaning. */
const wordsOf = (text: string): string =>
	searchWords(text)
		.map(({word, isWhole}) => `"${word}"${isWhole ? '' : '*'}`)
		.join(' ');

/** The words that a query asks for. A single letter must match as a whole word: half of all words begin with it. */
export const searchWords = (
	text: string,
): ReadonlyArray<{readonly word: string; readonly isWhole: boolean}> =>
	(text.normalize('NFC').match(wordPattern) ?? [])
		.filter(word => hasSubstance.test(word))
		.slice(0, maxWords)
		.map(word => ({word: word.slice(0, maxWordLength), isWhole: word.length === 1}));

/** A word, as SQLite's index splits them; marks alone are not a word. */
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

/** Converts the row of a session with `at`, `role` and `excerpt` of a matching message. */
export const matchOfRow = (row: Row): SessionMatch => ({
	session: sessionOfRow(row),
	at: integerOf(row['at']),
	role: escapeLine(textOf(row['role']), 40),
	excerpt: escapeBlock(textOf(row['excerpt']), {maxLength: maxExcerpt, maxLines: 8}),
});

const messageOfRow = (row: Row): SessionMessage => ({
	at: integerOf(row['at']),
	message: jsonOf<SessionMessage['message']>(row['data']),
	...optional('run', nullableInteger(row['run'])),
});
