import {mkdir, stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson} from './command.ts';

const json = async (home: TemporaryHome, ...args: readonly string[]) =>
	commandJson(args, {home: home.path});

const entries = async (home: TemporaryHome) => JSON.parse(await home.read('cron/jobs.json')).jobs;

const homeWith = async (...jobs: readonly unknown[]): Promise<TemporaryHome> => {
	const home = await temporaryHome();
	await mkdir(home.file('cron'));
	await home.write('cron/jobs.json', JSON.stringify({jobs}));
	return home;
};

const digest = {
	id: 'job_aaaaaaaa',
	name: 'digest',
	schedule: '0 9 * * *',
	time_zone: 'Europe/Berlin',
	prompt: 'Sum up the day',
	created_at: '2026-01-01T00:00:00.000Z',
};

const twins = [
	{...digest, id: 'job_bbbbbbbb', name: 'twin'},
	{...digest, id: 'job_cccccccc', name: 'twin'},
];

const add = ['cron', 'add', '--name', 'digest', '--schedule', '0 9 * * *', '--prompt', 'Sum up'];

test('a job is added without a gateway: its identifier and its next three times in its zone', async () => {
	await using home = await temporaryHome();
	const {code, stdout, stderr} = await command([...add, '--time-zone', 'Asia/Tokyo'], {
		home: home.path,
	});
	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	const [first = '', ...times] = stdout.trimEnd().split('\n');
	const [, id = ''] = /^Added (job_[a-z0-9]{8}) \(digest\)$/.exec(first) ?? [];
	expect(times).toHaveLength(3);
	expect(times.every(line => / \d{4}-\d\d-\d\d 09:00:00 Asia\/Tokyo$/.test(line))).toBe(true);
	expect(await entries(home)).toEqual([
		{
			id,
			name: 'digest',
			schedule: '0 9 * * *',
			time_zone: 'Asia/Tokyo',
			prompt: 'Sum up',
			created_at: expect.stringMatching(/^\d{4}-.*Z$/),
		},
	]);
	expect((await stat(home.file('cron/jobs.json'))).mode & 0o777).toBe(0o600);

	const second = await json(home, ...add, '--time-zone', 'Asia/Tokyo', '--name', 'second');
	expect(second).toMatchObject({name: 'second', timeZone: 'Asia/Tokyo', paused: false});
	expect(second.next).toHaveLength(3);
	expect(second.next[0]).toMatch(/T09:00:00\+09:00$/);
	expect((await entries(home)).map(({name}: {name: string}) => name)).toEqual(['digest', 'second']);
});

test('every flag is written under its property', async () => {
	await using home = await temporaryHome({'prompt.md': 'Sum up\nthe week\n'});
	const flags = [
		['--name', 'all'],
		['--schedule', 'every 2h'],
		['--prompt-file', home.file('prompt.md')],
		['--skills', 'a,b'],
		['--toolsets', 'mcp'],
		['--model', 'small'],
		['--deliver', 'email'],
		['--deliver-chat-id', 'me@example.org'],
		['--deliver-extra', 'subject=Hello'],
		['--misfire', 'skip'],
		['--paused'],
	];
	await home.write(
		'config.yaml',
		'platforms: {email: {enabled: true, from: svc@example.org, smtp: {host: localhost}}}\n',
	);
	const {id} = await json(home, 'cron', 'add', ...flags.flat());
	expect(await entries(home)).toEqual([
		{
			id,
			name: 'all',
			schedule: 'every 2h',
			prompt: 'Sum up\nthe week',
			skills: ['a', 'b'],
			toolsets: ['mcp'],
			model: 'small',
			deliver: 'email',
			deliver_extra: {chat_id: 'me@example.org', subject: 'Hello'},
			paused: true,
			misfire: 'skip',
			created_at: expect.any(String),
		},
	]);

	const typed = await command(
		['cron', 'add', '--name', 'typed', '--schedule', 'every 1d', '--prompt-file', '-'],
		{home: home.path, stdin: 'From a pipe'},
	);
	expect(typed.code).toBe(0);
	expect((await entries(home))[1]).toMatchObject({name: 'typed', prompt: 'From a pipe'});
});

