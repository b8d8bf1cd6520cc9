import {link, mkdir, open, readdir, rmdir, writeFile} from 'node:fs/promises';
import {connect} from 'node:net';
import {expect, test} from 'vitest';
import {explained, messageOf, SvcError} from '../../source/core/errors.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

test.for([
	[new Error('it broke'), 'it broke'],
	['it broke', 'it broke'],
	[undefined, 'undefined'],
	[{toString: []}, '[object Object]'],
	[Object.create(null), '[object Object]'],
	[Symbol('it'), 'Symbol(it)'],
] as const)('whatever is thrown has a message: %#', ([thrown, message]) => {
	expect(messageOf(thrown)).toBe(message);
});

test.for([
	[
		async (path: string) => writeFile(path, ''),
		'it is a folder (EISDIR: open "PATH")',
		'Cannot open "PATH": it is a folder (EISDIR); move the folder away, or name a file',
	],
	[
		async (path: string) => mkdir(path),
		'something of that name is there (EEXIST: mkdir "PATH")',
		'Cannot make the folder "PATH": something of that name is there (EEXIST); move it away',
	],
	[
		async (path: string) => link(`${path}/file`, `${path}/other`),
		'something of that name is there (EEXIST: link "PATH/other")',
		'Cannot make "PATH/other": something of that name is there (EEXIST); move it away',
	],
	[
		async (path: string) => readdir(`${path}/file/inside`),
		'what should be a folder on the way to it is a file (ENOTDIR: scandir "PATH/file/inside")',
		'Cannot read the folder "PATH/file/inside": what should be a folder on the way to it is a file (ENOTDIR); move that file away',
	],
	[
		async (path: string) => open(`${path}/${'a'.repeat(300)}`),
		`the name is too long (ENAMETOOLONG: open "PATH/${'a'.repeat(300)}")`,
		`Cannot open "PATH/${'a'.repeat(300)}": the name is too long (ENAMETOOLONG); use a shorter one`,
	],
	[
		async (path: string) => rmdir(path),
		'the folder is not empty (ENOTEMPTY: rmdir "PATH")',
		'Cannot remove "PATH": the folder is not empty (ENOTEMPTY); move it away',
	],
	[
		async () => writeFile('/dev/full', 'x'),
		'the disk is full (ENOSPC: write)',
		'Cannot write a file: the disk is full (ENOSPC); free some space and try again',
	],
] as const)(
	'what the file system refuses is said in words, with what to do: %#',
	async ([act, reason, sentence]) => {
		await using home = await temporaryHome({file: '', other: ''});
		const thrown: unknown = await act(home.path).catch((error: unknown) => error);
		expect(messageOf(thrown)).toBe(reason.replace('PATH', home.path));
		expect(explained(thrown)).toMatchObject({
			code: 'file_system_failed',
			message: sentence.replace('PATH', home.path),
			cause: thrown,
		});
	},
);

test('what others refuse keeps its own words', async () => {
	const {promise, resolve} = Promise.withResolvers<Error>();
	await using home = await temporaryHome();
	connect(home.file('none')).once('error', resolve);
	const ours = new SvcError('bad_request', 'Cannot take it');
	for (const thrown of [
		await promise,
		ours,
		Object.assign(new Error('No'), {code: 'EACCES'}),
		'x',
	]) {
		expect(explained(thrown)).toBe(thrown);
	}

	expect(messageOf(await promise)).toMatch(/^connect ENOENT /);
});
