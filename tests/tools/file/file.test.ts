// @module-tag slow
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	truncateSync,
	unlinkSync,
	writeFileSync,
} from 'node:fs';
import {expect, test, type TestContext} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {type Opening, openToolset} from '../open-toolset.ts';

const signal = new AbortController().signal;

async function openFiles(given: Opening = {}, context?: Pick<TestContext, 'skip'>) {
	const opened = await openToolset('file', given, context);
	const work = (path: string) => opened.home.file(`svc/work/${path}`);
	return {
		...opened,
		work,
		put(path: string, text: string | Buffer) {
			writeFileSync(work(path), text);
			return work(path);
		},
		preview: async (tool: string, args: JsonObject) => {
			const result = await opened.toolOf(tool)?.preview?.(args, {signal});
			return result && 'preview' in result
				? {...result, problem: undefined}
				: {preview: undefined, basis: undefined, ...result};
		},
	};
}

test('a file is read as it is, or in parts that say where they stand', async context => {
	await using files = await openFiles({}, context);
	files.put('a', 'one\r\ntwo\nthree');
	files.put('empty', '');
	files.put('many', 'x\n'.repeat(5000));
	mkdirSync(files.work('sub'));
	const read = async (args: JsonObject) => (await files.call('read_file', args)).text;

	expect(await read({path: 'a'})).toBe('one\r\ntwo\nthree');
	expect(await read({path: files.work('a'), offset: 2, limit: 1})).toBe(
		'two\n[lines 2 to 2 of 3; the next begin with offset 3]',
	);
	expect(await read({path: 'a', offset: 3})).toBe('three\n[lines 3 to 3 of 3]');
	expect(await read({path: 'a', offset: 4})).toContain('it has 3 lines, none at offset 4');
	expect(await read({path: 'empty'})).toBe('[the file is empty]');
	expect(await read({path: 'many'})).toBe(
		`${'x\n'.repeat(2000)}[lines 1 to 2000 of 5000; the next begin with offset 2001]`,
	);
	expect(await read({path: '.'})).toBe('[a folder with 4 entries]\na\nempty\nmany\nsub/');
	files.put('sub/one', '');
	expect(await read({path: 'sub'})).toBe('[a folder with 1 entry]\none');
});

test('what is too long is cut between lines, and a line that is too long is said to be cut', async context => {
	await using files = await openFiles({}, context);
	files.put('wide', `${'x'.repeat(250_000)}\n${'y'.repeat(250_000)}\n`);
	files.put('line', `${'x'.repeat(500_000)}\nend\n`);

	const {text} = await files.call('read_file', {path: 'wide'});
	expect(text).toBe(`${'x'.repeat(250_000)}\n[lines 1 to 1 of 2; the next begin with offset 2]`);
	expect((await files.call('read_file', {path: 'line'})).text).toBe(
		`${'x'.repeat(399_000)}\n[lines 1 to 1 of 2; the line is longer than 399000 bytes and is cut; the next begin with offset 2]`,
	);
	expect((await files.call('read_file', {path: 'line', offset: 2})).text).toBe(
		'end\n[lines 2 to 2 of 2]',
	);
});

test('a huge file is not read to its end, and a binary one is said to be binary', async context => {
	await using files = await openFiles({}, context);
	files.put('huge', 'line\n'.repeat(3000));
	truncateSync(files.work('huge'), 3e9);
	files.put('binary', Buffer.from([1, 2, 0, 3]));

	expect((await files.call('read_file', {path: 'huge'})).text).toMatch(
		/\[lines 1 to 2000; the next begin with offset 2001\]$/,
	);
	expect(await files.call('read_file', {path: 'binary'})).toEqual({
		isError: true,
		text: 'Cannot read "binary": it is a binary file (it holds a NUL)',
	});
});