test.for([
	['a schedule that is none', ['--schedule', 'daily'], /"daily" is not a schedule/],
	['a schedule that never fires', ['--schedule', '0 0 30 2 *'], /"0 0 30 2 \*" never fires/],
	['a time that is over', ['--schedule', '2001-01-01T00:00Z'], /would never fire: "2001-/],
	['a zone that is none', ['--time-zone', 'Mars'], /"Mars" is not a time zone/],
	['an empty prompt', ['--prompt', ''], /prompt must not be empty/],
	['an unknown target', ['--deliver', 'pigeon'], /"pigeon" is not known/],
	[
		'a comment nowhere',
		['--deliver', 'forge_comment'],
		/deliver_extra.repo and deliver_extra.pr_n/,
	],
	['a name with a break', ['--name', 'a\n'], /name must not begin or end with a blank/],
] as const)('what could not fire is refused and changes nothing: %s', async ([, args, words]) => {
	await using home = await homeWith(digest);
	const {code, stdout, stderr} = await command([...add, ...args], {home: home.path});
	expect({code, stdout}).toEqual({code: 1, stdout: ''});
	expect(stderr).toMatch(words);
	expect(stderr).toContain('job_refused');
	expect(await entries(home)).toEqual([digest]);
});

test.for([
	['no prompt', ['cron', 'add', '--name', 'x', '--schedule', 'every 1d']],
	['two prompts', [...add, '--prompt-file', 'x']],
	['no schedule', ['cron', 'add', '--name', 'x', '--prompt', 'x']],
	['no name', ['cron', 'add', '--schedule', 'every 1d', '--prompt', 'x']],
	['a rule that is none', [...add, '--misfire', 'twice']],
	['no job', ['cron', 'show']],
	['an unknown command', ['cron', 'explode']],
	['no command', ['cron']],
] as const)('wrong usage exits with 2 and writes nothing: %s', async ([, args]) => {
	await using home = await temporaryHome();
	const {code, stdout} = await command(args, {home: home.path});
	expect({code, stdout}).toEqual({code: 2, stdout: ''});
	await expect(home.read('cron/jobs.json')).rejects.toThrow('ENOENT');
});

test.for([
	['add', add],
	['add, with its identifier for a name', [...add, '--name', digest.id]],
	['edit', ['cron', 'edit', 'job_bbbbbbbb', '--name', 'digest']],
] as const)(
	'a name that another job has is refused, and nothing is written: %s',
	async ([, args]) => {
		await using home = await homeWith(digest, twins[0]);
		const {code, stdout, stderr} = await command(args, {home: home.path});
		expect({code, stdout}).toEqual({code: 1, stdout: ''});
		expect(stderr).toContain(
			'Job "digest" exists (job_aaaaaaaa): take another --name, or change it: svc cron edit job_aaaaaaaa',
		);
		expect(await entries(home)).toEqual([digest, twins[0]]);
	},
);

test('of two jobs with one name, written by hand, each can be changed, and gets a name of its own', async () => {
	await using home = await homeWith(...twins);
	const edit = async (...flags: readonly string[]) =>
		command(['cron', 'edit', 'job_cccccccc', ...flags], {home: home.path});
	expect((await edit('--prompt', 'Sum up')).code).toBe(0);
	expect((await edit('--name', 'third')).code).toBe(0);
	expect((await edit('--name', 'third')).code).toBe(0);
	expect(await entries(home)).toEqual([twins[0], {...twins[1], name: 'third', prompt: 'Sum up'}]);
});

test('jobs are listed and shown without a gateway, also those that cannot be used', async () => {
	await using home = await homeWith(
		digest,
		{...digest, id: 'job_dddddddd', name: 'idle', paused: true},
		{...digest, id: 'job_eeeeeeee', name: 'over', schedule: '2001-01-01T00:00Z'},
		{...digest, id: 'x', name: 'bad\u001B[2J'},
	);
	const views = await json(home, 'cron', 'list');
	expect(views).toMatchObject([
		{id: 'job_aaaaaaaa', state: 'active', nextAt: expect.any(Number), deliver: 'log', open: 0},
		{id: 'job_dddddddd', state: 'paused'},
		{id: 'job_eeeeeeee', state: 'ended'},
		{id: '#4', state: 'invalid', problem: expect.stringContaining('id must be')},
	]);
	const {stdout} = await command(['cron', 'list'], {home: home.path});
	expect(stdout).toContain('job_aaaaaaaa  digest');
	expect(stdout).not.toContain('\u001B');

	const shown = await json(home, 'cron', 'show', 'digest');
	expect(shown).toMatchObject({
		id: 'job_aaaaaaaa',
		prompt: 'Sum up the day',
		misfire: 'once',
		next: [expect.stringMatching(/T09:00:00\+0[12]:00$/), expect.any(String), expect.any(String)],
		runs: [],
	});
	const text = await command(['cron', 'show', 'job_aaaaaaaa'], {home: home.path});
	expect(text.stdout).toContain('09:00:00 Europe/Berlin');
	expect(text.stdout).toContain('Sum up the day');
});

test('no jobs are an empty list', async () => {
	await using home = await temporaryHome();
	expect(await json(home, 'cron', 'list')).toEqual([]);
	expect(await command(['cron', 'list'], {home: home.path})).toMatchObject({
		code: 0,
		stdout: '',
		stderr: expect.stringContaining('svc cron add'),
	});
});

test('a job is paused, resumed and removed in its file; what nobody knows stays', async () => {
	await using home = await homeWith({...digest, mine: [1]}, ...twins);
	expect(await json(home, 'cron', 'pause', 'digest')).toEqual({
		id: 'job_aaaaaaaa',
		name: 'digest',
		paused: true,
	});
	expect((await entries(home))[0]).toEqual({...digest, mine: [1], paused: true});
	await command(['cron', 'resume', 'job_aaaaaaaa'], {home: home.path});
	expect((await entries(home))[0]).toEqual({...digest, mine: [1], paused: false});
	const removed = await command(['cron', 'remove', 'digest'], {home: home.path});
	expect(removed).toMatchObject({code: 0, stdout: 'Removed job_aaaaaaaa (digest)\n', stderr: ''});
	expect(await entries(home)).toEqual(twins);
	await command(['cron', 'remove', 'job_cccccccc'], {home: home.path});
	expect(await entries(home)).toEqual([twins[0]]);
});

test('a job that cannot be used can be removed by its place', async () => {
	await using home = await homeWith(digest, {id: 'x', name: 'bad'});
	expect((await command(['cron', 'remove', '#2'], {home: home.path})).code).toBe(0);
	expect(await entries(home)).toEqual([digest]);
});

test.for(['show', 'pause', 'resume', 'remove'])(
	'"a name that two jobs have is ambiguous", and an unknown one is not found: %s',
	async word => {
		await using home = await homeWith(digest, ...twins);
		const ambiguous = await command(['cron', word, 'twin'], {home: home.path});
		expect(ambiguous).toMatchObject({code: 1, stdout: ''});
		expect(ambiguous.stderr).toContain('job_ambiguous');
		const unknown = await command(['cron', word, 'nobody'], {home: home.path});
		expect(unknown).toMatchObject({code: 1, stdout: ''});
		expect(unknown.stderr).toContain('job_not_found');
		expect(await entries(home)).toEqual([digest, ...twins]);
	},
);

test('"a file that does not parse is never overwritten"', async () => {
	await using home = await homeWith();
	const text = '{"jobs": [{"name": "precious"}';
	await home.write('cron/jobs.json', text);
	for (const args of [add, ['cron', 'pause', 'x'], ['cron', 'remove', 'x'], ['cron', 'list']]) {
		const {code, stderr} = await command(args, {home: home.path});
		expect(code).toBe(1);
		expect(stderr).toContain('is not JSON');
		expect(await home.read('cron/jobs.json')).toBe(text);
	}
});

test('a run needs a gateway', async () => {
	await using home = await homeWith(digest);
	const {code, stderr} = await command(['cron', 'run', 'digest'], {home: home.path});
	expect(code).toBe(1);
	expect(stderr).toContain('gateway_not_running');
});

/** The answer of the only run is in the log. */
const answered = async (gateway: TestGateway) => {
	await gateway.ended(1);
	expect(gateway.log.join('\n')).toContain('Answer of job "digest"');
};

test('a gateway that runs sees what is added, fires it, and tells of it', async () => {
	await using gateway = await startTestGateway();
	const {home} = gateway;
	const {id} = await json(home, ...add);
	expect(await json(home, 'cron', 'list')).toMatchObject([{id, state: 'active'}]);

	const {stdout} = await command(['cron', 'run', id], {home: home.path});
	expect(stdout).toBe(`Run #1 of ${id} is queued (svc runs show 1)\n`);
	await answered(gateway);
	const live = await json(home, 'cron', 'show', 'digest');
	expect(live).toMatchObject({
		state: 'active',
		lastRunId: 1,
		answerFile: expect.stringMatching(new RegExp(`/cron/output/${id}/.*-run1\\.md$`)),
		runs: [{id: 1, event: 'person', job: {id, name: 'digest'}}],
	});
	const unknown = await command(['cron', 'run', 'nobody'], {home: home.path});
	expect(unknown).toMatchObject({code: 1, stdout: ''});
	expect(unknown.stderr).toContain('job_not_found');

	await command(['gateway', 'stop'], {home: home.path});
	await gateway.gateway.stopped;
	expect(await json(home, 'cron', 'list')).toMatchObject([
		{id, state: 'active', lastRunId: 1, lastRunState: 'done', nextAt: live.nextAt},
	]);
});

test('a profile has jobs of its own; the gateway of the home fires them when it serves profiles', async () => {
	await using home = await gatewayHome({config: {gateway: {multiplex_profiles: true}}});
	await mkdir(home.file('profiles/work'), {recursive: true});
	await json(home, '-p', 'work', ...add);
	expect(await json(home, 'cron', 'list')).toEqual([]);
	expect(await json(home, '-p', 'work', 'cron', 'list')).toMatchObject([
		{name: 'digest', profile: 'work'},
	]);

	await using gateway = await startTestGateway({home});
	expect((await command(['cron', 'run', 'digest'], {home: home.path})).stderr).toContain(
		'job_not_found',
	);
	const run = await command(['-p', 'work', 'cron', 'run', 'digest'], {home: home.path});
	expect(run).toMatchObject({
		code: 0,
		stdout: 'Run #1 of digest is queued (svc runs show 1, without "-p work")\n',
	});
	await answered(gateway);
	expect(await json(home, '-p', 'work', 'cron', 'show', 'digest')).toMatchObject({lastRunId: 1});
	await command(['gateway', 'stop'], {home: home.path});
	await gateway.gateway.stopped;
	expect(await json(home, '-p', 'work', 'cron', 'list')).toMatchObject([{lastRunId: 1}]);
});

test('"edit" changes what the flags name; identifier, other keys and the day it was made stay', async () => {
	const job = {
		...digest,
		deliver: 'email',
		deliver_extra: {chat_id: 'a@example.com', own: 1},
		mine: true,
	};
	await using home = await homeWith(twins[0], job);
	const edit = async (...flags: readonly string[]) =>
		command(['cron', 'edit', 'digest', ...flags], {home: home.path});

	const {code, stdout} = await edit('--schedule', 'every 2h', '--deliver-extra', 'subject=x');
	expect({code, stdout}).toEqual({
		code: 0,
		stdout: expect.stringMatching(
			/^Changed job_aaaaaaaa \(digest\): schedule, deliver_extra\nnext  .* Europe\/Berlin\n$/,
		),
	});
	const changed = {
		...job,
		schedule: 'every 2h',
		deliver_extra: {chat_id: 'a@example.com', own: 1, subject: 'x'},
	};
	expect(await entries(home)).toEqual([twins[0], changed]);

	// Another target has other keys.
	expect(await edit('--deliver', 'log', '--name', 'nightly')).toMatchObject({code: 0});
	const {deliver_extra: _, ...rest} = changed;
	const moved = {...rest, deliver: 'log', name: 'nightly'};
	expect(await entries(home)).toEqual([twins[0], moved]);

	const wrong: ReadonlyArray<readonly [readonly string[], number, string]> = [
		[['cron', 'edit', 'digest', '--name', 'y'], 1, 'job_not_found'],
		[['cron', 'edit', 'job_aaaaaaaa'], 2, 'Nothing to change'],
		[['cron', 'edit', 'job_aaaaaaaa', '--schedule', 'never'], 1, 'job_refused'],
		[['cron', 'edit', 'job_aaaaaaaa', '--prompt', 'x', '--prompt-file', 'y'], 2, 'use either'],
	];
	for (const [words, exit, said] of wrong) {
		expect(await command(words, {home: home.path})).toMatchObject({
			code: exit,
			stdout: '',
			stderr: expect.stringContaining(said),
		});
	}

	expect(await entries(home)).toEqual([twins[0], moved]);
});
