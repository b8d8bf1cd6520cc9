import {mkdirSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createConfigWatcher} from '../../source/config/watch.ts';
import {systemClock, type Clock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createTemporaryHome} from './temporary-home.ts';

/** A watcher of `home`, and a way to wait for its next report. */
function watchHome(home: ReturnType<typeof createTemporaryHome>, clock: Clock) {
	const reports: Array<readonly string[]> = [];
	let wake = () => {};
	const watcher = createConfigWatcher({
		paths: home.paths,
		clock,
		log: silentLogger,
		onChange(files) {
			reports.push([...files].toSorted());
			wake();
		},
	});
	const next = () => {
		const {promise, resolve} = Promise.withResolvers<void>();
		wake = resolve;
		return promise;
	};

	return {
		watcher,
		reports,
		next,
		[Symbol.asyncDispose]: async () => watcher[Symbol.asyncDispose](),
	};
}

test('a file that is written, or replaced by another, is reported by name', async () => {
	using home = createTemporaryHome();
	await using watched = watchHome(home, systemClock);
	await watched.watcher.ready;
	const first = watched.next();
	writeFileSync(home.paths.config, 'runs: {}');
	await first;
	expect(watched.reports[0]).toEqual(['config.yaml']);

	const second = watched.next();
	writeFileSync(join(home.paths.home, 'other'), '{}');
	renameSync(join(home.paths.home, 'other'), home.paths.subscriptions);
	await second;
	expect(watched.reports[1]).toEqual(['webhook_subscriptions.json']);

	// Once more: the folder is watched, not the file that was there.
	const third = watched.next();
	writeFileSync(join(home.paths.home, 'other'), '{"a": 1}');
	renameSync(join(home.paths.home, 'other'), home.paths.subscriptions);
	await third;
	expect(watched.reports[2]).toEqual(['webhook_subscriptions.json']);
});

test('files beside them, and changes before the watcher is ready, are not reported', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.env, 'A=1');
	await using watched = watchHome(home, systemClock);
	await watched.watcher.ready;
	writeFileSync(join(home.paths.home, 'state.db'), '');
	writeFileSync(join(home.paths.logs, 'config.yaml'), '');
	const report = watched.next();
	writeFileSync(home.paths.env, 'A=2');
	await report;
	expect(watched.reports).toEqual([['.env']]);
});

test('a profile that comes, and its `.env`, are reported; what else lies there is not', async () => {
	using home = createTemporaryHome();
	await using watched = watchHome(home, systemClock);
	await watched.watcher.ready;
	const first = watched.next();
	const ops = join(home.paths.home, 'profiles', 'ops');
	mkdirSync(ops, {recursive: true});
	await first;
	expect(watched.reports).toEqual([['profiles']]);

	const second = watched.next();
	writeFileSync(join(home.paths.home, 'profiles', 'note.txt'), '');
	writeFileSync(join(ops, 'state.db'), '');
	mkdirSync(join(ops, 'skills', '.env'), {recursive: true});
	writeFileSync(join(ops, '.env'), 'A=1');
	await second;
	expect(watched.reports[1]).toEqual(['.env']);
});

test('nothing is reported before 100 ms of quiet, nor after disposal', async () => {
	using home = createTemporaryHome();
	const clock = createFakeClock();
	const {promise: armed, resolve} = Promise.withResolvers<void>();
	const watched = watchHome(home, {
		...clock,
		after(delayMs, callback) {
			resolve();
			return clock.after(delayMs, callback);
		},
	});
	await watched.watcher.ready;
	writeFileSync(home.paths.config, '');
	await armed;
	clock.advance(99);
	expect(watched.reports).toEqual([]);
	await watched.watcher[Symbol.asyncDispose]();
	clock.advance(1000);
	expect(watched.reports).toEqual([]);
});

test('a watcher that is disposed of at once ends', async () => {
	using home = createTemporaryHome();
	await using watched = watchHome(home, createFakeClock());
	expect(watched.reports).toEqual([]);
});
