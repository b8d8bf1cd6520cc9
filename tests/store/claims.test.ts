import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createClaims} from '../../source/store/claims.ts';
import {migrate} from '../../source/store/migrations.ts';
import {openDatabase} from '../../source/store/open-sqlite-store.ts';
import {hourMs, startMs, temporaryFolder} from './samples.ts';

type Later = {readonly task: () => void; readonly settled: (written: boolean) => void};

/** Claims of which two make a generation, and what they want to write later. */
function setUp() {
	const folder = temporaryFolder();
	const file = join(folder.path, 'state.db');
	const database = openDatabase(file);
	migrate(database, file);
	const waiting: Later[] = [];
	const open = () =>
		createClaims(
			{
				database,
				now: () => startMs,
				later: (task, settled = () => {}) => waiting.push({task, settled}),
			},
			{generation: 2},
		);
	const keyOf = (deliveryId: string) => ({profile: 'default', route: 'github', deliveryId});
	let claims = open();

	return {
		/** A transaction that takes `names`, for rows numbered by their length. */
		take(names: readonly string[], end: 'commit' | 'rollback' = 'commit') {
			database.exec('begin');
			const restore = claims.save();
			for (const name of names) {
				claims.take({...keyOf(name), delivery: name.length, work: null});
			}

			if (end === 'rollback') {
				restore();
			}

			database.exec(end);
			if (end === 'commit') {
				claims.committed();
			}
		},
		/** Does what was to be written later, or gives it up. */
		writeLater(written = true) {
			for (const {task, settled} of waiting.splice(0)) {
				if (written) {
					task();
				}

				settled(written);
			}
		},
		reopen() {
			claims = open();
		},
		holders: (names: readonly string[]) => names.map(name => claims.holderOf(keyOf(name), hourMs)),
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
	it.writeLater();
	expect(it.holders(['a', 'bb', 'ccc', 'dddd'])).toEqual([1, 2, 3, undefined]);
	expect([it.rows('claim'), it.rows('fresh_claim')]).toEqual([2, 1]);
	it.reopen();
	expect(it.holders(['a', 'bb', 'ccc', 'dddd'])).toEqual([1, 2, 3, undefined]);
});

test('a generation that could not be sorted in is held, and sorted in later', () => {
	using it = setUp();
	it.take(['a', 'bb']);
	it.writeLater(false);
	expect(it.holders(['a', 'bb'])).toEqual([1, 2]);
	it.take(['ccc']);
	it.writeLater();
	expect([it.rows('claim'), it.rows('fresh_claim')]).toEqual([3, 0]);
});

test('what was rolled back is not held, and takes nothing else with it', () => {
	using it = setUp();
	it.take(['a', 'bb']);
	it.take(['ccc', 'dddd']);
	it.take(['eeeee', 'ffffff', 'ggggggg'], 'rollback');
	it.writeLater();
	it.take([]);
	it.take(['hhhhhhhh']);
	it.writeLater();
	const names = ['a', 'ccc', 'eeeee', 'hhhhhhhh'];
	expect(it.holders(names)).toEqual([1, 3, undefined, 8]);
	it.reopen();
	expect(it.holders(names)).toEqual([1, 3, undefined, 8]);
});