test('lines are found in the order of the files, without links, binary files and folders of others', async context => {
	await using files = await openFiles({}, context);
	for (const folder of ['src', '.git', 'node_modules']) {
		mkdirSync(files.work(folder));
		files.put(`${folder}/a.ts`, 'const needle = 1;\nother\n');
	}

	files.put('src/b.js', `${'x'.repeat(1000)}needle${'y'.repeat(1000)}`);
	files.put('binary', Buffer.from('needle\0'));
	symlinkSync(files.work('src/a.ts'), files.work('link.ts'));
	const search = async (args: JsonObject) => (await files.call('search_files', args)).text;

	const all = await search({pattern: '(?i)NEEDLE'});
	expect(all).toMatch(
		/^src\/a\.ts:1: const needle = 1;\nsrc\/b\.js:1: …x+needle.*…\n\[lines that match: 2, in files that were searched: 2; 1 left out/,
	);
	expect(await search({pattern: 'needle', glob: '*.ts'})).toContain('lines that match: 1,');
	expect(await search({pattern: 'needle', glob: 'src/*.{js,mjs}'})).toContain('src/b.js:1:');
	expect(await search({pattern: 'needle', path: '.git'})).toContain('.git/a.ts:1:');
	expect(await search({pattern: '(a+)+$', path: 'src/a.ts'})).toContain('lines that match: 0,');
	expect(await search({pattern: '(?=x)'})).toContain('lookaround is not supported');
});

test('at most 200 lines are found', async context => {
	await using files = await openFiles({}, context);
	files.put('many', 'x\n'.repeat(1000));

	const {text} = await files.call('search_files', {pattern: 'x'});

	expect(text.split('\n')).toHaveLength(201);
	expect(text).toContain('stopped at 200 lines');
});

test('a file is written whole, with folders on the way, and keeps its mode', async context => {
	await using files = await openFiles({file: {approval: 'allow'}}, context);
	files.put('script', 'old');
	chmodSync(files.work('script'), 0o750);

	expect(await files.call('write_file', {path: 'script', content: 'new\n'})).toEqual({
		text: 'written: 4 bytes in place of 3',
	});
	expect(await files.call('write_file', {path: 'deep/er/file', content: 'ü'})).toEqual({
		text: 'written: a new file of 2 bytes',
	});
	expect(readFileSync(files.work('script'), 'utf8')).toBe('new\n');
	expect(statSync(files.work('script')).mode & 0o777).toBe(0o750);
	expect(readFileSync(files.work('deep/er/file'), 'utf8')).toBe('ü');
	expect(readdirSync(files.work('deep/er'))).toEqual(['file']);
	expect(await files.call('write_file', {path: 'a', content: 'x'.repeat(5_000_001)})).toMatchObject(
		{isError: true},
	);
	expect(await files.call('write_file', {path: '/proc/none/file', content: ''})).toMatchObject({
		isError: true,
		text: expect.stringContaining('it is not there'),
	});
	expect(await files.call('write_file', {path: '/usr/gone', content: ''})).toMatchObject({
		isError: true,
		text: expect.stringContaining('read-only inside of the sandbox'),
	});
});

test('nobody is asked about a change that cannot be made', async context => {
	await using files = await openFiles({}, context);
	const content = 'x';
	for (const path of ['/usr/gone', '/etc/passwd', '/usr/a/new/folder', '../../evil']) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect(await files.preview('write_file', {path, content})).toMatchObject({
			preview: undefined,
			problem: expect.stringMatching(/: it is read-only inside of the sandbox$/),
		});
	}

	expect((await files.preview('write_file', {path: 'deep/er/file', content})).problem).toBe(
		undefined,
	);
	expect(existsSync(files.work('deep'))).toBe(false);
});

const names = ['it"s', "it's", 'two\nlines', '-rf', ' blank ', '$(id)', 'a\\b', '\u202etxt', '…'];

