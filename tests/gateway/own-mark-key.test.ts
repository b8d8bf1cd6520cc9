import {readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openOwnMark} from '../../source/gateway/own-mark-key.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

test('the key is made once, readable by nobody else, and stays the same', async () => {
	await using home = await temporaryHome();
	const file = join(home.path, 'mark.key');
	const first = await openOwnMark(file);
	const key = await readFile(file, 'utf8');
	const second = await openOwnMark(file);
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
		const mark = await openOwnMark(file);
		expect(mark.isOwn(mark.sign('Fine'))).toBe(true);
		expect(await readFile(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
	},
);

test('two homes do not know each other', async () => {
	await using home = await temporaryHome();
	await using other = await temporaryHome();
	const [one, two] = await Promise.all(
		[home, other].map(async ({path}) => openOwnMark(join(path, 'mark.key'))),
	);
	expect(two?.isOwn(one?.sign('Fine') ?? '')).toBe(false);
});

test('what is no file stops the start', async () => {
	await using home = await temporaryHome();
	await symlink('.', join(home.path, 'mark.key'));
	await expect(openOwnMark(join(home.path, 'mark.key'))).rejects.toThrow(/EISDIR/);
});
