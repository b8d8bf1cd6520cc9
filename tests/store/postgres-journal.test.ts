// @module-tag slow
import * as fc from 'fast-check';
import {Client} from 'pg';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {parseFilter} from '../../source/core/filter/filter.ts';
import {runVocabulary} from '../../source/core/filter/vocabularies.ts';
import {idOfNumber} from '../../source/core/ids.ts';
import {runStates} from '../../source/core/run.ts';
import {createDatabase, type Database} from '../../source/store/postgres/database.ts';
import {createHistory} from '../../source/store/postgres/history.ts';
import {createJournal} from '../../source/store/postgres/journal.ts';
import {createNamedLeases} from '../../source/store/postgres/named-leases.ts';
import {openPostgresReader} from '../../source/store/postgres/postgres-reader.ts';
import {migrate} from '../../source/store/postgres/schema.ts';
import {maxSessionBytes} from '../../source/store/rules.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {dayMs, startMs} from './samples.ts';

const hourMs = 3_600_000;
const forever = {bodyMs: 30 * dayMs, bodyBytes: 2 ** 40, rowMs: 30 * dayMs};
const deferred = {async flush() {}};

/** So many deliveries, a second apart, with a body of 100 bytes, and a run that is done. */
const fill = (count: number) => `insert into delivery (
		id, profile, route, event, delivery_id, id_source, status, outcome, received_at, duration_ms, body_bytes, flags, run, subject, trace, headers, body
	) select (${startMs} + i * 1000::bigint) * 2048, 'default', 'route-' || i % 9, 'push', md5(i::text), 'x', 202, 'accepted', ${startMs} + i * 1000::bigint, 1, 100, 0, i, 'Number ' || i,
		'[{"step":"signature","verdict":"pass","detail":"ok","subject":"Number ' || i || '"}]', '{}', convert_to(repeat('x', 100), 'UTF8')
	from generate_series(1, ${count}) as i;
	insert into run (id, delivery, profile, route, target, state, created_at, finished_at, lane)
	select i, (${startMs} + i * 1000::bigint) * 2048, 'default', 'route-' || i % 9, 'log', 'done', ${startMs} + i * 1000::bigint, ${startMs} + i * 1000::bigint, 'x' from generate_series(1, ${count}) as i`;

