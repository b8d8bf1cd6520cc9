// @module-tag slow
import {afterAll, describe, expect, test, vi} from 'vitest';
import {systemClock as clock} from '../../source/core/clock.ts';
import {createDatabase} from '../../source/store/postgres/database.ts';
import {openPostgresStore} from '../../source/store/postgres/open-postgres-store.ts';
import type {StoreNote} from '../../source/store/shared-port.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {brokenTables, keepWarnings, listOthers} from './broken-lists.ts';
import {acceptRun, logPlan, sampleEntry} from './samples.ts';

const {id: _, ...newCall} = makeToolApproval();

// What a newer member, another program or a person may have written: one row of it takes none of its neighbours down.
describe.runIf(hasPostgres)('rows that cannot be read', async () => {
	const server = await (hasPostgres ? startPostgres() : undefined);
	afterAll(() => server?.[Symbol.asyncDispose]());
	let made = 0;

	const open = async () => {
		made += 1;
		const stack = new AsyncDisposableStack();
		const url = (await server?.create(`broken_${made}`)) ?? '';
		const {log, warnings} = keepWarnings();
		const join = async (place: string) =>
			stack.use(await openPostgresStore({clock, log}, {url, node: place, place, location: place}));
		const store = await join('east');
		const database = createDatabase({clock}, {url});
		stack.defer(() => database.close());
		return {
			store,
			join,
			database,
			warnings,
			[Symbol.asyncDispose]: async () => stack.disposeAsync(),
		};
	};

	test('a lane that is no lane stops no run of others', async () => {
		await using home = await open();
		const broken = await acceptRun(home.store, sampleEntry({route: 'one'}));
		const sound = await acceptRun(home.store, sampleEntry({route: 'two'}));
		await home.database.run(`update run set lane = '{' where id = $1`, [broken]);
		const leases = await home.store.runs.lease(9, 30_000);
		expect(leases.map(({run}) => run.id)).toEqual([broken, sound]);
	});

	test('a run that cannot be read has failed, and those that were leased with it are worked on', async () => {
		await using home = await open();
		const broken = await acceptRun(home.store, sampleEntry({}, {plan: logPlan}));
		const sound = await acceptRun(home.store, sampleEntry({}, {plan: logPlan}));
		await home.database.run(
			`update delivery set plan = '{' where id = (select delivery from run where id = $1)`,
			[broken],
		);
		const leases = await home.store.runs.lease(9, 30_000);
		expect(leases.map(({run}) => run.id)).toEqual([sound]);
		expect(await home.store.runs.view(broken)).toMatchObject({
			state: 'failed',
			error: expect.stringContaining('Cannot read the row'),
		});
	});

	test('lists have all others, and the log names the row', async () => {
		await using home = await open();
		const {store, database, warnings} = home;
		const change = async (sql: string) => database.run(sql);
		expect(await listOthers(store, {change, warnings})).toEqual(brokenTables);
	});

	test('documents, members, requests and rules: the others are there, and a request that cannot be read waits no more', async () => {
		await using home = await open();
		const {store, database} = home;
		await store.documents?.put({kind: 'job', profile: 'default', name: 'sound', data: {a: 1}});
		await database.run(
			`insert into document values ('job', 'default', 'broken', nextval('document_version'), '{')`,
		);
		expect(await store.documents?.list('job')).toMatchObject([{name: 'sound'}]);
		expect(await store.documents?.changedSince(0)).toMatchObject([{name: 'sound'}]);

		await database.run(
			`insert into member (owner, node, place, location, slot, since, seen, data) values ('x', 'x', 'x', 'x', 20, 0, $1, '{')`,
			[Date.now()],
		);
		const members = await store.cluster.members();
		expect(members.map(({node, data}) => ({node, data}))).toContainEqual({node: 'x', data: null});

		const own = await store.approvals.add(newCall);
		await database.run(
			`insert into approval (owner, profile, data) values (null, 'default', '{'), (null, 'default', '{"kind":"tool"}')`,
		);
		await database.run(`insert into approval_rule (owner, data) values (null, '{')`);
		expect(await store.approvals.rules()).toEqual([]);
		expect((await store.takeOver()).denied).toEqual([]);
		expect(await database.query('select id from approval where settled_at is null')).toEqual([
			{id: own},
		]);
	});

	test('notes: those behind one that cannot be read, or that a listener fails of, are told', async () => {
		await using home = await open();
		const west = await home.join('west');
		const heard: StoreNote[] = [];
		west.events.subscribe(note => {
			if (note.kind === 'events') {
				throw new TypeError('what a newer member tells');
			}

			heard.push(note);
		});
		const now = Date.now();
		for (const data of ['{', 'null', '{"kind":"events","events":null}']) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await home.database.run('insert into note (at, owner, data) values ($1, $2, $3)', [
				now,
				'other',
				data,
			]);
		}

		home.store.events.publish({kind: 'run-cancelled', run: 7});
		await vi.waitFor(() => {
			expect(heard).toContainEqual({kind: 'run-cancelled', run: 7});
		});
	});

	test('a database that takes no writes is failing until one succeeds, whatever is read', async () => {
		await using home = await open();
		const {store, database} = home;
		await database.run("alter database broken_6 set default_transaction_read_only = 'on'");
		await database.query(
			'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
		);
		await vi.waitFor(async () => {
			await expect(store.memos.put('kind', 'name', 1)).rejects.toMatchObject({
				message: expect.stringContaining('takes no writes'),
			});
		});
		expect(await store.memos.get('kind', 'name')).toBeUndefined();
		expect(await store.health()).toMatchObject({failing: expect.stringContaining('no writes')});
	});
});
