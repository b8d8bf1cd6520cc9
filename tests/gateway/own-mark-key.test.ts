import {mkdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {silentLogger} from '../../source/core/log.ts';
import {openOwnMark} from '../../source/gateway/authorship-key.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

test('the key is made once, readable by nobody else, and stays the same', async () => {
	await using home = await temporaryHome();
	const file = join(home.path, 'mark.key');
	const first = await openOwnMark(file, {log: silentLogger});
	const key = await readFile(file, 'utf8');
	const second = await openOwnMark(file, {log: silentLogger});
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	expect(await readFile(file, 'utf8')).toBe(key);
	expect(second.isOwn(first.sign('Fine'))).toBe(true);
});

test.for(['', 'no key', 'a'.repeat(63)])(
	'what holds no key (%j) is replaced by one',
	async text => {
		await using home = await temporaryHome();
		const file = join(home.path, 'mark.key');
		await writeFile(file, text);
		const mark = await openOwnMark(file, {log: silentLogger});
		expect(mark.isOwn(mark.sign('Fine'))).toBe(true);
		expect(await readFile(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
	},
);

test('two homes do not know each other', async () => {
	await using home = await temporaryHome();
	await using other = await temporaryHome();
	const [one, two] = await Promise.all(
		[home, other].map(async ({path}) => openOwnMark(join(path, 'mark.key'), {log: silentLogger})),
	);
	expect(two?.isOwn(one?.sign('Fine') ?? '')).toBe(false);
});

test.for([
	['a link to a folder', async (file: string) => symlink('.', file)],
	['a folder', async (file: string) => mkdir(file)],
] as const)(
	'what cannot be used (%s) costs the next start its memory, and nothing else',
	async ([, make]) => {
		await using home = await temporaryHome();
		const file = join(home.path, 'mark.key');
		await make(file);
		const warnings: string[] = [];
		const mark = await openOwnMark(file, {log: {warn: message => warnings.push(message)}});
		expect(mark.isOwn(mark.sign('Fine'))).toBe(true);
		expect(warnings).toEqual([
			expect.stringContaining(`Cannot use "${file}" (it is a folder (EISDIR`),
		]);
	},
);

test('a key that was lost is told of, one that is made is not', async () => {
	await using home = await temporaryHome();
	const file = join(home.path, 'mark.key');
	const warnings: string[] = [];
	const open = async () => openOwnMark(file, {log: {warn: message => warnings.push(message)}});
	await open();
	expect(warnings).toEqual([]);
	await writeFile(file, '');
	await open();
	expect(warnings).toEqual([expect.stringContaining('holds no key and gets a new one')]);
});
