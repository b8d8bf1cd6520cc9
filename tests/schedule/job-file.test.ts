import {mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import {editJobs} from '../../source/schedule/edit-jobs.ts';
import {findJob, requireJob, unavailableJob} from '../../source/schedule/find-job.ts';
import {createJobsReader} from '../../source/schedule/job-file.ts';
import {interpretJob} from '../../source/schedule/job.ts';
import {machineZone} from '../../source/schedule/when.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {recordingLogger, sampleEntry, sampleJob, sampleProfile} from './samples.ts';

const readerOf = ({paths}: ReturnType<typeof sampleProfile>, log = silentLogger) =>
	createJobsReader({paths, clock: systemClock, log});

test('an entry with every key becomes a job', () => {
	const entry = {
		id: 'job_ab12cd34',
		name: 'Nightly digest',
		schedule: '0 9 * * 1-5',
		time_zone: 'Europe/Berlin',
		prompt: 'Sum up',
		skills: ['digest', 'other'],
		toolsets: [],
		model: 'small',
		deliver: 'github_comment',
		deliver_extra: {repo: 'acme/api', pr_number: 7},
		paused: true,
		misfire: 'skip',
		created_at: '2026-11-20T12:00:00Z',
		made_by_hand: {x: 1},
	};
	expect(interpretJob(entry, 0)).toMatchObject({
		ok: true,
		job: {
			id: 'job_ab12cd34',
			name: 'Nightly digest',
			scheduleText: '0 9 * * 1-5',
			timeZone: 'Europe/Berlin',
			prompt: 'Sum up',
			skills: ['digest', 'other'],
			toolsets: [],
			model: 'small',
			target: {kind: 'forge_comment', extra: {repo: 'acme/api', pr_number: 7}},
			paused: true,
			misfire: 'skip',
			createdAt: Date.parse('2026-11-20T12:00:00Z'),
		},
	});
});

test('an entry with the necessary keys runs in the machine’s zone, to the log, and makes up once for what it missed', () => {
	const {id, name, schedule, prompt} = sampleEntry();
	expect(interpretJob({id, name, schedule, prompt}, 0)).toMatchObject({
		job: {
			timeZone: machineZone(),
			target: {kind: 'log', extra: {}},
			skills: [],
			paused: false,
			misfire: 'once',
		},
	});
});

test.for([
	['no object', 7, /Job "#3" cannot be used: must be a mapping/],
	['no identifier', sampleEntry({id: 'x'}), /Job "digest" cannot be used: id must be "job_"/],
	['an identifier that leaves its folder', sampleEntry({id: 'job_../../ab'}), /id must be/],
	['no name', sampleEntry({name: ''}), /name must not be empty/],
	['a name with a blank at its end', sampleEntry({name: 'x '}), /name must not begin or end/],
	['a very long name', sampleEntry({name: 'x'.repeat(101)}), /name must have at most 100/],
	['a schedule that is none', sampleEntry({schedule: 'daily'}), /"daily" is not a schedule/],
	['a schedule that is no text', sampleEntry({schedule: 7}), /schedule must be text/],
	['a zone that is none', sampleEntry({time_zone: 'Mars'}), /time_zone "Mars" is not a time zone/],
	['no prompt', sampleEntry({prompt: ''}), /prompt must not be empty/],
	['a prompt of a book', sampleEntry({prompt: 'x'.repeat(100_001)}), /at most 100000 characters/],
	['skills that are no list', sampleEntry({skills: 'a'}), /skills must be a list/],
	['an unknown target', sampleEntry({deliver: 'pigeon'}), /deliver "pigeon" is not known/],
	[
		'a comment nowhere',
		sampleEntry({deliver: 'forge_comment', deliver_extra: {repo: 'a/b'}}),
		/without deliver_extra.pr_number/,
	],
	['a misfire that is none', sampleEntry({misfire: 'twice'}), /misfire "twice" is not known/],
	['a birth that is none', sampleEntry({created_at: 'then'}), /created_at must be a time/],
	['paused by a word', sampleEntry({paused: 'yes'}), /paused must be true or false/],
] as const)('an entry that cannot be used says why: %s', ([, entry, words]) => {
	const interpreted = interpretJob(entry, 2);
	expect(interpreted).toMatchObject({ok: false, job: {problem: expect.stringMatching(words)}});
});

test('no entry makes the room throw, and its identifier is safe or its place', () => {
	fc.assert(
		fc.property(
			fc.oneof(
				fc.jsonValue(),
				fc.record({id: fc.string(), name: fc.jsonValue(), schedule: fc.jsonValue()}),
			),
			fc.nat(),
			(entry, index) => {
				const text = JSON.stringify(entry);
				const {job} = interpretJob(JSON.parse(text), index);
				expect(job.id).toMatch(/^(?:job_[a-z0-9]{8}|#\d+)$/);
			},
		),
	);
});

test('a file is read again when it changed, and gives the same set until then', () => {
	using profile = sampleProfile();
	const reader = readerOf(profile);
	expect(reader.current()).toEqual({entries: [], complete: false});

	const entry = sampleEntry();
	profile.writeJobs(entry);
	const first = reader.current();
	expect(first).toMatchObject({complete: true, entries: [{ok: true, job: {id: entry.id}}]});
	expect(reader.current()).toBe(first);

	profile.writeJobs(sampleEntry({name: 'two'}), entry);
	const second = reader.current();
	expect(second.entries.map(({job}) => job.name)).toEqual(['two', 'digest']);
	// What did not change is not worked out again.
	expect(second.entries[1]).toBe(first.entries[0]);

	profile.remove();
	expect(reader.current()).toEqual({entries: [], complete: false});
});

test.for([
	['no JSON', '{"jobs": [', /is not JSON/],
	['no object', '[]', /must hold one JSON object with a list under "jobs"/],
	['no list', '{"jobs": {}}', /with a list under "jobs"/],
	['no jobs', '{}', /with a list under "jobs"/],
	['too large', ' '.repeat(4 * 1024 * 1024 + 1), /larger than/],
] as const)(
	'"a file that does not parse … keeps the last good set, and is reported": %s',
	([, text, words]) => {
		using profile = sampleProfile();
		const {log, lines} = recordingLogger();
		const reader = readerOf(profile, log);
		const entry = sampleEntry();
		profile.writeJobs(entry);
		const good = reader.current();
		profile.writeText(text);
		expect(reader.current()).toMatchObject({
			entries: good.entries,
			complete: false,
			problem: expect.stringMatching(words),
		});
		expect(reader.current().problem).toMatch(words);
		expect(lines).toHaveLength(1);
		expect(lines[0]).toMatch(/^warn .*the last good jobs stay in place/);

		profile.writeJobs(entry);
		expect(reader.current()).toMatchObject({entries: good.entries, complete: true});
		expect(reader.current()).not.toHaveProperty('problem');
	},
);

test('"one bad entry is invalid, the others work", and it is said once', () => {
	using profile = sampleProfile();
	const {log, lines} = recordingLogger();
	const reader = readerOf(profile, log);
	const bad = sampleEntry({schedule: 'daily'});
	profile.writeJobs(bad, sampleEntry({name: 'good'}));
	expect(reader.current().entries.map(({ok}) => ok)).toEqual([false, true]);
	profile.writeJobs(bad, sampleEntry({name: 'better'}));
	expect(reader.current().entries.map(({ok}) => ok)).toEqual([false, true]);
	expect(lines).toHaveLength(1);
});

test('of two entries with one identifier the later cannot be used', () => {
	using profile = sampleProfile();
	const entry = sampleEntry();
	profile.writeJobs(entry, {...entry, name: 'second'});
	expect(readerOf(profile).current().entries).toMatchObject([
		{ok: true, job: {name: 'digest'}},
		{ok: false, job: {id: '#2', problem: expect.stringContaining('is that of another job')}},
	]);
});

test('"Reference = id, else exact name; a name that two jobs have is ambiguous"', () => {
	using profile = sampleProfile();
	const one = sampleEntry({name: 'one'});
	const trap = sampleEntry({name: one.id});
	profile.writeJobs(
		trap,
		one,
		sampleEntry({name: 'twin'}),
		sampleEntry({name: 'twin'}),
		sampleEntry({name: 'bad', schedule: 'never'}),
	);
	const set = readerOf(profile).current();
	const found = (reference: string) => findJob(set, reference);
	expect(found(one.id)).toMatchObject({kind: 'found', job: {name: 'one'}});
	expect(found('one')).toMatchObject({kind: 'found', job: {id: one.id}});
	expect(found('One')).toEqual({kind: 'unknown'});
	expect(found('twin')).toEqual({kind: 'ambiguous'});
	expect(found('bad')).toMatchObject({kind: 'invalid'});
	expect(unavailableJob('One\u001b', found('One'))).toBe('there is no job "One␛"');
	expect(unavailableJob('twin', found('twin'))).toContain('several jobs');
	expect(unavailableJob('bad', found('bad'))).toContain('Job "bad" cannot be used');
	expect(unavailableJob('one', found('one'))).toContain('paused');
	expect(() => requireJob('twin', found('twin'))).toThrow(
		expect.objectContaining({code: 'job_ambiguous'}),
	);
});

test('an edit keeps what nobody knows, is private, and creates what is missing', async () => {
	using profile = sampleProfile();
	rmSync(profile.paths.cron, {recursive: true});
	await editJobs(profile.paths, entries => ({entries: [...entries, {id: 'x'}], value: undefined}), {
		clock: systemClock,
	});
	expect(profile.mode()).toBe(0o600);
	profile.writeText('{"version": 7, "jobs": [{"id": "a", "mine": [1]}]}');
	await editJobs(profile.paths, entries => ({entries: [...entries, {id: 'b'}], value: undefined}), {
		clock: systemClock,
	});
	expect(JSON.parse(readFileSync(profile.file, 'utf8'))).toEqual({
		version: 7,
		jobs: [{id: 'a', mine: [1]}, {id: 'b'}],
	});
});

test('"a file that does not parse is never overwritten"', async () => {
	using profile = sampleProfile();
	const text = '{"jobs": [{"name": "precious"}';
	profile.writeText(text);
	await expect(
		editJobs(profile.paths, entries => ({entries: [...entries, {}], value: undefined}), {
			clock: systemClock,
		}),
	).rejects.toMatchObject({code: 'jobs_broken'});
	expect(readFileSync(profile.file, 'utf8')).toBe(text);
});

test('edits of several at the same time all stay', async () => {
	using profile = sampleProfile();
	mkdirSync(profile.paths.run, {recursive: true});
	writeFileSync(profile.file, '');
	await Promise.all(
		Array.from({length: 20}, async (_, index) =>
			editJobs(profile.paths, entries => ({entries: [...entries, {id: index}], value: undefined}), {
				clock: systemClock,
			}),
		),
	);
	const {jobs} = JSON.parse(readFileSync(profile.file, 'utf8'));
	expect(jobs.map(({id}: {id: number}) => id).toSorted((a: number, b: number) => a - b)).toEqual(
		Array.from({length: 20}, (_, index) => index),
	);
});

test('the basis changes with the schedule and its zone, and with nothing else', () => {
	const id = 'job_00000000';
	const {basis} = sampleJob({id});
	expect(sampleJob({id, name: 'x', prompt: 'y', deliver: 'email', paused: true}).basis).toBe(basis);
	expect(sampleJob({id, schedule: '0 10 * * *'}).basis).not.toBe(basis);
	expect(sampleJob({id, time_zone: 'Europe/Berlin'}).basis).not.toBe(basis);
});

test('a file that changes twice within one tick of its time stamp is read twice', () => {
	using profile = sampleProfile();
	const clock = createFakeClock(Date.parse('2026-11-20T12:00:00Z'));
	const reader = createJobsReader({paths: profile.paths, clock, log: silentLogger});
	const write = (name: string) => {
		writeFileSync(profile.file, JSON.stringify({jobs: [sampleEntry({id: 'job_00000000', name})]}));
		const at = Date.parse('2026-11-20T12:00:00Z') / 1000;
		utimesSync(profile.file, at, at);
	};
	const names = () => reader.current().entries.map(({job}) => job.name);
	write('one');
	expect(names()).toEqual(['one']);
	// In place, as long as before, by the same stamp.
	write('two');
	expect(names()).toEqual(['two']);
	clock.advance(101);
	const settled = reader.current();
	// From now on the stamp tells.
	write('six');
	expect(reader.current()).toBe(settled);
});
