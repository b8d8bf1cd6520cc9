import {execFileSync} from 'node:child_process';
import {mkdir, readdir, readFile, stat, symlink, truncate, writeFile} from 'node:fs/promises';
import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {maxArchiveMembers} from '../../../source/cli/backup/members.ts';
import {openArchive} from '../../../source/cli/backup/read-archive.ts';
import {tarHeaderOf} from '../../../source/cli/backup/tar-header.ts';
import {gatewayHome, startTestGateway} from '../../helpers/gateway.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';
import {command} from '../command.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

const run = async (home: TemporaryHome, ...args: readonly string[]) =>
	command(args, {home: home.path});

/** A home with something of everything, and a profile. */
async function fullHome() {
	const home = await gatewayHome({
		subscriptions: {hook: {prompt: 'Event {n}', rate_limit: 100_000}},
	});
	for (const [path, text, mode] of [
		['.env', 'TOKEN=hush\n', 0o600],
		['scripts/filter.sh', 'echo hi\n', 0o700],
		['skills/review/SKILL.md', '---\nname: review\n---\n', 0o600],
		['cron/jobs.json', '{"jobs": []}\n', 0o600],
		['mcp-tokens/crm.json', '{"token": "hush"}\n', 0o600],
		['profiles/work/.env', 'TOKEN=work\n', 0o600],
		['logs/gateway.log', 'old\n', 0o600],
		['cache/other.json', '{}', 0o600],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- a few small files
		await mkdir(home.file(path.slice(0, path.lastIndexOf('/') + 1)), {
			recursive: true,
			mode: 0o700,
		});
		// oxlint-disable-next-line no-await-in-loop -- as above
		await writeFile(home.file(path), text, {mode});
	}

	return home;
}

test('a backup of a gateway that runs, under traffic, makes the same gateway in another home', async () => {
	await using home = await fullHome();
	await using place = await temporaryHome();
	const file = place.file('backup.tar');
	let accepted = 0;
	let counted = 0;
	{
		await using gateway = await startTestGateway({home});
		const ended = new AbortController();
		const traffic = (async () => {
			while (!ended.signal.aborted) {
				// oxlint-disable-next-line no-await-in-loop -- one event after the other
				const {json} = await gateway.send(
					'hook',
					{n: accepted},
					{'x-github-delivery': `id-${accepted}`},
				);
				expect(json['status']).toBe('accepted');
				accepted += 1;
			}
		})();
		await gateway.until(({deliveries}) => deliveries.length > 5);
		counted = accepted;
		const {code, stdout, stderr} = await run(home, 'backup', file);
		ended.abort();
		await traffic;
		expect({code, stderr}).toEqual({code: 0, stderr: ''});
		expect(stdout).toContain(`in "${file}", secrets included`);
		expect(gateway.log.filter(line => /error|warn/i.test(line) && /journal/.test(line))).toEqual(
			[],
		);
	}

	expect(await modeOf(file)).toBe(0o600);
	expect(await readdir(place.path)).toEqual(['backup.tar']);
	expect(execFileSync('tar', ['tf', file]).toString().trim().split('\n')).toEqual([
		'svc-backup.json',
		'config.yaml',
		'.env',
		'webhook_subscriptions.json',
		'mark.key',
		'scripts/filter.sh',
		'skills/review/SKILL.md',
		'cron/jobs.json',
		'mcp-tokens/crm.json',
		'state.db',
		'profiles/work/.env',
	]);

	await using other = await temporaryHome();
	const restored = await run(other, 'restore', file);
	expect(restored).toMatchObject({code: 0, stderr: ''});
	expect(await modeOf(other.file('.env'))).toBe(0o600);
	expect(await modeOf(other.file('state.db'))).toBe(0o600);
	expect(await modeOf(other.file('scripts/filter.sh'))).toBe(0o700);
	for (const path of [
		'config.yaml',
		'.env',
		'mark.key',
		'profiles/work/.env',
		'mcp-tokens/crm.json',
	]) {
		// oxlint-disable-next-line no-await-in-loop -- a few small files
		expect(await readFile(other.file(path))).toEqual(await readFile(home.file(path)));
	}

	await using again = await startTestGateway({home: other});
	await again.gateway.idle();
	// All that was accepted before the backup began is there, and runs that had not ended did.
	const runs = await again.port.listRuns({limit: 1000});
	expect(runs.length).toBeGreaterThanOrEqual(Math.min(counted, 1000));
	expect(new Set(runs.map(({state}) => state))).toEqual(new Set(['done']));
	const repeated = await again.send('hook', {n: 0}, {'x-github-delivery': 'id-0'});
	expect(repeated.json['status']).toBe('duplicate');
});

test('a file that is there is replaced with --force only', async () => {
	await using home = await fullHome();
	await using place = await temporaryHome();
	const file = place.file('backup.tar');
	await writeFile(file, 'precious');
	const refused = await run(home, 'backup', file);
	expect(refused).toMatchObject({code: 1, stdout: ''});
	expect(refused.stderr).toContain('it exists; --force replaces it');
	expect(await readFile(file, 'utf8')).toBe('precious');
	expect((await run(home, 'backup', file, '--force')).code).toBe(0);
	expect(await modeOf(file)).toBe(0o600);
	expect(await readdir(place.path)).toEqual(['backup.tar']);
});

test('links in folders are not followed, and said', async () => {
	await using home = await fullHome();
	await using place = await temporaryHome();
	await writeFile(place.file('secret'), 'not of this home');
	await symlink(place.file('secret'), home.file('skills/link'));
	await symlink(place.path, home.file('scripts/folder'));
	const {code, stderr} = await run(home, 'backup', place.file('backup.tar'));
	expect(code).toBe(0);
	expect(stderr.trim().split('\n')).toEqual([
		'Left out, because it is a link: scripts/folder',
		'Left out, because it is a link: skills/link',
	]);
	expect((await readFile(place.file('backup.tar'))).includes('not of this home')).toBe(false);
});

test('a home that is not empty is restored into with --force only, and what was there is set aside', async () => {
	await using home = await fullHome();
	await using place = await temporaryHome();
	const file = place.file('backup.tar');
	await run(home, 'backup', file);
	await using other = await temporaryHome({'config.yaml': 'mine: true\n', 'scripts/own.sh': 'x'});
	const refused = await run(other, 'restore', file);
	expect(refused.code).toBe(1);
	expect(refused.stderr).toContain('it is not empty; --force sets aside what is there');
	expect(await other.read('config.yaml')).toBe('mine: true\n');

	const {code, stdout} = await run(other, 'restore', file, '--force');
	expect(code).toBe(0);
	const [, aside = ''] = /What was there before is in "(.*)"/.exec(stdout) ?? [];
	expect(await readFile(`${aside}/config.yaml`, 'utf8')).toBe('mine: true\n');
	expect(await readdir(`${aside}/scripts`)).toEqual(['own.sh']);
	expect(await readdir(other.file('scripts'))).toEqual(['filter.sh']);
	expect((await readdir(other.path)).filter(name => name.startsWith('restore-'))).toEqual([]);
});

test('nothing is restored while a gateway runs', async () => {
	await using home = await fullHome();
	await using place = await temporaryHome();
	const file = place.file('backup.tar');
	await run(home, 'backup', file);
	await using gateway = await startTestGateway({home});
	const {code, stderr} = await run(home, 'restore', file, '--force');
	expect(code).toBe(1);
	expect(stderr).toContain(`Cannot restore while a gateway runs for "${home.path}"`);
	expect(await readdir(home.path)).not.toContain(expect.stringMatching(/^re(?:store|placed)-/));
	expect((await gateway.send('hook', {n: 1})).status).toBe(202);
});

const manifest = {name: 'svc-backup.json', text: '{"format":1,"version":"1.0.0","at":"2026"}'};

/** An archive of these files, as `svc backup` would have written it. */
const archiveOf = (files: ReadonlyArray<{readonly name: string; readonly text: string}>) =>
	Buffer.concat([
		...files.flatMap(({name: path, text}) => {
			const content = Buffer.from(text);
			return [
				tarHeaderOf({path, bytes: content.length, executable: false, modifiedAt: 0}),
				content,
				Buffer.alloc((512 - (content.length % 512)) % 512),
			];
		}),
		Buffer.alloc(1024),
	]);

const sound = archiveOf([manifest, {name: 'config.yaml', text: '{}'}]);

test.for([
	['a way up', archiveOf([manifest, {name: 'scripts/../../evil', text: 'x'}]), 'no file of a home'],
	['an absolute path', archiveOf([manifest, {name: '/etc/evil', text: 'x'}]), 'no file of a home'],
	[
		'a file that no backup has',
		archiveOf([manifest, {name: 'run/gateway.sock', text: ''}]),
		'no file of a home',
	],
	[
		'a profile with a strange name',
		archiveOf([manifest, {name: 'profiles/../.env', text: ''}]),
		'no file of a home',
	],
	[
		'the same path twice',
		archiveOf([manifest, {name: '.env', text: 'a'}, {name: '.env', text: 'b'}]),
		'twice',
	],
	[
		'a file that is the folder of another',
		archiveOf([manifest, {name: 'scripts/a/b', text: 'x'}, {name: 'scripts/a', text: 'x'}]),
		'it holds "scripts/a" as a file and as the folder of "scripts/a/b"',
	],
	['no word of who made it', archiveOf([{name: 'config.yaml', text: '{}'}]), 'no backup that'],
	[
		'another form',
		archiveOf([{...manifest, text: '{"format":2,"version":"9.0.0"}'}]),
		'svc 9.0.0 wrote it',
	],
	['a cut end', sound.subarray(0, -1024), 'cut, changed'],
	['a cut file', sound.subarray(0, 1536 + 100), 'is cut'],
	[
		'a changed header',
		Buffer.concat([sound.subarray(0, 1024), Buffer.from('x'), sound.subarray(1025)]),
		'changed',
	],
	['no archive', Buffer.from('hello'), 'cut, changed'],
	['nothing', Buffer.alloc(0), 'cut, changed'],
	[
		'a journal that is none',
		archiveOf([
			manifest,
			{name: 'state.db', text: 'not a database, but long enough to be looked at'},
		]),
		'not a database',
	],
] as const)('an archive with %s is refused as a whole', async ([, content, reason]) => {
	await using place = await temporaryHome();
	await using home = await temporaryHome();
	await writeFile(place.file('backup.tar'), content);
	const {code, stderr} = await run(home, 'restore', place.file('backup.tar'));
	expect(code).toBe(1);
	expect(stderr).toContain(reason);
	expect(await readdir(home.path)).not.toContain('config.yaml');
});

test('a link in an archive of another program is refused', async () => {
	await using place = await temporaryHome();
	await using home = await temporaryHome();
	await writeFile(place.file('svc-backup.json'), manifest.text);
	await symlink('/etc/passwd', place.file('config.yaml'));
	execFileSync('tar', ['cf', 'backup.tar', '--format=ustar', 'svc-backup.json', 'config.yaml'], {
		cwd: place.path,
	});
	const {code, stderr} = await run(home, 'restore', place.file('backup.tar'));
	expect(code).toBe(1);
	expect(stderr).toContain('it is cut, changed or no backup');
});

test('a journal that a newer program wrote says which, and what to do, when it is opened and when it is restored', async () => {
	await using home = await fullHome();
	await using place = await temporaryHome();
	{
		await using _ = await startTestGateway({home});
	}

	const age = () => {
		using database = new DatabaseSync(home.file('state.db'));
		database.exec(
			`update memo set data = '"42.1.0"' where kind = 'program'; pragma user_version = 77`,
		);
	};
	await run(home, 'backup', place.file('backup.tar'));
	age();
	await expect(startTestGateway({home})).rejects.toThrow(
		/svc 42\.1\.0 wrote it, with schema 77, and this program knows \d+: upgrade to that version, or restore a backup/,
	);
	expect((await run(home, 'backup', place.file('newer.tar'))).stderr).toContain(
		'svc 42.1.0 wrote it',
	);
	expect((await run(home, 'restore', place.file('backup.tar'), '--force')).code).toBe(0);
	await using gateway = await startTestGateway({home});
	expect((await gateway.send('hook', {n: 1})).status).toBe(202);
});

test('a file that cannot be restored is not backed up, and one that is called like the journal is like any other', async () => {
	await using home = await fullHome();
	await using place = await temporaryHome();
	await writeFile(home.file('skills/review/state.db'), 'no database');
	await writeFile(home.file('skills/review/large'), '');
	await truncate(home.file('skills/review/large'), 256 * 1024 * 1024 + 1);
	await writeFile(home.file(`skills/${'n'.repeat(101)}`), '');
	await writeFile(home.file('skills/a\\b'), '');
	await writeFile(Buffer.concat([Buffer.from(home.file('skills/z')), Buffer.from([0xff])]), '');
	const deep = Array.from({length: 30}, () => 'd').join('/');
	await mkdir(home.file(`skills/${deep}`), {recursive: true});
	await writeFile(home.file(`skills/${deep}/kept`), '');
	await mkdir(home.file(`skills/${deep}/d`));
	await writeFile(home.file(`skills/${deep}/d/lost`), '');
	execFileSync('mkfifo', [home.file('skills/pipe')]);
	await mkdir(home.file('keys.yaml'));
	await writeFile(home.file('profiles/work/scripts'), 'no folder');
	const {stderr} = await run(home, 'backup', place.file('backup.tar'));
	expect(stderr.trim().split('\n')).toEqual([
		'Left out, because it is no plain file: keys.yaml',
		String.raw`Left out, because its path has a backslash or a control character: skills/a\b`,
		`Left out, because its path has more than 32 parts: skills/${deep}/d/lost`,
		`Left out, because its path is too long: skills/${'n'.repeat(101)}`,
		'Left out, because it is no plain file: skills/pipe',
		'Left out, because it is above 256 MiB: skills/review/large',
		'Left out, because its name is no UTF-8: skills/z\u{FFFD}',
		'Left out, because it is no file that a backup has: profiles/work/scripts',
	]);
	await using other = await temporaryHome();
	expect(await run(other, 'restore', place.file('backup.tar'))).toMatchObject({
		code: 0,
		stderr: '',
	});
	expect(await other.read('skills/review/state.db')).toBe('no database');
});

test.for(['.env', 'profiles/work/.env'])(
	'a restore that failed does not stand in the way of the next one: %s',
	async name => {
		await using place = await temporaryHome();
		await using home = await temporaryHome();
		const files = [manifest, {name, text: 'TOKEN=x'}, {name: 'cron/jobs.json', text: '{}'}];
		const file = place.file('backup.tar');
		await writeFile(file, archiveOf([...files, {name: 'state.db', text: 'not a database'}]));
		expect((await run(home, 'restore', file)).stderr).toContain('not a database');
		expect(await readdir(home.path)).toContain('cron');
		await writeFile(file, archiveOf(files));
		expect(await run(home, 'restore', file)).toMatchObject({code: 0, stderr: ''});
		expect(await home.read(name)).toBe('TOKEN=x');
		expect(await readdir(home.path)).not.toContain(expect.stringMatching(/^replaced-/));
		expect((await run(home, 'restore', file)).stderr).toContain('it is not empty');
	},
);

test.for([
	'notes.txt',
	'logs/gateway.log',
	'run/other',
	'profiles/a',
	'profiles/work/a',
	'cron/a/b',
])('a home with a file is not empty: %s', async name => {
	await using place = await temporaryHome();
	await using home = await temporaryHome({[name]: 'mine'});
	await writeFile(place.file('backup.tar'), sound);
	const {stderr} = await run(home, 'restore', place.file('backup.tar'));
	expect(stderr).toContain('it is not empty');
});

test('an archive may have as many files as a backup may', async () => {
	await using place = await temporaryHome();
	const files = Array.from({length: maxArchiveMembers}, (_, index) =>
		tarHeaderOf({path: `scripts/${index}`, bytes: 0, executable: false, modifiedAt: 0}),
	);
	const start = archiveOf([manifest]).subarray(0, -1024);
	await writeFile(place.file('backup.tar'), Buffer.concat([start, ...files, Buffer.alloc(1024)]));
	await using archive = await openArchive(place.file('backup.tar'));
	expect(archive.members).toHaveLength(maxArchiveMembers);
});

test('where there is no home, nothing is written', async () => {
	await using place = await temporaryHome();
	const {code, stderr} = await command(['backup', place.file('backup.tar')], {
		home: place.file('none'),
	});
	expect(code).toBe(1);
	expect(stderr).toContain('it has nothing that a backup has');
	expect(await readdir(place.path)).toEqual([]);
});
