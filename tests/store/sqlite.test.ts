import {
	chmodSync,
	copyFileSync,
	existsSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {describe, expect, test} from 'vitest';
import {silentLogger} from '../../source/core/log.ts';
import {version as programVersion} from '../../source/core/program.ts';
import {schemaVersion} from '../../source/store/migrations.ts';
import {filesOf, openDatabase, openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import type {StoreReader} from '../../source/store/reader-port.ts';
import {openSqliteReader} from '../../source/store/sqlite-reader.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {mountSmallDisk} from '../helpers/small-disk.ts';
import {brokenTables, keepWarnings, listOthers} from './broken-lists.ts';
import {describeStore} from './contract.ts';
import {createJumpingClock} from './jumping-clock.ts';
import {createOlderStore} from './older-stores.ts';
import {
	acceptGrouped,
	acceptRun,
	dayMs,
	fireRun,
	groupedEntry,
	leaseOne,
	sampleAnswer,
	sampleDelivery,
	sampleEntry,
	samplePlan,
	startMs,
	temporaryFolder,
} from './samples.ts';
import {createSqliteHome} from './sqlite-home.ts';

describeStore('SQLite', createSqliteHome);

const clock = createFakeClock(startMs);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the file', () => {
	test('the folder is 0700 and every file 0600, whatever they were', async () => {
		await using home = await createSqliteHome();
		const umask = process.umask(0);
		try {
			for (const mode of [0o600, 0o666]) {
				await using store = await home.open(clock);
				await acceptRun(store, sampleEntry());
				expect(modeOf(dirname(home.file))).toBe('700');
				expect(filesOf(home.file).map(modeOf)).toEqual(['600', '600', '600']);
				expect(modeOf(`${home.file}.reserve`)).toBe('600');
				chmodSync(home.file, mode === 0o600 ? 0o666 : mode);
			}
		} finally {
			process.umask(umask);
		}
	});

	test('a store that is closed leaves one file and the reserve', async () => {
		await using home = await createSqliteHome();
		{
			await using store = await home.open(clock);
			await acceptRun(store);
		}

		expect(filesOf(home.file).map(file => existsSync(file))).toEqual([true, false, false]);
		expect(statSync(`${home.file}.reserve`).size).toBe(4 * 1024 * 1024);
	});

	test('every commit is synced: write-ahead log, synchronous full', () => {
		using folder = temporaryFolder();
		using database = openDatabase(join(folder.path, 'state.db'));
		const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {});
		expect(pragma('journal_mode')).toEqual(['wal']);
		expect(pragma('synchronous')).toEqual([2]);
	});

	test('what is no database is refused by name, and left alone', async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, 'state.db');
		writeFileSync(file, 'these are not the bytes you are looking for\n'.repeat(100));
		const refusal = {
			code: 'store_unreadable',
			message: `Cannot read the store "${file}": the file is not a database: move it away or restore a backup`,
		};

		await expect(openSqliteStore({clock}, {file})).rejects.toMatchObject(refusal);
		await expect(openSqliteReader(file)).rejects.toMatchObject(refusal);
		expect(statSync(file).size).toBe(4400);
	});

	test('a damaged database is refused by name', async () => {
		await using home = await createSqliteHome();
		await (await home.open(clock))[Symbol.asyncDispose]();
		const bytes = readFileSync(home.file);
		writeFileSync(home.file, bytes.fill(0xff, 4096));

		await expect(home.open(clock)).rejects.toMatchObject({
			code: 'store_unreadable',
			message: expect.stringContaining('stop the gateway, move the file away or restore a backup'),
		});
	});

	test('a store of a newer program is refused and not touched', async () => {
		await using home = await createSqliteHome();
		await (await home.open(clock))[Symbol.asyncDispose]();
		{
			using database = new DatabaseSync(home.file);
			database.exec('pragma user_version = 99; create table from_the_future (x)');
		}

		for (const open of [home.open(clock), openSqliteReader(home.file)]) {
			await expect(open).rejects.toMatchObject({
				code: 'store_too_new',
				message: `Cannot open the store "${home.file}": svc ${programVersion} wrote it, with schema 99, and this program knows ${schemaVersion}: upgrade to that version, or restore a backup that this one made ("svc restore")`,
			});
		}
	});

	test.for([1, 2, 3, 4] as const)(
		'a store of version %i is read as it is, and brought forward when it is opened',
		async version => {
			await using home = await createSqliteHome();
			const {deliveries, runs} = createOlderStore(home.file, version);
			const expectSame = async (stored: StoreReader) => {
				const {journal, runs: reader, groups, jobs, approvals, history, sessions} = stored;
				const place = {platform: 'telegram', chat: '1'};
				expect(await stored.conversations.writers()).toEqual([]);
				expect(await stored.conversations.open('default', place)).toEqual([]);
				expect(await stored.conversations.session(place)).toBeUndefined();
				expect(await sessions.list({limit: 9})).toEqual([]);
				expect(await sessions.get('ses_a')).toBeUndefined();
				expect(await sessions.search('any', 9)).toEqual([]);
				const question = {filter: '-route:none', now: startMs, limit: 9};
				expect((await history.search('runs', question)).items).toEqual(runs);
				expect((await history.search('deliveries', question)).items).toMatchObject(deliveries);
				const sums = await history.sum({by: 'route', from: 0});
				expect(sums.rows.reduce((sum, row) => sum + row.runs, 0)).toBe(runs.length);
				expect(await journal.list({limit: 9})).toMatchObject(deliveries);
				expect(await reader.list({limit: 9})).toEqual(runs);
				expect(await reader.get(2)).toMatchObject({
					plan: samplePlan,
					transcript: [{text: 'so far'}],
				});
				expect(await journal.list({runStates: ['done'], limit: 9})).toMatchObject([{runId: 1}]);
				expect(await groups.list({limit: 9})).toEqual([]);
				expect(await groups.get(1)).toBeUndefined();
				expect(await jobs.list()).toEqual([]);
				expect(await approvals.settled({limit: 9})).toEqual([]);
				expect(await approvals.get(1)).toBeUndefined();
				expect(await approvals.rules()).toEqual([]);
			};

			{
				await using reader = await openSqliteReader(home.file);
				await expectSame(reader);
			}

			{
				await using store = await home.open(clock);
				await expectSame(store);
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
				const full = [{profile: 'work', route: 'gitlab', most: 0}];
				expect(await store.runs.lease(9, 1000, full)).toEqual([]);
				const [lease] = await store.runs.lease(9, 1000);
				expect(lease).toMatchObject({run: {id: 2, delivery: deliveries[0]?.id, plan: samplePlan}});
				expect(await acceptRun(store)).toBe(3);
			}

			await using reader = await openSqliteReader(home.file);
			expect(await reader.runs.list({limit: 9})).toHaveLength(3);
		},
	);

	test.each([13, 14])(
		'a store of version %i, which knows no runs that were dropped, is read as it is and brought forward',
		async version => {
			await using home = await createSqliteHome();
			{
				await using store = await home.open(clock);
				await acceptRun(store);
			}

			{
				using database = new DatabaseSync(home.file);
				database.exec(`drop table inbound; alter table run drop column dropped; alter table run drop column handed;
					${version === 13 ? 'drop table lane_turn;' : ''} pragma user_version = ${version}`);
			}

			for (const open of [async () => openSqliteReader(home.file), async () => home.open(clock)]) {
				await using stored = await open();
				expect(await stored.runs.get(1)).toMatchObject({state: 'queued', plan: samplePlan});
			}
		},
	);

	test('a folder that cannot be made is an unreadable store', async () => {
		using folder = temporaryFolder();
		writeFileSync(join(folder.path, 'home'), '');
		await expect(
			openSqliteStore({clock}, {file: join(folder.path, 'home', 'state.db')}),
		).rejects.toMatchObject({code: 'store_unreadable'});
	});
});

