import {lstat, mkdir, mkdtemp, readlink, realpath, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	folderOf,
	isBelowByName,
	isBelowFolder,
	realPathOf,
} from '../../../source/core/approvals/below-folder.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

/** A home with a folder of notes beside what must not be reached, and links of every kind between them. */
async function openTree() {
	const home = await realpath(await mkdtemp(join(tmpdir(), 'svc-below-')));
	const at = (path: string) => join(home, path);
	for (const folder of ['notes/sub/deep', 'notes-evil', 'secret/inner', 'Notes', '.svc']) {
		await mkdir(at(folder), {recursive: true});
	}

	for (const file of ['notes/a.md', 'notes/sub/b.md', 'secret/key', 'notes-evil/x', '.svc/.env']) {
		await writeFile(at(file), file);
	}

	await symlink(at('secret'), at('notes/out'));
	await symlink('../secret/key', at('notes/key'));
	await symlink('sub', at('notes/in'));
	await symlink(at('secret/new'), at('notes/dangling'));
	await symlink('loop', at('notes/loop'));
	await symlink(at('notes'), at('secret/back'));
	await symlink('notes', at('alias'));
	await symlink('../.svc', at('notes/program'));
	return {
		home,
		at,
		[Symbol.asyncDispose]: async () => rm(home, {recursive: true}),
	};
}

test('a path counts as below a folder by its name and by where it leads to', async () => {
	await using tree = await openTree();
	const {at, home} = tree;
	const notes = {below: at('notes'), real: at('notes')};
	const isBelow = async (path: string) => isBelowFolder(path, notes, [at('.svc')]);
	const yes = [
		'notes/a.md',
		'notes/new',
		'notes/new/newer/newest.md',
		'notes/sub/b.md',
		'notes/in/b.md',
		'notes/in/new',
		'notes/.hidden',
		'notes/...',
		'notes/über',
	];
	const no = [
		'notes',
		'notes-evil/x',
		'notes-new',
		'Notes/a.md',
		'NOTES/a.md',
		'secret/key',
		'secret/back/a.md',
		'alias/a.md',
		'notes/out/key',
		'notes/out/new',
		'notes/key',
		'notes/dangling',
		'notes/dangling/x',
		'notes//dangling//x',
		'notes/dangling/',
		'notes/loop',
		'notes/loop/x',
		'notes/a.md/x',
		'notes/program/config.yaml',
	];
	for (const path of yes) {
		expect([path, await isBelow(at(path))]).toEqual([path, true]);
	}

	for (const path of no) {
		expect([path, await isBelow(at(path))]).toEqual([path, false]);
	}

	for (const tail of [
		'/../secret/key',
		'/sub/../../secret/key',
		'/sub/../a.md',
		'/..',
		'/.',
		'/',
		'//',
		'',
		'/\0',
		'/a.md\0/../../secret/key',
		String.raw`\..\secret`,
		'/%2e%2e/secret/key',
		'/%2E%2E%2fsecret',
		'/%c0%ae%c0%ae/secret',
		'/%E0%80%AE%e0%80%ae/secret',
		'/%u002e%u002e/secret',
		'/%252e%252e/secret',
		'/．．/secret/key',
		'/‥/secret/key',
		'/\u2025',
		'/a\u202eb',
		'/\u200b..',
		'/..\u2060/secret',
		'/a\nb',
		'/\ud800',
		`/${'x'.repeat(2000)}`,
		`/${'a/'.repeat(80)}b`,
	]) {
		expect([tail, await isBelow(`${at('notes')}${tail}`)]).toEqual([tail, false]);
	}

	for (const path of [
		'a.md',
		'notes/a.md',
		'~/notes/a.md',
		'./notes/a.md',
		`/${at('notes/a.md')}`,
		` ${at('notes/a.md')}`,
		`file://${at('notes/a.md')}`,
		`${home}/./notes/../notes/a.md`,
	]) {
		expect([path, await isBelow(path)]).toEqual([path, false]);
	}

	expect(await isBelow(`${home}//notes/.//a.md`)).toBe(true);
	expect(await isBelow(`${at('notes/sub')}/`)).toBe(true);
});

test('a folder that leads somewhere else than when it was agreed to covers nothing', async () => {
	await using tree = await openTree();
	const {at} = tree;
	const moved = {below: at('moved'), real: at('moved')};
	expect(await isBelowFolder(at('moved/x'), moved, [])).toBe(true);
	await symlink(at('secret'), at('moved'));
	expect(await isBelowFolder(at('moved/key'), moved, [])).toBe(false);

	const alias = {below: at('alias'), real: at('notes')};
	expect(await isBelowFolder(at('alias/a.md'), alias, [])).toBe(true);
	expect(await isBelowFolder(at('alias/out/key'), alias, [])).toBe(false);
	expect(await realPathOf(at('notes/dangling'))).toBeUndefined();
});

