import {mkdir, stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {createLineFile, type LineFileOptions} from '../../source/core/own-files.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';

const open = (home: TemporaryHome, overrides: Partial<LineFileOptions> = {}, name = 'log') =>
	createLineFile(home.file(name), {
		maxBytes: 100,
		kept: 2,
		maxBacklog: 10,
		describeLost: lines => `${lines} lost`,
		...overrides,
	});

test('lines that come faster than the disk takes them are lost and counted, also while a line is written', async () => {
	await using home = await temporaryHome();
	const file = open(home);
	for (let line = 0; line < 100; line++) {
		file.write(String(line));
	}

	await file[Symbol.asyncDispose]();

	expect((await home.read('log')).split('\n')).toEqual([
		'0',
		'89 lost',
		'1',
		'2',
		'3',
		'4',
		'5',
		'6',
		'7',
		'8',
		'9',
		'10',
		'',
	]);
});

test('lines that the disk refused are counted until it takes one', async () => {
	await using home = await temporaryHome();
	const file = open(home, {}, 'folder/log');
	for (const line of ['one', 'two']) {
		file.write(line);
		// oxlint-disable-next-line no-await-in-loop -- each is a write of its own
		await file[Symbol.asyncDispose]();
	}

	await mkdir(home.file('folder'));
	file.write('three');
	await file[Symbol.asyncDispose]();

	expect(await home.read('folder/log')).toBe('2 lost\nthree\n');
});

test('a file that is large is set aside, and so many of them are kept', async () => {
	const large = 'x'.repeat(101);
	await using home = await temporaryHome({log: large, 'log.1': 'old', 'log.2': 'older'});
	const file = open(home);
	file.write('new');
	await file[Symbol.asyncDispose]();

	expect(await Promise.all(['log', 'log.1', 'log.2'].map(name => home.read(name)))).toEqual([
		'new\n',
		large,
		'old',
	]);
	expect((await stat(home.file('log'))).mode & 0o777).toBe(0o600);
});