describe('a disk that is full', () => {
	const fill = async (store: Awaited<ReturnType<typeof openSqliteStore>>) => {
		const acknowledged: string[] = [];
		for (;;) {
			const entries = Array.from({length: 8}, () => sampleEntry({body: new Uint8Array(20_000)}));
			const answers = await Promise.allSettled(entries.map(entry => store.intake.accept(entry)));
			const failed = answers.filter(answer => answer.status === 'rejected');
			const refused = entries.filter((_, index) => answers[index]?.status === 'rejected');
			// Some of the last ones may still have fitted.
			acknowledged.push(
				...entries.filter(entry => !refused.includes(entry)).map(entry => entry.delivery.id),
			);
			if (failed.length > 0) {
				return {acknowledged, failed, refused};
			}
		}
	};

	/** Events whose runs have ended: their bodies are what can be given up. */
	const finish = async (store: Awaited<ReturnType<typeof openSqliteStore>>) => {
		const ids: string[] = [];
		for (let count = 0; count < 12; count += 1) {
			const entry = sampleEntry({body: new Uint8Array(20_000)});
			await acceptRun(store, entry);
			await store.runs.settle(await leaseOne(store), {state: 'done'});
			ids.push(entry.delivery.id);
		}

		return ids;
	};

	const expectRecovery = async (store: Awaited<ReturnType<typeof openSqliteStore>>) => {
		const finished = await finish(store);
		const {acknowledged, failed, refused} = await fill(store);
		expect(failed[0]).toMatchObject({
			reason: {code: 'journal_unavailable', message: expect.stringContaining('the disk is full')},
		});
		expect((await store.health()).failing).toMatch(/the disk is full/);
		expect(await store.runs.counts()).toEqual({queued: acknowledged.length, active: 0});
		expect((await store.journal.list({limit: 1000})).map(({id}) => id)).toEqual(
			[...finished, ...acknowledged].toReversed(),
		);

		const purged = await store.journal.purge({bodyMs: dayMs, bodyBytes: 0, rowMs: dayMs});
		expect(purged).toEqual({bodies: finished.length, rows: 0});
		expect((await store.health()).failing).toBeUndefined();
		for (const entry of refused) {
			expect((await store.intake.accept(entry)).kind).toBe('accepted');
		}
	};

	test('refuses, keeps what was acknowledged, and accepts again once there is space', async () => {
		await using home = await createSqliteHome();
		const told: unknown[] = [];
		const onFailing = (reason: unknown) => told.push(reason);
		await using store = await openSqliteStore({clock, onFailing}, {file: home.file, maxPages: 300});
		await expectRecovery(store);
		expect(told).toEqual([expect.stringContaining('the disk is full'), undefined]);
		expect((await store.health()).failing).toBeUndefined();
	});

	test('what memory knows of groups is what is on the disk, wherever writing failed', async () => {
		for (let maxPages = 50; maxPages < 70; maxPages += 2) {
			// oxlint-disable-next-line no-await-in-loop -- one disk after the other
			await using home = await createSqliteHome();
			// oxlint-disable-next-line no-await-in-loop -- one disk after the other
			await using store = await openSqliteStore({clock}, {file: home.file, maxPages});
			const entries = Array.from({length: 40}, (_, index) =>
				groupedEntry(`k${index % 3 === 0 ? 0 : index}`, {body: new Uint8Array(9000 + 100 * index)}),
			);
			const outcomes: string[] = [];
			for (const [index, entry] of entries.entries()) {
				const dispatching = index % 5 === 4 ? store.groups.dispatch({id: index / 2}, 'person') : [];
				// oxlint-disable-next-line no-await-in-loop -- some succeed before one fails
				const [answer] = await Promise.allSettled([store.intake.accept(entry), dispatching]);
				outcomes.push(answer.status);
			}

			expect(outcomes).toContain('rejected');
			expect(outcomes).toContain('fulfilled');
			// oxlint-disable-next-line no-await-in-loop -- one disk after the other
			await using copy = await home.crash();
			// oxlint-disable-next-line no-await-in-loop -- one disk after the other
			await using reopened = await copy.open(createFakeClock(startMs));
			expect(await reopened.groups.pending()).toBe(await store.groups.pending());
			expect(await reopened.groups.nextDueMs()).toBe(await store.groups.nextDueMs());
			// oxlint-disable-next-line no-await-in-loop -- one disk after the other
			const groups = await reopened.groups.list({limit: 99});
			// oxlint-disable-next-line no-await-in-loop -- one disk after the other
			expect(groups).toEqual(await store.groups.list({limit: 99}));
			const events = groups.reduce((sum, {count}) => sum + count, 0);
			expect(events).toBe(outcomes.filter(outcome => outcome === 'fulfilled').length);
			// oxlint-disable-next-line no-await-in-loop -- one disk after the other
			expect(await store.runs.counts()).toEqual(await reopened.runs.counts());
		}
	});

	test('is survived on a real file system, too, with the help of the reserve', async ({skip}) => {
		using disk = mountSmallDisk() ?? skip('needs the right to mount a tmpfs');
		await using store = await openSqliteStore({clock}, {file: join(disk.path, 'state.db')});
		await expectRecovery(store);
		expect((await store.health()).failing).toBeUndefined();
	});

	test('is opened after a crash with the room of the reserve, which is taken back when there is enough', async ({
		skip,
	}) => {
		using disk = mountSmallDisk() ?? skip('needs the right to mount a tmpfs');
		using folder = temporaryFolder();
		const before = join(folder.path, 'state.db');
		await using crashed = await openSqliteStore({clock}, {file: before});
		const entry = sampleEntry();
		await acceptRun(crashed, entry);
		const file = join(disk.path, 'state.db');
		for (const suffix of ['', '-wal', '.reserve']) {
			copyFileSync(`${before}${suffix}`, `${file}${suffix}`);
		}

		disk.fill();
		await using store = await openSqliteStore({clock}, {file});
		expect(existsSync(`${file}.reserve`)).toBe(false);
		expect(await store.intake.holderOf(entry.delivery, dayMs)).toBe(entry.delivery.id);
		await acceptRun(store);
		rmSync(join(disk.path, 'large.junk'));
		await store.journal.purge({bodyMs: dayMs, bodyBytes: 2 ** 30, rowMs: dayMs});
		expect(existsSync(`${file}.reserve`)).toBe(true);
	});

	test('is a refusal in words when there is no reserve: nobody goes on by itself', async ({
		skip,
	}) => {
		using disk = mountSmallDisk() ?? skip('needs the right to mount a tmpfs');
		disk.fill();
		const file = join(disk.path, 'state.db');
		await expect(openSqliteStore({clock}, {file})).rejects.toMatchObject({
			code: 'store_unreadable',
			message: `Cannot read the store "${file}": the disk is full: free some space, then try again`,
		});
	});
});

