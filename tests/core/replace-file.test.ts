import {chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {replaceFile} from '../../source/core/replace-file.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

test('a file is replaced as a whole, for its owner alone, and nothing else is left in its folder', async () => {
	await using home = await temporaryHome({'a/file': 'old'});
	await chmod(home.file('a/file'), 0o644);
	await replaceFile(home.file('a/file'), 'new');
	expect(await home.read('a/file')).toBe('new');
	expect((await stat(home.file('a/file'))).mode & 0o777).toBe(0o600);
	expect(await readdir(home.file('a'))).toEqual(['file']);
});

test('a link stays, and what it leads to is replaced', async () => {
	await using home = await temporaryHome({'dotfiles/file': 'old', 'a/other': ''});
	await symlink(home.file('dotfiles/file'), home.file('a/file'));
	await replaceFile(home.file('a/file'), 'new');
	expect((await lstat(home.file('a/file'))).isSymbolicLink()).toBe(true);
	expect(await home.read('dotfiles/file')).toBe('new');
});

test('writes of one file follow each other as they were asked for', async () => {
	await using home = await temporaryHome();
	const path = home.file('file');
	const texts = Array.from({length: 20}, (_, index) => String(index).repeat(1000));
	await Promise.all(texts.map(async text => replaceFile(path, text)));
	expect(await readFile(path, 'utf8')).toBe(texts.at(-1));
	expect(await readdir(home.path)).toEqual(['file']);
});

test('a write that fails leaves the old text and nothing beside it, and the next one works', async () => {
	await using home = await temporaryHome({'a/keep': ''});
	await mkdir(home.file('a/file'));
	await writeFile(home.file('a/file/inside'), '');
	await expect(replaceFile(home.file('a/file'), 'new')).rejects.toMatchObject({
		code: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST/),
	});
	expect(await readdir(home.file('a'))).toEqual(['file', 'keep']);
	await expect(replaceFile(home.file('a/keep'), 'new')).resolves.toBeUndefined();
});
