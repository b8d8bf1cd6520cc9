import {chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {replaceFile} from '../../source/core/own-files.ts';
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

test('at any moment, also that of a crash, the whole old text stands there or the whole new one', async () => {
	await using home = await temporaryHome();
	const path = home.file('file');
	const texts = ['old', 'new'].map(word => word.repeat(20_000));
	await replaceFile(path, texts[0] ?? '');
	const over = new AbortController();
	const write = async () => {
		for (let round = 0; round < 40; round++) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			await replaceFile(path, texts[round % 2] ?? '');
		}

		over.abort();
	};

	const read = async () => {
		const found = new Set<string>();
		while (!over.signal.aborted) {
			// oxlint-disable-next-line no-await-in-loop -- at many moments
			found.add(await readFile(path, 'utf8').catch(String));
		}

		return found;
	};

	const [found] = await Promise.all([read(), write()]);

	expect([...found].filter(text => !texts.includes(text))).toEqual([]);
});