describe.skipIf(!hasPostgres)('the journal on PostgreSQL', async () => {
	const server = hasPostgres ? await startPostgres() : undefined;
	let database: Database;
	let client: Client;
	const clock = createFakeClock(startMs);
	/** A day after the first delivery. */
	const time = () => startMs + dayMs;

	beforeAll(async () => {
		const url = (await server?.create('journal')) ?? '';
		database = createDatabase({clock: systemClock, time}, {url});
		await migrate(database);
		client = new Client({connectionString: url});
		await client.connect();
	});

	afterAll(async () => {
		await client.end();
		await database.close();
		await server?.[Symbol.asyncDispose]();
	});

	const empty = async () =>
		client.query('delete from delivery; delete from run; delete from session; delete from counter');

	const search = async (noun: 'deliveries' | 'runs', filter: string) => {
		const history = createHistory({database, clock, deferred});
		const items = [];
		let before: number | undefined;
		do {
			// oxlint-disable-next-line no-await-in-loop -- each step says where the next one begins
			const step = await history.search(noun, {
				filter,
				now: startMs,
				limit: 1000,
				...(before !== undefined && {before}),
			});
			items.push(...step.items);
			before = step.searchedTo;
		} while (before !== undefined);
		return items;
	};

	test('a search for a rare word reads an index and no rows', async () => {
		await empty();
		await client.query(fill(5000));
		await client.query('vacuum (analyze) delivery');
		const seen: string[] = [];
		const spying: Database = {
			...database,
			transact: async work =>
				database.transact(async transaction =>
					work({
						...transaction,
						async query(text, values = []) {
							const plan = await transaction.query(`explain (format text) ${text}`, values);
							seen.push(plan.map(row => String(row['QUERY PLAN'])).join('\n'));
							return transaction.query(text, values);
						},
					}),
				),
		};
		const history = createHistory({database: spying, clock, deferred});
		const question = {filter: 'status:202 "number 77" route:route-5', now: startMs, limit: 1000};
		const {items} = await history.search('deliveries', question);
		expect(items.map(({subject}) => subject)).toEqual(['Number 779', 'Number 770', 'Number 77']);
		expect(seen[0]).toContain('Index Only Scan Backward using delivery_pkey');
		expect(seen.join('\n')).not.toContain('Seq Scan on delivery');
	});

	test('a word behind what is kept of a long reason is found', async () => {
		await empty();
		const reason = `${'x'.repeat(600)} Kelvin ${'y'.repeat(600)}`;
		await client.query(
			`insert into delivery (id, profile, route, event, delivery_id, id_source, status, outcome, received_at, duration_ms, body_bytes, flags, trace, headers)
			values (7, 'default', 'a', 'push', 'd', 'x', 401, 'signature', ${startMs}, 1, 0, 0, $1, '{}')`,
			[JSON.stringify([{step: 'signature', verdict: 'stop', detail: reason}])],
		);
		expect(await search('deliveries', 'kelvin')).toMatchObject([{id: '7'}]);
		expect(await search('deliveries', 'kelvins')).toEqual([]);
	});

	test('free words of runs are answered as the filter answers about the runs', async () => {
		const text = fc.constantFrom(
			null,
			'Fix "it"',
			'TÜR',
			'now\u{202E}',
			'a_b%c',
			'Kilo',
			'back\\slash',
		);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.record({event: text, subject: text, error: text, job: text, name: text}), {
					minLength: 1,
					maxLength: 8,
				}),
				fc.array(
					fc.constantFrom(
						'fix',
						'"it"',
						'tür',
						'r ',
						'u{202',
						'a_b',
						'-a_b',
						'%c',
						'kilo',
						'e\\s',
						'#1',
						'state:d*',
						'target:l_g',
					),
					{minLength: 1, maxLength: 4},
				),
				async (made, words) => {
					await empty();
					for (const [index, {event, subject, error, job, name}] of made.entries()) {
						// oxlint-disable-next-line no-await-in-loop -- one connection
						await client.query(
							`with one as (insert into delivery (id, profile, route, event, delivery_id, id_source, status, outcome, received_at, duration_ms, body_bytes, flags, subject, trace, headers)
								values ($1::bigint, 'default', 'a', coalesce($2, '-'), 'd', 'x', 202, 'accepted', 0, 1, 0, 0, $3, '[]', '{}'))
							insert into run (id, delivery, profile, route, target, state, created_at, lane, error, job, job_name)
							values ($1::bigint, $1::bigint, 'default', 'a', 'log', $4, 0, 'x', $5, $6, case when $6::text is null then null else coalesce($7, 'name') end)`,
							[index + 1, event, subject, runStates[index % runStates.length], error, job, name],
						);
					}

					const all = await search('runs', '');
					expect(all).toHaveLength(made.length);
					for (const word of words) {
						const {matches} = parseFilter(word, runVocabulary);
						// oxlint-disable-next-line no-await-in-loop
						expect({word, found: await search('runs', word)}).toEqual({
							word,
							// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- they are runs
							found: all.filter(run => matches(run as never, startMs)),
						});
					}
				},
			),
			{numRuns: propertyRuns(40)},
		);
	});

	test('deliveries, runs and bytes are counted whoever writes them, also while several do and the retention clears them', async () => {
		await empty();
		const others = await Promise.all(
			[0, 1, 2].map(async () => {
				const other = new Client({connectionString: server?.urlOf('journal')});
				await other.connect();
				return other;
			}),
		);
		const journal = createJournal({database, deferred});
		await client.query(fill(500));
		const [purged] = await Promise.all([
			journal.purge({...forever, bodyBytes: 10_000}),
			...others.map(async (other, index) => {
				for (let count = 0; count < 10; count += 1) {
					// oxlint-disable-next-line no-await-in-loop -- one connection
					await other.query(
						`insert into delivery (id, profile, route, event, delivery_id, id_source, status, outcome, received_at, duration_ms, body_bytes, flags, trace, headers)
						values (${startMs} * 2048 * 2 + ${index * 100 + count}, 'p', 'r', 'e', 'd', 'x', 202, 'accepted', ${startMs}, 1, 0, 0, '[]', '{}')`,
					);
				}
			}),
		]);
		await Promise.all(others.map(async other => other.end()));
		expect(purged.bodies).toBe(400);
		expect(await journal.count()).toBe(530);
		const {rows} = await client.query(
			'select sum(deliveries)::integer as deliveries, sum(runs)::integer as runs, sum(body_bytes)::integer as bytes from counter',
		);
		expect(rows).toEqual([{deliveries: 530, runs: 500, bytes: 10_000}]);
	});

	test('leases that nobody holds, windows and paces that are over do not stay', async () => {
		const lease = await createNamedLeases({database, owner: 'one'})('session 1').take(30_000);
		await lease?.release();
		const now = time();
		await client.query(`insert into named_lease values ('old', 'gone', 1, ${now - hourMs}), ('young', 'gone', 1, ${now - hourMs + 1});
			insert into rate_window values ('p', 'old', ${now - 60_000}, 1, 1, 1), ('p', 'young', ${now - 59_999}, 1, 1, 1);
			insert into pace values ('p', 'old', ${now - hourMs}, '[]'), ('p', 'young', ${now - hourMs + 1}, '[]')`);
		await createJournal({database, deferred}).purge(forever);
		const {rows} = await client.query(
			'select name from named_lease union all select route from rate_window union all select route from pace',
		);
		expect(rows).toEqual([{name: 'young'}, {name: 'young'}, {name: 'young'}]);
	});

	test('of more sessions than all together may be, the retention takes those that were used longest ago, and no more', async () => {
		await empty();
		for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) {
			// oxlint-disable-next-line no-await-in-loop -- one connection
			await client.query(
				"insert into session (id, owner, used_at, messages, bytes, data) values ($1, '', $2, 1, $3, '{}')",
				[id, startMs + index, maxSessionBytes / 2],
			);
		}

		const journal = createJournal({database, deferred});
		const purged = await journal.purge(forever);
		const {rows} = await client.query('select id from session order by used_at');
		expect({purged, rows}).toEqual({purged: {bodies: 0, rows: 2}, rows: [{id: 'c'}, {id: 'd'}]});
	});

	test('one who only looks sees what is there, and leaves an empty database empty', async () => {
		await empty();
		await client.query(fill(3));
		await using reader = await openPostgresReader({clock}, {url: server?.urlOf('journal') ?? ''});
		const newest = idOfNumber((startMs + 3000) * 2048);
		expect(await reader.journal.list({limit: 1})).toMatchObject([{id: newest, work: 'done'}]);
		expect(await reader.journal.get(newest.slice(-5))).toMatchObject({id: newest, bodyBytes: 100});

		const url = (await server?.create('unfilled')) ?? '';
		await using nothing = await openPostgresReader({clock}, {url});
		expect(await nothing.journal.list({limit: 1})).toEqual([]);
		const looking = new Client({connectionString: url});
		await looking.connect();
		const {rows} = await looking.query("select 1 from pg_tables where schemaname = 'public'");
		expect(rows).toEqual([]);
		await looking.end();
	});
});