describe('a database that is moved under the gateway', () => {
	const replacements = [
		['moved away or removed', () => {}],
		[
			'replaced by another file',
			(file: string) => {
				copyFileSync(`${file}.moved`, file);
			},
		],
	] as const;
	for (const [what, replace] of replacements) {
		test(`${what}: nothing is acknowledged any more until it is opened again`, async () => {
			await using home = await createSqliteHome();
			const now = createFakeClock(startMs);
			const lines: string[] = [];
			const log = {...silentLogger, error: (line: string) => lines.push(line)};
			const message = `Cannot write to the journal "${home.file}": it was ${what} while the gateway runs: stop the gateway, put the right file there, start again`;
			const kept = sampleEntry();
			const told: unknown[] = [];
			const onFailing = (reason: unknown) => told.push(reason);
			{
				await using store = await openSqliteStore({clock: now, log, onFailing}, {file: home.file});
				await acceptRun(store, kept);
				renameSync(home.file, `${home.file}.moved`);
				replace(home.file);
				now.advance(1000);
				for (const entry of [sampleEntry(), sampleEntry()]) {
					// oxlint-disable-next-line no-await-in-loop -- one commit after the other
					await expect(store.intake.accept(entry)).rejects.toMatchObject({
						code: 'journal_unavailable',
						message,
					});
					expect(told).toEqual([message]);
				}

				renameSync(`${home.file}.moved`, home.file);
				now.advance(1000);
				await expect(acceptRun(store)).rejects.toMatchObject({code: 'journal_unavailable'});
				expect((await store.health()).failing).toBe(message);
				expect(await store.journal.get(kept.delivery.id)).toBeDefined();
				expect(lines).toEqual([message]);
			}

			await using again = await home.open(now);
			expect(await again.runs.counts()).toEqual({queued: 1, active: 0});
			await acceptRun(again);
		});
	}

	test('"rejects only when none could be": a dispatch of all groups that fails midway reports what it did', async () => {
		await using home = await createSqliteHome();
		const now = createFakeClock(startMs);
		let onCommit = () => {};
		await using store = await openSqliteStore(
			{
				clock: now,
				onCommit() {
					onCommit();
				},
			},
			{file: home.file},
		);
		const entries = Array.from({length: 250}, (_, index) => groupedEntry(`k${index}`));
		await Promise.all(entries.map(async entry => store.intake.accept(entry)));
		onCommit = () => {
			renameSync(home.file, `${home.file}.moved`);
			now.advance(1000);
		};

		expect(await store.groups.dispatch('all', 'stop')).toHaveLength(100);
		expect(await store.groups.pending()).toBe(150);
		await expect(store.groups.dispatch('all', 'stop')).rejects.toMatchObject({
			code: 'journal_unavailable',
		});
		renameSync(`${home.file}.moved`, home.file);
		await store[Symbol.asyncDispose]();
		await using again = await home.open(now);
		expect(await again.groups.pending()).toBe(150);
	});

	test('is written by one store at a time, and by the next one as soon as that is closed', async () => {
		await using home = await createSqliteHome();
		const now = createFakeClock(startMs);
		const store = await home.open(now);
		await expect(home.open(now)).rejects.toMatchObject({code: 'store_in_use'});
		await store[Symbol.asyncDispose]();
		await using next = await home.open(now);
		expect(next.taken.requeued).toEqual([]);
	});

	test('is noticed without a write, too, and its log spoils no other file', async () => {
		await using home = await createSqliteHome();
		const now = createFakeClock(startMs);
		const told: unknown[] = [];
		const onFailing = (reason: unknown) => told.push(reason);
		await using store = await openSqliteStore({clock: now, onFailing}, {file: home.file});
		await acceptRun(store);
		renameSync(home.file, `${home.file}.moved`);
		expect(told).toEqual([]);
		now.advance(5000);
		expect(told).toEqual([expect.stringContaining('moved away')]);
		expect(statSync(`${home.file}-wal`).size).toBe(0);
	});
});

