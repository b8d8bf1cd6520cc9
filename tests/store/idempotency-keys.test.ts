import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createIdempotencyKeys} from '../../source/store/idempotency-keys.ts';
import {migrate} from '../../source/store/migrations.ts';
import {openDatabase} from '../../source/store/open-sqlite-store.ts';
import {hourMs, startMs, temporaryFolder} from './samples.ts';

type Deferred = {readonly task: () => void; readonly settled: (written: boolean) => void};

/** Claims of which two make a generation, and what they defer. */
function setUp({generation = 2}: {readonly generation?: number} = {}) {
	const folder = temporaryFolder();
	const file = join(folder.path, 'state.db');
	const database = openDatabase(file);
	migrate(database, file);
	const waiting: Deferred[] = [];
	let now = startMs;
	const open = () =>
		createIdempotencyKeys(
			{
				database,
				now: () => now,
				defer: (task, settled = () => {}) => waiting.push({task, settled}),
			},
			{generation},
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
		pass(ms: number) {
			now += ms;
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

const manyNames = (count: number, prefix: string) =>
	Array.from({length: count}, (_, index) => `${prefix}${index}`);

test('an hour after they were taken, identifiers leave the memory and the disk without being sorted anywhere', () => {
	using it = setUp({generation: 1000});
	it.take(manyNames(512, 'old'));
	it.pass(hourMs / 2);
	it.take(manyNames(300, 'young'));
	it.pass(hourMs / 2);
	for (const name of ['a', 'bb', 'ccc']) {
		it.take([name]);
		it.writeDeferred();
	}

	expect([it.rows('claim'), it.rows('fresh_claim')]).toEqual([0, 303]);
	expect(it.holders(['old0', 'old511', 'young0', 'young299', 'ccc'])).toEqual([
		undefined,
		undefined,
		6,
		8,
		3,
	]);
	it.reopen();
	expect(it.holders(['old0', 'young0', 'young299', 'a'])).toEqual([undefined, 6, 8, 1]);
});

test('an identifier that is taken again is as young as its last claim', () => {
	using it = setUp({generation: 1000});
	it.take(['a', ...manyNames(300, 'other')]);
	it.pass(hourMs - 1);
	it.take(['a']);
	it.pass(1);
	it.take(['bb']);
	it.writeDeferred();
	expect(it.holders(['a', 'other0'])).toEqual([1, undefined]);
	it.reopen();
	expect(it.holders(['a', 'other0'])).toEqual([1, undefined]);
});
