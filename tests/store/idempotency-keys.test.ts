import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createIdempotencyKeys} from '../../source/store/idempotency-keys.ts';
import {migrate} from '../../source/store/migrations.ts';
import {openDatabase} from '../../source/store/open-sqlite-store.ts';
import {hourMs, startMs, temporaryFolder} from './samples.ts';

type Deferred = {readonly task: () => void; readonly settled: (written: boolean) => void};

/** Claims of which two make a generation, and what they defer. */
function setUp() {
	const folder = temporaryFolder();
	const file = join(folder.path, 'state.db');
	const database = openDatabase(file);
	migrate(database, file);
	const waiting: Deferred[] = [];
	const open = () =>
		createIdempotencyKeys(
			{
				database,
				now: () => startMs,
				defer: (task, settled = () => {}) => waiting.push({task, settled}),
			},
			{generation: 2},
		);
	const keyOf = (deliveryId: string) => ({profile: 'default', route: 'github', deliveryId});
	let keys = open();

	return {
		/** A transaction that takes `names`, for rows numbered by their length. */
		take(names: readonly string[], end: 'commit' | 'rollback' = 'commit') {
			database.exec('begin');
			const restore = keys.save();
			for (const name of names) {
				keys.take({...keyOf(name), delivery: name.length, work: null});
			}

			if (end === 'rollback') {
				restore();
			}

			database.exec(end);
			if (end === 'commit') {
				keys.committed();
			}
		},
		/** Does what was deferred, or gives it up. */
		writeDeferred(written = true) {
			for (const {task, settled} of waiting.splice(0)) {
				if (written) {
					task();
				}

				settled(written);
			}
		},
		reopen() {
			keys = open();
		},
		holders: (names: readonly string[]) => names.map(name => keys.holderOf(keyOf(name), hourMs)),
		rows: (table: string) =>
			database.prepare(`select count(*) as rows from ${table}`).get()?.['rows'],
		[Symbol.dispose]() {
			database.close();
			folder[Symbol.dispose]();
		},
	};
}

test('what is sorted in, what is fresh and what is between are all held', () => {
	using it = setUp();
	it.take(['a', 'bb']);
	it.take(['ccc']);
	expect(it.holders(['a', 'bb', 'ccc', 'dddd'])).toEqual([1, 2, 3, undefined]);
	it.writeDeferred();
	expect(it.holders(['a', 'bb', 'ccc', 'dddd'])).toEqual([1, 2, 3, undefined]);
	expect([it.rows('claim'), it.rows('fresh_claim')]).toEqual([2, 1]);
	it.reopen();
	expect(it.holders(['a', 'bb', 'ccc', 'dddd'])).toEqual([1, 2, 3, undefined]);
});

test('a generation that could not be sorted in is held, and sorted in later', () => {
	using it = setUp();
	it.take(['a', 'bb']);
	it.writeDeferred(false);
	expect(it.holders(['a', 'bb'])).toEqual([1, 2]);
	it.take(['ccc']);
	it.writeDeferred();
	expect([it.rows('claim'), it.rows('fresh_claim')]).toEqual([3, 0]);
});

test('what was rolled back is not held, and takes nothing else with it', () => {
	using it = setUp();
	it.take(['a', 'bb']);
	it.take(['ccc', 'dddd']);
	it.take(['eeeee', 'ffffff', 'ggggggg'], 'rollback');
	it.writeDeferred();
	it.take([]);
	it.take(['hhhhhhhh']);
	it.writeDeferred();
	const names = ['a', 'ccc', 'eeeee', 'hhhhhhhh'];
	expect(it.holders(names)).toEqual([1, 3, undefined, 8]);
	it.reopen();
	expect(it.holders(names)).toEqual([1, 3, undefined, 8]);
});