describe('the cost', () => {
	test('deliveries that come at once share a sync', async () => {
		using folder = temporaryFolder();
		const commits: number[] = [];
		await using store = await openSqliteStore(
			{clock, onCommit: writes => commits.push(writes)},
			{file: join(folder.path, 'state.db')},
		);
		await Promise.all(Array.from({length: 100}, () => store.intake.accept(sampleEntry())));

		expect(commits).toEqual([100]);
		expect(await store.health()).toEqual({
			notesDropped: 0,
			commitP50Ms: 0,
			commitP99Ms: 0,
		});
	});
});

describe('the log', () => {
	test('is told once that writing fails, and once that it works again', async () => {
		using folder = temporaryFolder();
		const lines: string[] = [];
		const log = {
			debug() {},
			info() {},
			note: (message: string) => lines.push(`note ${message}`),
			warn() {},
			error: (message: string) => lines.push(`error ${message}`),
			from: () => log,
		};
		const file = join(folder.path, 'state.db');
		await using store = await openSqliteStore({clock, log}, {file, maxPages: 60});
		const big = () => sampleEntry({body: new Uint8Array(200_000)});
		await store.intake.accept(big()).catch(() => {});
		await store.intake.accept(big()).catch(() => {});
		await acceptRun(store);

		expect(lines).toEqual([
			`error Cannot write to the journal "${file}": the disk is full: free some space, the gateway goes on by itself`,
			'note The journal can be written again',
		]);
	});
});

