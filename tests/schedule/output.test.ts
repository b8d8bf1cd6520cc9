import {readdirSync, readFileSync, statSync} from 'node:fs';
import {basename, join} from 'node:path';
import {expect, test} from 'vitest';
import {keepAnswer, newestAnswer} from '../../source/schedule/fired-times.ts';
import {temporaryFolder} from '../store/samples.ts';
import {startMs} from './samples.ts';

const job = 'job_ab12cd34';

test('an answer is kept in the folder of its job, for its owner alone', async () => {
	using folder = temporaryFolder();
	expect(newestAnswer(folder.path, job)).toBeUndefined();
	const path = await keepAnswer({cron: folder.path, job, run: 7, at: startMs + 999}, 'All good');
	expect(path).toBe(join(folder.path, 'output', job, '2026-11-20T12-00-00Z-run7.md'));
	expect(readFileSync(path, 'utf8')).toBe('All good\n');
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(statSync(join(folder.path, 'output')).mode & 0o777).toBe(0o700);
	expect(newestAnswer(folder.path, job)).toBe(path);
});

test('"newest 50 per job"; files of others stay', async () => {
	using folder = temporaryFolder();
	const kept: string[] = [];
	for (let run = 1; run <= 55; run++) {
		const at = startMs + run * 1000;
		kept.push(basename(await keepAnswer({cron: folder.path, job, run, at}, 'x')));
	}

	await keepAnswer({cron: folder.path, job: 'job_00000000', run: 99, at: startMs}, 'x');
	expect(readdirSync(join(folder.path, 'output', job)).toSorted()).toEqual(kept.slice(5));
	expect(newestAnswer(folder.path, job)).toContain('run55.md');
});

test('the answer of the newest run is the newest, whatever the clock said', async () => {
	using folder = temporaryFolder();
	for (let run = 1; run <= 50; run++) {
		await keepAnswer({cron: folder.path, job, run, at: startMs + run * 1000}, 'x');
	}

	const path = await keepAnswer({cron: folder.path, job, run: 51, at: startMs - 3_600_000}, 'x');
	expect(newestAnswer(folder.path, job)).toBe(path);
	const kept = readdirSync(join(folder.path, 'output', job));
	expect(kept).toHaveLength(50);
	expect(kept.some(name => name.endsWith('-run1.md'))).toBe(false);
	expect(readFileSync(path, 'utf8')).toBe('x\n');
});

test('a journal that counts runs anew, as after the profile changed hands, loses none of its answers', async () => {
	using folder = temporaryFolder();
	for (let count = 0; count < 60; count++) {
		const run = count < 50 ? 5000 + count : 1 + count;
		await keepAnswer({cron: folder.path, job, run, at: startMs + count * 1000}, 'x');
	}

	const kept = readdirSync(join(folder.path, 'output', job)).toSorted();
	expect(kept).toHaveLength(50);
	expect(kept.slice(-11).map(name => name.slice(21))).toEqual([
		'run5049.md',
		...Array.from({length: 10}, (_, index) => `run${index + 51}.md`),
	]);
});

test.for(['../../etc', 'job_../../ab', '', 'job_ABCDEFGH'])(
	'what is no identifier names no folder: %s',
	async id => {
		using folder = temporaryFolder();
		await expect(
			keepAnswer({cron: folder.path, job: id, run: 1, at: startMs}, 'x'),
		).rejects.toMatchObject({code: 'job_invalid'});
		expect(newestAnswer(folder.path, id)).toBeUndefined();
		expect(readdirSync(folder.path)).toEqual([]);
	},
);
