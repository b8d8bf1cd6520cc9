import {readdirSync, readFileSync, statSync} from 'node:fs';
import {basename, join} from 'node:path';
import {expect, test} from 'vitest';
import {keepAnswer, newestAnswer} from '../../source/schedule/output.ts';
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