test('a folder that is closed stays so below one that is open, whatever leads into it', async () => {
	await using tree = await openTree();
	const {at, home} = tree;
	const whole = {below: home, real: home};
	const isBelow = async (path: string) => isBelowFolder(at(path), whole, [at('.svc')]);

	expect(await isBelow('notes/a.md')).toBe(true);
	for (const path of ['.svc', '.svc/.env', '.svc/new', 'notes/program/.env', 'notes/program/new']) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect([path, await isBelow(path)]).toEqual([path, false]);
	}

	// A closed folder that is only reached by a link is closed where it is.
	expect(await isBelowFolder(at('notes/a.md'), whole, [at('alias')])).toBe(false);
});

test('a folder is written with "~/" or "/", and is not all there is', () => {
	expect(folderOf('~/notes/', '/home/alice')).toEqual({folder: '/home/alice/notes'});
	expect(folderOf('~/notes/', '/')).toEqual({folder: '/notes'});
	expect(folderOf('~/', '/')).toHaveProperty('problem');
	expect(folderOf('~/', '/home/alice')).toEqual({folder: '/home/alice'});
	expect(folderOf('/srv//./data/', '/home/alice')).toEqual({folder: '/srv/data'});
	for (const written of [
		'/',
		'//',
		'/./',
		'notes/',
		'./notes/',
		'~bob/notes/',
		'~/../bob/',
		'/a\\/',
	]) {
		expect(folderOf(written, '/home/alice')).toHaveProperty('problem');
	}
});

/** What stands for a path in no program that resolves it: this oracle only asks the file system where a path ends, as a server would that normalises nothing first. */
async function leadsOutside(path: string, folder: string): Promise<boolean> {
	let at = '/';
	let hops = 0;
	const steps = path.split('/');
	while (steps.length > 0) {
		const step = steps.shift() ?? '';
		if (step === '' || step === '.') {
			continue;
		}

		if (step === '..') {
			at = join(at, '..');
			continue;
		}

		const next = at === '/' ? `/${step}` : `${at}/${step}`;
		const stats = await lstat(next).catch(() => undefined);
		if (stats?.isSymbolicLink()) {
			hops += 1;
			if (hops > 40) {
				return false;
			}

			const target = await readlink(next);
			if (target.startsWith('/')) {
				at = '/';
			}

			steps.unshift(...target.split('/'));
		} else {
			at = next;
		}
	}

	return !at.startsWith(`${folder}/`);
}

test('whatever path is made of steps, links and tricks: what is allowed ends below the folder', async () => {
	await using tree = await openTree();
	const {home, at} = tree;
	const step = fc.oneof(
		{
			weight: 6,
			arbitrary: fc.constantFrom(
				'notes',
				'notes-evil',
				'secret',
				'sub',
				'deep',
				'out',
				'in',
				'key',
				'dangling',
				'loop',
				'back',
				'alias',
				'a.md',
				'new',
				'.svc',
				'program',
				'inner',
				'Notes',
			),
		},
		{
			weight: 3,
			arbitrary: fc.constantFrom(
				'..',
				'.',
				'',
				'...',
				'．．',
				'%2e%2e',
				'..\u200b',
				'~',
				'\\..',
				' ..',
			),
		},
		{weight: 1, arbitrary: fc.string({unit: 'binary', maxLength: 4})},
	);
	const path = fc
		.tuple(
			fc.constantFrom('', home, `${home}/notes`, `${home}/notes/sub`, '~', '~/notes', `/${home}`),
			fc.array(step, {maxLength: 6}),
			fc.constantFrom('/', '//', '/./'),
		)
		.map(([start, steps, slash]) => [start, ...steps].join(slash));
	let allowed = 0;
	await fc.assert(
		fc.asyncProperty(path, async text => {
			const notes = {below: at('notes'), real: at('notes')};
			if (!(await isBelowFolder(text, notes, [at('.svc')]))) {
				return;
			}

			allowed += 1;
			for (const read of [
				text,
				text.normalize('NFC'),
				text.normalize('NFKC'),
				text.normalize('NFD'),
			]) {
				expect([read, await leadsOutside(read, at('notes'))]).toEqual([read, false]);
				expect(isBelowByName(read, at('notes'))).toBe(true);
			}
		}),
		{numRuns: propertyRuns(5000)},
	);
	expect(allowed).toBeGreaterThan(propertyRuns(5000) / 50);
});
