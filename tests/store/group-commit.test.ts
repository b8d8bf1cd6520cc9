import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {codeOf} from '../../source/core/errors.ts';
import {createGroupCommit} from '../../source/store/group-commit.ts';
import {openDatabase} from '../../source/store/open-sqlite-store.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {temporaryFolder} from './samples.ts';

/** A table with one unique column, and a counter in memory that counts its rows. */
function setUp() {
	const folder = temporaryFolder();
	const file = join(folder.path, 'test.db');
	const database = openDatabase(file);
	database.exec('create table t (x integer primary key, body blob)');
	const insert = database.prepare('insert into t values (?, ?)');
	const clock = createFakeClock();
	const commits: number[] = [];
	const reasons: Array<string | undefined> = [];
	const memory = {
		rows: 0,
		save() {
			const {rows} = memory;
			return () => {
				memory.rows = rows;
			};
		},
		persist() {},
		committed() {},
	};
	const commit = createGroupCommit(
		{
			database,
			clock,
			memory,
			onCommit: count => commits.push(count),
			onFailing: reason => reasons.push(reason),
		},
		{file},
	);
	const put = (x: number, bytes = 0) => {
		memory.rows += 1;
		insert.run(x, new Uint8Array(bytes));
		return x;
	};

	return {
		file,
		database,
		clock,
		commits,
		reasons,
		memory,
		commit,
		put,
		write: async (x: number, bytes = 0) => commit.write(() => put(x, bytes)),
		rows: () =>
			database
				.prepare('select x from t order by x')
				.all()
				.map(row => row['x']),
		[Symbol.dispose]() {
			commit.close();
			database.close();
			folder[Symbol.dispose]();
		},
	};
}

const turn = async () => {
	await new Promise(resolve => {
		setImmediate(resolve);
	});
};

test('writes of one turn of the event loop share one commit', async () => {
	using it = setUp();
	expect(await Promise.all([1, 2, 3].map(x => it.write(x)))).toEqual([1, 2, 3]);
	await it.write(4);

	expect(it.commits).toEqual([3, 1]);
	expect(it.rows()).toEqual([1, 2, 3, 4]);
});

test('one commit holds at most 128 writes, and the event loop turns between two', async () => {
	using it = setUp();
	const numbers = Array.from({length: 300}, (_, index) => index);
	const order: string[] = [];
	const all = Promise.all(numbers.map(x => it.write(x)));
	await turn();
	order.push(`turn after ${it.commits.length}`);
	await all;

	expect(it.commits).toEqual([128, 128, 44]);
	expect(order).toEqual(['turn after 1']);
});

test('a write that throws fails alone, and its part of the memory is taken back', async () => {
	using it = setUp();
	const answers = await Promise.allSettled([
		it.write(1),
		it.write(1),
		it.commit.write(() => {
			it.put(7);
			throw new Error('a fault after the insert');
		}),
		it.write(2),
	]);

	expect(answers.map(({status}) => status)).toEqual([
		'fulfilled',
		'rejected',
		'rejected',
		'fulfilled',
	]);
	expect(answers[1]).toMatchObject({reason: {code: 'journal_unavailable'}});
	expect(it.rows()).toEqual([1, 2]);
	expect(it.memory.rows).toBe(2);
	expect(it.commit.failing()).toBeUndefined();
});

test('a full disk refuses what does not fit, keeps nothing of it, and ends by itself', async () => {
	using it = setUp();
	it.database.exec('pragma max_page_count = 20');
	const answers = await Promise.allSettled([it.write(1, 200_000), it.write(2, 200_000)]);

	expect(answers).toMatchObject([
		{status: 'rejected', reason: {code: 'journal_unavailable'}},
		{status: 'rejected', reason: {code: 'journal_unavailable'}},
	]);
	expect(it.rows()).toEqual([]);
	expect(it.memory.rows).toBe(0);
	expect(it.commit.failing()).toMatch(/the disk is full: free some space/);

	it.database.exec('pragma max_page_count = 1000');
	await it.write(2, 200_000);
	expect(it.rows()).toEqual([2]);
	expect(it.commit.failing()).toBeUndefined();
	expect(it.reasons).toEqual([expect.stringContaining('disk is full'), undefined]);
});

test('a lock of another process is waited for', async () => {
	using it = setUp();
	using other = new DatabaseSync(it.file);
	other.exec('begin immediate');
	const written = it.write(1);
	await turn();
	await turn();
	expect(it.commits).toEqual([]);

	const joined = it.write(2);
	await turn();
	other.exec('rollback');
	it.clock.advance(100);
	await Promise.all([written, joined]);
	expect(it.commits).toEqual([2]);
});

