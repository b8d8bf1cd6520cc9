import type {DatabaseSync} from 'node:sqlite';
import {sessionOwnerId, sessionOwnerOf} from '../core/session.ts';
import {integerOf, type Row} from './columns.ts';
import type {StoreParts} from './parts.ts';
import type {RetentionStep} from './retention.ts';
import {emptySessionMs, maxBytesOfOwner, maxSessionBytes, maxSessionsOfOwner} from './rules.ts';
import type {StoredSessions} from './session-port.ts';
import {createSessionReader, sessionOfRow} from './session-reader.ts';
import {answeredBy, withTurn} from './session-room.ts';

/** `StoredSessions` on SQLite. */
export function createStoredSessions({
	database,
	commit,
}: Pick<StoreParts, 'commit' | 'database'>): StoredSessions {
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

	/** What was used last stays, whatever its size. */
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
		...createSessionReader(database),
		async begin({id, ...session}) {
			await commit.write(() => {
				const owner = sessionOwnerId(sessionOwnerOf(session));
				insert.run(id, owner, session.createdAt, JSON.stringify({...session, title: ''}));
				trim(owner);
			});
		},
		append: async (id, turn) =>
			commit.write(() => {
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

/** One session a slice: those that are too old or above the total, used longest ago first, and those in which nobody said anything for a day. */
export function createSessionRetention(database: DatabaseSync, now: () => number): RetentionStep {
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
		const isTooOld = row && now() - integerOf(row['used_at']) > rowMs;
		return isTooOld || integerOf(sum.get()?.['bytes']) > maxSessionBytes
			? row
			: empty.get(now() - emptySessionMs);
	};

	return ({rowMs}) => {
		const row = goes(rowMs);
		if (row) {
			drop(integerOf(row['seq']));
		}

		return {went: row ? 1 : 0, last: 0, more: row !== undefined};
	};
}
