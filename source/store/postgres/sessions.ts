import type {JsonObject} from '../../core/json.ts';
import {sessionOwnerId, sessionOwnerOf} from '../../core/session.ts';
import {readRows} from '../broken-rows.ts';
import {integerOf, textOf, pageOf} from '../columns.ts';
import {maxBytesOfOwner, maxSessionsOfOwner} from '../rules.ts';
import {type StoredSessions, answeredBy, sessionTaken, withTurn} from '../session-port.ts';
import {createSessionReader, matchOfRow, sessionColumns, sessionOfRow} from '../sessions.ts';
import {createBatch} from './batch.ts';
import type {Transaction} from './database.ts';
import {isLast} from './named-leases.ts';
import type {PostgresParts} from './parts.ts';
import {searchTermsOf, excerptOf, indexedWords, queryOf} from './search-words.ts';

/** Maximum number of characters of a message in which an excerpt is searched. */
const searchedLength = 50_000;

type NewSession = Parameters<StoredSessions['begin']>[0];

/** `StoredSessions` on PostgreSQL. The lock `sessions` protects the limits of owners: without it, a session in use might be dropped to make room. */
export function createStoredSessions({database}: PostgresParts): StoredSessions {
	const begin = createBatch<NewSession, undefined>(
		async sessions => {
			await database.transact(async transaction => {
				const owners = sessions.map(session => sessionOwnerId(sessionOwnerOf(session)));
				await transaction.run(
					`insert into session (id, owner, used_at, data)
					select id, owner, used_at, data from unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) with ordinality as new (id, owner, used_at, data, place) order by place`,
					[
						sessions.map(({id}) => id),
						owners,
						sessions.map(({createdAt}) => createdAt),
						sessions.map(session => JSON.stringify({...session, id: undefined, title: ''})),
					],
				);
				await trim(transaction, owners);
			}, 'sessions');
			return sessions.map(() => undefined);
		},
		{most: 256, name: database.name},
	);

	return {
		begin,
		append: async (id, turn, lease) =>
			database.transact(async transaction => {
				const {query, run} = transaction;
				if (lease && !(await isLast(transaction, lease))) {
					throw sessionTaken(id);
				}

				const [row] = await query(
					`select seq, ${sessionColumns} from session where id = $1 for update`,
					[id],
				);
				if (!row) {
					return undefined;
				}

				const seq = integerOf(row['seq']);
				const before = sessionOfRow(row);
				const answered = answeredBy(turn);
				if (answered !== undefined) {
					const [there] = await query(
						'select 1 from session_message where session = $1 and run = $2 limit 1',
						[seq, answered],
					);
					if (there) {
						return before;
					}
				}

				const {session, data, texts} = withTurn(before, turn);
				await run(
					`insert into session_message (session, at, run, role, text, data, words)
					select $1, $2, run, role, text, data, words::tsvector
					from unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[]) with ordinality as new (run, role, text, data, words, place) order by place`,
					[
						seq,
						turn.at,
						turn.messages.map(message => message.run ?? null),
						turn.messages.map(({message}) => roleOf(message)),
						turn.messages.map(({text}) => text),
						texts,
						turn.messages.map(({text}) => indexedWords(text)),
					],
				);
				await run(
					'update session set used_at = $2, messages = $3, bytes = $4, data = $5 where seq = $1',
					[seq, session.usedAt, session.messages, session.bytes, data],
				);
				await trim(transaction, [sessionOwnerId(sessionOwnerOf(session))]);
				return session;
			}, 'sessions'),
		remove: async id =>
			database.transact(async ({query, run}) => {
				const [row] = await query('delete from session where id = $1 returning seq', [id]);
				if (row) {
					await run('delete from session_message where session = $1', [integerOf(row['seq'])]);
				}

				return row !== undefined;
			}, 'sessions'),
		...createSessionReader(database),
		search: createSessionSearch(database),
	};
}

/** Keeps the most recently used session of an owner, whatever its size. */
async function trim({query, run}: Transaction, owners: readonly string[]): Promise<void> {
	const rows = await query(
		`delete from session using (
			select seq, row_number() over latest as place, sum(bytes) over latest as bytes from session where owner = any($1)
			window latest as (partition by owner order by used_at desc, seq desc)
		) as ranked
		where session.seq = ranked.seq and place > 1 and (place > ${maxSessionsOfOwner} or ranked.bytes > ${maxBytesOfOwner})
		returning session.seq`,
		[[...new Set(owners)]],
	);
	if (rows.length > 0) {
		await run('delete from session_message where session = any($1::bigint[])', [
			rows.map(row => integerOf(row['seq'])),
		]);
	}
}

/** Searches the messages of sessions. */
export const createSessionSearch =
	({query, onBroken}: PostgresParts['database']): StoredSessions['search'] =>
	async (text, limit) => {
		const asked = searchTermsOf(text);
		if (asked.length === 0) {
			return [];
		}

		const rows = await query(
			`select ${sessionColumns}, message.at, message.role, left(message.text, ${searchedLength}) as text
			from (select * from session_message where words @@ $1::tsquery order by id desc limit $2) as message
			join session on session.seq = message.session order by message.id desc`,
			[queryOf(asked), pageOf(limit)],
		);
		return readRows(
			rows,
			row => matchOfRow({...row, excerpt: excerptOf(textOf(row['text']), asked)}),
			{table: 'session', onBroken},
		);
	};

/** The column `role` of a message. */
const roleOf = ({role}: JsonObject): string => (typeof role === 'string' ? role : '');