describe('a look from another process', () => {
	test('a file that is missing, or was never filled, gives empty answers and is not made', async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, 'state.db');
		for (const make of [() => {}, () => writeFileSync(file, '')]) {
			make();
			await using reader = await openSqliteReader(file);
			expect(await reader.journal.list({limit: 10})).toEqual([]);
			expect(await reader.journal.get('aaaa')).toBeUndefined();
			expect(await reader.runs.list({limit: 10})).toEqual([]);
			expect(await reader.runs.get(1)).toBeUndefined();
			expect(await reader.groups.list({limit: 10})).toEqual([]);
			expect(await reader.groups.get(1)).toBeUndefined();
			expect(await reader.jobs.list()).toEqual([]);
			expect(await reader.sessions.list({limit: 10})).toEqual([]);
			expect(await reader.sessions.search('any', 10)).toEqual([]);
			expect(await reader.conversations.writers()).toEqual([]);
			expect(existsSync(`${file}-wal`)).toBe(false);
			rmSync(file, {force: true});
		}
	});

	test('shows what the store shows and takes nothing over', async () => {
		await using home = await createSqliteHome();
		await using store = await home.open(clock);
		const entry = sampleEntry();
		const id = await acceptRun(store, entry);
		await store.runs.answer(await leaseOne(store), sampleAnswer);
		await using reader = await openSqliteReader(home.file);

		expect(await reader.journal.get(entry.delivery.id.slice(-6))).toEqual(
			await store.journal.get(entry.delivery.id),
		);
		expect(await reader.journal.list({limit: 10})).toEqual(await store.journal.list({limit: 10}));
		expect(await reader.runs.get(id)).toEqual(await store.runs.get(id));
		expect(await reader.runs.list({limit: 10})).toMatchObject([{state: 'delivering'}]);
		const {group} = await acceptGrouped(store, groupedEntry('k'));
		await acceptGrouped(store, groupedEntry('l'));
		await store.groups.dispatch({id: group.id}, 'person');
		await fireRun(store);
		expect(await reader.groups.list({limit: 9})).toEqual(await store.groups.list({limit: 9}));
		expect(await reader.groups.get(group.id)).toEqual(await store.groups.get(group.id));
		expect(await reader.jobs.list()).toEqual(await store.jobs.list());
		expect(await reader.runs.list({limit: 9})).toHaveLength(3);
		// It looks, and is not in the way.
		await store.intake.record({delivery: sampleDelivery(), claim: false});
		expect(await reader.journal.list({limit: 10})).toHaveLength(4);
	});
});