test('a lock that stays is given up after three seconds, and the next write tries again', async () => {
	using it = setUp();
	using other = new DatabaseSync(it.file);
	other.exec('begin immediate');
	const refused = Promise.allSettled([it.write(1), it.write(2)]);
	await turn();
	await turn();
	it.clock.advance(3000);
	const reason = {
		code: 'journal_unavailable',
		message: expect.stringContaining('another process keeps it locked'),
	};
	expect(await refused).toMatchObject([
		{status: 'rejected', reason},
		{status: 'rejected', reason},
	]);
	expect(it.commit.failing()).toMatch(/locked/);

	other.exec('rollback');
	await it.write(3);
	expect(it.rows()).toEqual([3]);
	expect(it.commit.failing()).toBeUndefined();
});

test('deferred writes join a commit, or go after 250 ms', async () => {
	using it = setUp();
	let settled = 0;
	const later = (x: number) => {
		it.commit.defer(
			() => it.put(x),
			() => {
				settled += 1;
			},
		);
	};

	later(1);
	await turn();
	expect(it.commits).toEqual([]);
	await it.write(2);
	expect(it.commits).toEqual([2]);
	later(3);
	it.clock.advance(249);
	expect(it.commits).toEqual([2]);
	it.clock.advance(1);
	expect(it.commits).toEqual([2, 1]);
	expect(settled).toBe(2);
});

test('no write fails for the sake of a deferred one, which is tried again', async () => {
	using it = setUp();
	it.database.exec('pragma max_page_count = 20');
	it.commit.defer(() => it.put(1, 200_000));
	await it.write(2);
	expect(it.rows()).toEqual([2]);
	expect(it.commit.idle()).toBe(false);

	it.database.exec('pragma max_page_count = 1000');
	it.clock.advance(2000);
	expect(it.rows()).toEqual([1, 2]);
	expect(it.commit.idle()).toBe(true);
});

test('whoever wants to read has what waits written, as far as that can be', () => {
	using it = setUp();
	for (let x = 0; x < 100; x += 1) {
		it.commit.defer(() => it.put(x));
	}

	it.commit.flushDeferred();
	expect(it.commits).toEqual([64, 36]);
	it.commit.flushDeferred();
	expect(it.commits).toEqual([64, 36]);

	it.database.exec('pragma max_page_count = 20');
	it.commit.defer(() => it.put(100, 200_000));
	it.commit.flushDeferred();
	expect(it.rows()).toHaveLength(100);
	it.database.exec('pragma max_page_count = 1000');
	it.clock.advance(2000);
	expect(it.rows()).toHaveLength(101);
});

test('closing writes what waits and refuses what comes later', async () => {
	using it = setUp();
	const waiting = it.write(1);
	it.commit.defer(() => it.put(2));
	it.commit.close();
	await waiting;

	await expect(it.write(3)).rejects.toMatchObject({code: 'journal_unavailable'});
	expect(it.rows()).toEqual([1, 2]);
});

test('closing a locked database refuses what waits, and ends', async () => {
	using it = setUp();
	using other = new DatabaseSync(it.file);
	other.exec('begin immediate');
	const refused = it.write(1).catch(codeOf);
	it.commit.close();
	expect(await refused).toBe('journal_unavailable');
});

test('a commit waits while each turn brings writes, and one write alone waits for nobody', async () => {
	using it = setUp();
	await it.write(1);
	const writes = [it.write(2), it.write(3)];
	await turn();
	writes.push(it.write(4));
	await turn();
	writes.push(it.write(5));
	await Promise.all(writes);
	expect(it.commits).toEqual([1, 4]);
});

test('on a full disk what is too large fails alone: what was written in the same turn and fits is kept', async () => {
	using it = setUp();
	await it.write(1);
	it.database.exec('pragma max_page_count = 20');
	const answers = await Promise.allSettled([
		it.write(2),
		it.write(3, 200_000),
		it.write(4),
		it.write(5, 200_000),
	]);

	expect(answers.map(({status}) => status)).toEqual([
		'fulfilled',
		'rejected',
		'fulfilled',
		'rejected',
	]);
	expect(it.rows()).toEqual([1, 2, 4]);
	expect(it.memory.rows).toBe(3);
	expect(it.commit.failing()).toMatch(/the disk is full/);

	it.database.exec('pragma max_page_count = 1000');
	await it.write(6, 200_000);
	expect(it.commit.failing()).toBeUndefined();
	expect(it.rows()).toEqual([1, 2, 4, 6]);
});