test.for(names)('a name is data: %j', async (name, context) => {
	await using files = await openFiles({file: {approval: 'allow'}}, context);

	await files.call('write_file', {path: name, content: 'one'});
	await files.call('edit_file', {path: name, old_text: 'one', new_text: 'needle'});

	expect(readFileSync(files.work(name), 'utf8')).toBe('needle');
	expect((await files.call('read_file', {path: name})).text).toBe('needle');
	expect((await files.call('search_files', {pattern: 'needle'})).text).toMatch(/^.+:1: needle\n\[/);
});

test('a text is replaced where it stands exactly once, whatever else is in the file', async context => {
	await using files = await openFiles({file: {approval: 'allow'}}, context);
	const edit = async (path: string, old_text: string, new_text: string) =>
		(await files.call('edit_file', {path, old_text, new_text})).text;
	const bytes = Buffer.concat([
		Buffer.from('a$&b\r\n'),
		Buffer.from([0xff, 0xfe]),
		Buffer.from('aaa'),
	]);
	files.put('a', bytes);

	expect(await edit('a', 'nothing', 'x')).toBe('Cannot change "a": old_text: not found');
	expect(await edit('a', 'b\n', 'x')).toContain('not found; lines of this file end with CR LF');
	expect(await edit('a', 'aa', 'x')).toContain('old_text: 2 times');
	expect(await edit('a', '$&', '$1$$')).toBe('edited');
	expect(readFileSync(files.work('a'))).toEqual(
		Buffer.concat([Buffer.from('a$1$$b\r\n'), Buffer.from([0xff, 0xfe]), Buffer.from('aaa')]),
	);
	expect(await edit('gone', 'a', 'b')).toContain('it is not there');
});

const refused: ReadonlyArray<readonly [string, JsonObject, string]> = [
	['read_file', {}, '"path" is no text'],
	['read_file', {path: 'a\0b'}, 'holds a NUL'],
	['read_file', {path: 'x'.repeat(5000)}, 'is longer than 4096 characters'],
	['read_file', {path: 'a', offset: 0}, 'whole numbers from 1'],
	['search_files', {pattern: ''}, '"pattern" is no text'],
	['search_files', {pattern: 'a', path: 5}, '"path" is no text'],
	['write_file', {path: 'a'}, '"content" is no text'],
	['write_file', {path: 'a', content: '\ud800'}, '"content" is no text'],
	['edit_file', {path: 'a', old_text: '', new_text: 'b'}, 'or is empty'],
	['edit_file', {path: 'a', old_text: 'b', new_text: 'b'}, 'is the same as'],
];

test.for(refused)('arguments are refused: %s %j', async ([tool, args, reason], context) => {
	await using files = await openFiles({}, context);

	expect(await files.call(tool, args)).toMatchObject({
		isError: true,
		text: expect.stringContaining(reason),
	});
});

test('a person is shown a change as a diff, with the file that it leads to', async context => {
	await using files = await openFiles({}, context);
	files.put('a', 'one\ntwo\r\nthree\nfour\nfive\nsix\n');
	symlinkSync('a', files.work('link'));

	expect(
		(await files.preview('edit_file', {path: 'link', old_text: 'four', new_text: '4'})).preview,
	).toEqual({
		title: 'change',
		facts: [
			{name: 'file', value: files.work('a')},
			{name: 'reached by', value: 'link'},
			{name: 'now', value: '29 bytes, mode 0644'},
		],
		lines: ['@@ -1,6 +1,6 @@', ' one', ' two\r', ' three', '-four', '+4', ' five', ' six'],
	});
	expect((await files.preview('write_file', {path: 'new', content: 'x'})).preview).toEqual({
		title: 'change',
		facts: [
			{name: 'file', value: files.work('new')},
			{name: 'now', value: 'nothing: a new file'},
		],
		lines: ['@@ -0,0 +1,2 @@', '+x', '+\\ No newline at end of file'],
	});
	expect(
		(await files.preview('write_file', {path: 'new', content: 'x\n'.repeat(3000)})).preview,
	).not.toHaveProperty('lines');
	expect(
		(await files.preview('edit_file', {path: 'a', old_text: 'seven', new_text: '4'})).problem,
	).toBe('Cannot change "a": old_text: not found');
	expect(existsSync(files.work('new'))).toBe(false);
});

test('the diff of an edit deep in a file has the numbers of its lines', async context => {
	await using files = await openFiles({}, context);
	files.put('a', Array.from({length: 5000}, (_, index) => `line ${index + 1}\n`).join(''));

	const {preview} = await files.preview('edit_file', {
		path: 'a',
		old_text: 'line 4000\n',
		new_text: '',
	});

	expect(preview?.lines).toEqual([
		'@@ -3997,7 +3997,6 @@',
		' line 3997',
		' line 3998',
		' line 3999',
		'-line 4000',
		' line 4001',
		' line 4002',
		' line 4003',
	]);
});

test('a yes is for what was shown: a file that changed meanwhile, or leads elsewhere, stays as it is', async context => {
	await using files = await openFiles({}, context);
	files.put('a', 'one');
	files.put('b', 'one');
	symlinkSync('a', files.work('link'));
	const args = {path: 'link', old_text: 'one', new_text: 'two'};
	const {basis = ''} = await files.preview('edit_file', args);
	const again = async () => files.call('edit_file', args, {signal, basis});

	files.put('a', 'one, but changed');
	expect((await again()).text).toContain('it is not what a person was shown any more');
	files.put('a', 'one');
	await files.call('read_file', {path: 'a'});
	unlinkSync(files.work('link'));
	symlinkSync('b', files.work('link'));
	expect((await again()).text).toContain('it is not what a person was shown any more');
	unlinkSync(files.work('link'));
	symlinkSync('a', files.work('link'));
	expect((await again()).text).toBe('edited');
	expect(readFileSync(files.work('a'), 'utf8')).toBe('two');
	expect(readFileSync(files.work('b'), 'utf8')).toBe('one');
});

test('changes ask, unless the settings allow them; reading does not', async context => {
	await using asking = await openFiles({}, context);
	await using allowing = await openFiles({file: {approval: 'allow'}}, context);
	const asks = ({toolOf}: typeof asking) =>
		['read_file', 'search_files', 'write_file', 'edit_file'].map(
			name => toolOf(name)?.needsApproval,
		);

	expect(asks(asking)).toEqual([false, false, true, true]);
	expect(asks(allowing)).toEqual([false, false, false, false]);

	allowing.change({file: {approval: 'ask'}});
	expect(asks(allowing)).toEqual([false, false, true, true]);
});

test('`required: false`: without a sandbox each call asks, and nothing is told before the yes', async () => {
	await using files = await openFiles({
		path: '/nowhere',
		sandbox: {required: false},
		file: {approval: 'allow'},
	});
	files.put('a', 'one\n');

	expect(files.toolOf('read_file')).toMatchObject({
		needsApproval: true,
		asked: {
			why: expect.stringMatching(
				/^no sandbox works here: .*; it runs with all rights of the gateway$/,
			),
		},
	});
	expect((await files.call('read_file', {path: 'a'})).text).toBe('one\n');
	const args = {path: 'a', old_text: 'nothing', new_text: 'x'};
	const {preview, basis = ''} = await files.preview('edit_file', args);
	expect(preview?.facts.at(-1)?.value).toContain('not found');
	expect(await files.call('edit_file', args, {signal, basis})).toMatchObject({isError: true});
});

test('without a sandbox, and on routes without signatures, the toolset is not offered', async () => {
	await using none = await openFiles({path: '/nowhere'});
	await using unsigned = await openFiles({isUnsigned: true});

	expect(none.dropped).toMatch(/^no sandbox works here: /);
	expect(unsigned.dropped).toContain('INSECURE_NO_AUTH');
});

test('a working folder in that of `terminal`, or around it, takes the toolset out', async () => {
	await using inner = await openFiles({
		file: {workdir: '~/work/in'},
		terminal: {workdir: '~/work'},
	});

	expect(inner.dropped).toContain('lie in each other');
});

test('what ends a run ends its call, and the next one works', async context => {
	await using files = await openFiles({}, context);
	files.put('a', 'text');
	const ended = new AbortController();
	const result = files.call('search_files', {pattern: 'x'}, {signal: ended.signal});

	ended.abort(new Error('the run ended'));

	await expect(result).rejects.toThrow('the run ended');
	expect((await files.call('read_file', {path: 'a'})).text).toBe('text');
});