describe('time', () => {
	test('a clock that is set back holds up nothing that was accepted before', async () => {
		await using home = await createSqliteHome();
		const late = createFakeClock(startMs + dayMs);
		{
			await using store = await home.open(late);
			await acceptRun(store);
			await acceptRun(store);
		}

		await using store = await home.open(clock);
		expect(await store.runs.lease(10, 1000)).toHaveLength(2);
	});

	test('a delivery from the future stops no purge', async () => {
		await using home = await createSqliteHome();
		const now = createFakeClock(startMs);
		await using store = await home.open(now);
		await store.intake.record({
			delivery: sampleDelivery({receivedAt: startMs + 365 * dayMs, id: '1000'}),
			claim: true,
		});
		const old = sampleDelivery();
		await store.intake.record({delivery: old, claim: true});
		await store.intake.record({delivery: sampleDelivery(), claim: true});
		now.advance(40 * dayMs);

		const {rows} = await store.journal.purge({
			bodyMs: 7 * dayMs,
			bodyBytes: 2 ** 30,
			rowMs: 30 * dayMs,
		});
		expect(rows).toBeGreaterThan(0);
		expect(await store.journal.get(old.id)).toBeUndefined();
	});
});

describe('identifiers', () => {
	test('no purge drops one that is held, when the wall clock was set forward after it was sorted in', async () => {
		await using home = await createSqliteHome({freshKeys: 2});
		const now = createJumpingClock(startMs);
		await using store = await home.open(now);
		const entries = Array.from({length: 4}, () => sampleEntry());
		for (const entry of entries) {
			// oxlint-disable-next-line no-await-in-loop -- each commit sorts one slice in
			await acceptRun(store, entry);
		}

		now.jump(2 * 3_600_000);
		const purge = async () =>
			store.journal.purge({bodyMs: dayMs, bodyBytes: 2 ** 30, rowMs: dayMs});
		await purge();
		const holders = async () =>
			Promise.all(entries.map(async ({delivery}) => store.intake.holderOf(delivery, 3_600_000)));
		expect(await holders()).toEqual(entries.map(({delivery}) => delivery.id));
		now.advance(3_600_000);
		await purge();
		using database = new DatabaseSync(home.file);
		expect(database.prepare('select count(*) as rows from claim').get()?.['rows']).toBe(0);
	});

	test('of accepted events stand in the rows of their runs, until their hour is over', async () => {
		await using home = await createSqliteHome();
		const now = createFakeClock(startMs);
		await using store = await home.open(now);
		const entries = Array.from({length: 300}, () => sampleEntry({}, {maxQueued: 10_000}));
		const ids = entries.map(({delivery}) => delivery.id);
		const rows = (query: string) => {
			using database = new DatabaseSync(home.file);
			return database.prepare(query).get()?.['rows'];
		};
		await Promise.all(entries.map(async entry => store.intake.accept(entry)));
		expect(rows('select count(*) as rows from fresh_claim')).toBe(0);

		await using copy = await home.crash();
		await using reopened = await copy.open(now);
		const holders = entries.map(async ({delivery}) =>
			reopened.intake.holderOf(delivery, 3_600_000),
		);
		expect(await Promise.all(holders)).toEqual(ids);

		now.advance(3_600_000);
		for (let count = 0; count < 4; count += 1) {
			// oxlint-disable-next-line no-await-in-loop -- each commit forgets some
			await store.intake.accept(sampleEntry({}, {maxQueued: 10_000}));
		}

		expect(rows('select run_claim_floor as rows from usage')).toBeGreaterThanOrEqual(256);
	});

	test('of one hour are not sorted into the table while there are fewer than 32,768', async () => {
		await using home = await createSqliteHome();
		await using store = await home.open(createFakeClock(startMs));
		for (let round = 0; round < 5; round += 1) {
			const entries = Array.from({length: 1000}, () => sampleEntry({}, {maxQueued: 10_000}));
			// oxlint-disable-next-line no-await-in-loop -- commits follow each other, as they do with time
			await Promise.all(entries.map(async entry => store.intake.accept(entry)));
		}

		using database = new DatabaseSync(home.file);
		expect(database.prepare('select count(*) as rows from claim').get()?.['rows']).toBe(0);
	});

	test('are held through memory, table and crash, however many there are', async () => {
		await using home = await createSqliteHome({freshKeys: 100});
		const now = createFakeClock(startMs);
		const entries = Array.from({length: 1500}, () => sampleEntry({}, {maxQueued: 10_000}));
		const everyHolder = async (store: Awaited<ReturnType<typeof home.open>>) =>
			Promise.all(entries.map(async ({delivery}) => store.intake.holderOf(delivery, 60_000)));
		const ids = entries.map(({delivery}) => delivery.id);

		await using store = await home.open(now);
		await Promise.all(entries.map(async entry => store.intake.accept(entry)));
		expect(await everyHolder(store)).toEqual(ids);
		await using copy = await home.crash();
		await using reopened = await copy.open(now);
		expect(await everyHolder(reopened)).toEqual(ids);

		const rowsOf = (table: string) => {
			using database = new DatabaseSync(home.file);
			return database.prepare(`select count(*) as rows from ${table}`).get()?.['rows'];
		};
		for (let count = 0; count < 30; count += 1) {
			// oxlint-disable-next-line no-await-in-loop -- each commit sorts one slice in
			await store.intake.record({delivery: sampleDelivery(), claim: false});
		}

		expect(rowsOf('claim')).toBeGreaterThan(1300);
		expect(rowsOf('fresh_claim')).toBeLessThan(200);
		now.advance(3_600_000);
		await store.journal.purge({bodyMs: dayMs, bodyBytes: 2 ** 30, rowMs: dayMs});
		expect(rowsOf('claim')).toBe(0);
	});
});

test('lists have all rows but one that cannot be read, and the log names it', async () => {
	await using home = await createSqliteHome();
	const {log, warnings} = keepWarnings();
	await using store = await openSqliteStore({clock: createFakeClock(startMs), log}, home);
	const change = (sql: string) => {
		using database = new DatabaseSync(home.file);
		database.exec(sql);
	};
	expect(await listOthers(store, {change, warnings})).toEqual(brokenTables);
});

test('a store that is closed still says how many runs waited for a person', async () => {
	await using home = await createSqliteHome();
	const store = await home.open(createFakeClock(startMs));
	await acceptRun(store);
	await store.runs.settle(await leaseOne(store), {state: 'dead', error: '502'});
	expect(await store.runs.kept()).toMatchObject({toDecide: 1});
	await store[Symbol.asyncDispose]();

	expect(await store.runs.kept()).toMatchObject({toDecide: 1});
});
