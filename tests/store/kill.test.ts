// @module-tag slow
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {DatabaseSync} from 'node:sqlite';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {openSqliteReader} from '../../source/store/sqlite-reader.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {hourMs, temporaryFolder} from './samples.ts';

const rounds = Math.max(2, propertyRuns(8));

const accepting = fileURLToPath(new URL('./accept-in-a-loop.ts', import.meta.url));
const coalescing = fileURLToPath(new URL('./coalesce-in-a-loop.ts', import.meta.url));

/** Starts a program that writes in a loop, and kills it hard when it has acknowledged `count` things. */
async function killAfter(
	file: string,
	count: number,
	program = accepting,
): Promise<readonly string[]> {
	const child = spawn(process.execPath, [program, file], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = once(child, 'exit');
	const acknowledged: string[] = [];
	try {
		for await (const line of createInterface(child.stdout)) {
			acknowledged.push(line);
			if (acknowledged.length === count) {
				child.kill('SIGKILL');
			}
		}

		expect(await exited).toEqual([null, 'SIGKILL']);
		return acknowledged;
	} finally {
		child.kill('SIGKILL');
	}
}

test('"Whatever was answered 202 survives kill -9": also its identifier, and nothing is damaged', async () => {
	using folder = temporaryFolder();
	const file = join(folder.path, 'state.db');
	const all: string[] = [];
	for (let round = 0; round < rounds; round += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one process after the other
		all.push(...(await killAfter(file, 50 + 211 * round)));
	}

	await using store = await openSqliteStore({clock: systemClock}, {file});
	const lost = [];
	for (const id of all) {
		const key = {profile: 'default', route: 'github', deliveryId: id};
		// oxlint-disable-next-line no-await-in-loop -- a lookup at a time
		const [delivery, holder] = [
			await store.journal.get(id),
			await store.intake.holderOf(key, hourMs),
		];
		// oxlint-disable-next-line no-await-in-loop -- a lookup at a time
		const run = delivery?.runId === undefined ? undefined : await store.runs.view(delivery.runId);
		if (holder !== id || run?.state !== 'queued' || delivery?.body?.byteLength !== 7000) {
			lost.push(id);
		}
	}

	expect(lost).toEqual([]);
	expect(all.length).toBeGreaterThan(rounds * 50);
	expect((await store.runs.counts()).queued).toBeGreaterThanOrEqual(all.length);
	using database = new DatabaseSync(file, {readOnly: true});
	expect(database.prepare('pragma quick_check').get()).toEqual({quick_check: 'ok'});
});

test('the journal can be read after a kill, without taking anything over', async () => {
	using folder = temporaryFolder();
	const file = join(folder.path, 'state.db');
	const acknowledged = await killAfter(file, 20);
	await using reader = await openSqliteReader(file);

	expect((await reader.journal.get(acknowledged[0] ?? ''))?.id).toBe(acknowledged[0]);
	expect((await reader.runs.list({limit: 1000})).length).toBeGreaterThanOrEqual(20);
});

test('after a kill -9 no event of a group is lost, no group runs twice, and no tick of a job fires twice', async () => {
	using folder = temporaryFolder();
	const file = join(folder.path, 'state.db');
	const acknowledged: string[] = [];
	for (let round = 0; round < rounds; round += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one process after the other
		acknowledged.push(...(await killAfter(file, 60 + 173 * round, coalescing)));
	}

	await using store = await openSqliteStore({clock: systemClock}, {file});
	await store.groups.dispatch('all', 'stop');
	using database = new DatabaseSync(file, {readOnly: true});
	const twice = (rows: string) =>
		database.prepare(`select count(*) as times from ${rows} having times > 1`).all();
	expect(twice('run where grp is not null group by grp')).toEqual([]);
	expect(twice('job_run group by plan')).toEqual([]);

	const lost = [];
	for (const line of acknowledged) {
		const [kind, id = ''] = line.split(' ');
		if (kind === 'event') {
			// oxlint-disable-next-line no-await-in-loop -- a lookup at a time
			const delivery = await store.journal.get(id);
			// oxlint-disable-next-line no-await-in-loop -- a lookup at a time
			const group = await store.groups.get(delivery?.group ?? 0);
			// oxlint-disable-next-line no-await-in-loop -- a lookup at a time
			const run = await store.runs.view(group?.runId ?? 0);
			const isMember = group?.members.some(member => member.delivery === id);
			const stands = run?.group === group?.id && run?.delivery === group?.latest;
			if (!isMember || !stands || (run?.superseded ?? 0) + 1 !== group?.count) {
				lost.push(line);
			}
		} else if (
			database.prepare("select 1 from job_run where plan ->> 'prompt' = ?").get(line) === undefined
		) {
			lost.push(line);
		}
	}

	expect(lost).toEqual([]);
	expect(acknowledged.some(line => line.startsWith('tick'))).toBe(true);
	expect(database.prepare('pragma quick_check').get()).toEqual({quick_check: 'ok'});
});
