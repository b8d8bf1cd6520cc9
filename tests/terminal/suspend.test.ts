// @module-tag slow
import {existsSync} from 'node:fs';
import {chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {escapeLine} from '../../source/core/untrusted.ts';
import {editText, openFile, pageText, type Lending} from '../../source/terminal/suspend.ts';
import {until} from '../helpers/processes.ts';

async function open() {
	const folder = await mkdtemp(join(tmpdir(), 'svc-suspend-'));
	const log: string[] = [];
	const lending: Lending = {
		async suspend(task) {
			log.push('leave');
			try {
				await task();
			} finally {
				log.push('return');
			}
		},
		modes: {
			release: () => void log.push('release'),
			reclaim: () => void log.push('reclaim'),
		},
		holdInterrupts() {
			log.push('hold');
			return () => void log.push('let go');
		},
		directory: join(folder, 'cache'),
		environment: {PATH: '/usr/bin:/bin', WHO: 'me'},
	};
	return {
		folder,
		lending,
		log,
		async program(script: string) {
			const path = join(folder, 'an editor');
			await writeFile(path, `#!/bin/sh\n${script}\n`);
			await chmod(path, 0o755);
			return `"${path}" --wait`;
		},
		leftOver: async () => readdir(join(folder, 'cache')),
		async [Symbol.asyncDispose]() {
			await rm(folder, {recursive: true, force: true});
		},
	};
}

test('the editor gets the text in a file of mode 0600, and what it saved comes back', async () => {
	await using setup = await open();
	const command = await setup.program(
		`printf '%s %s %s %s' "$1" "$2" "$(stat -c %a "$2")" "$WHO" > "${setup.folder}/seen"; cat "$2" >> "${setup.folder}/seen"; printf 'new' > "$2"`,
	);
	const document = {text: '{"a": 1}', suffix: '.json'};
	expect(await editText(setup.lending, command, document)).toBe('new');
	const seen = await readFile(join(setup.folder, 'seen'), 'utf8');
	expect(seen).toMatch(/^--wait \S+\/svc\.json 600 me\{"a": 1\}$/);
	expect(await setup.leftOver()).toEqual([]);
	expect(setup.log).toEqual(['leave', 'release', 'hold', 'let go', 'reclaim', 'return']);
});

test.for([
	['vim', '+2 '],
	['code', ''],
] as const)('%s opens a file itself, at its line where it knows how', async ([name, line]) => {
	await using setup = await open();
	const file = join(setup.folder, 'config.yaml');
	await writeFile(file, 'a: 1\nb: 2\n');
	const program = join(setup.folder, name);
	await writeFile(program, `#!/bin/sh\nprintf '%s' "$*" > "${setup.folder}/seen"\n`);
	await chmod(program, 0o755);
	await openFile(setup.lending, program, {
		path: file,
		lineOf: text => text.split('\n').indexOf('b: 2') + 1,
	});

	expect(await readFile(join(setup.folder, 'seen'), 'utf8')).toBe(`${line}${file}`);
	expect(await readFile(file, 'utf8')).toBe('a: 1\nb: 2\n');
});

// "config.yaml may be a symbolic link of yours or root's, as dotfile managers make them."
test('a file that is a link is opened where it stands', async () => {
	await using setup = await open();
	const path = join(setup.folder, 'config.yaml');
	await writeFile(join(setup.folder, 'mine.yaml'), 'a: 1\n');
	await symlink('mine.yaml', path);
	const command = await setup.program('printf "b: 2\\n" >> "$2"');
	await openFile(setup.lending, command, {path, lineOf: () => undefined});

	expect(await readFile(join(setup.folder, 'mine.yaml'), 'utf8')).toBe('a: 1\nb: 2\n');
});

test('a file that is not there is no reason to start an editor', async () => {
	await using setup = await open();
	const path = join(setup.folder, 'none');
	await expect(openFile(setup.lending, 'vi', {path, lineOf: () => 1})).rejects.toMatchObject({
		code: 'file_unreadable',
		message: `Cannot open "${path}": ENOENT`,
	});
	expect(setup.log).toEqual([]);
});

test('a text that was left as it was is no change', async () => {
	await using setup = await open();
	const command = await setup.program('exit 0');
	expect(await editText(setup.lending, command, {text: 'a', suffix: '.txt'})).toBeUndefined();
});

test('a program that is not there is named, and everything is put back', async () => {
	await using setup = await open();
	await expect(
		editText(setup.lending, '/nowhere/ed\u001B[2J', {text: 'a', suffix: '.txt'}),
	).rejects.toMatchObject({
		code: 'program_not_started',
		message: 'Cannot start "/nowhere/ed␛[2J": set $EDITOR or $PAGER to a program that exists',
	});
	expect(await setup.leftOver()).toEqual([]);
	expect(setup.log.slice(-2)).toEqual(['reclaim', 'return']);
});

test('no command at all is told before the screen is left', async () => {
	await using setup = await open();
	await expect(editText(setup.lending, ' ', {text: 'a', suffix: '.txt'})).rejects.toMatchObject({
		code: 'program_not_started',
	});
	expect(setup.log).toEqual([]);
});

test('what a failed editor left is not taken', async () => {
	await using setup = await open();
	const command = await setup.program('printf broken > "$2"; exit 3');
	await expect(editText(setup.lending, command, {text: 'a', suffix: '.txt'})).rejects.toMatchObject(
		{code: 'program_failed'},
	);
});

test('more than 8 MiB is not taken', async () => {
	await using setup = await open();
	const command = await setup.program('head -c 8388609 /dev/zero > "$2"');
	await expect(editText(setup.lending, command, {text: 'a', suffix: '.txt'})).rejects.toMatchObject(
		{code: 'file_too_large'},
	);
});

test.for([
	['a pipe', 'rm "$2"; mkfifo "$2"'],
	['a link to another file', 'ln -sf /etc/passwd "$2"'],
	['a folder', 'rm "$2"; mkdir "$2"'],
	['nothing', 'rm "$2"'],
] as const)('%s at the place of the file is not taken, nor waited for', async ([, script]) => {
	await using setup = await open();
	const command = await setup.program(script);
	await expect(editText(setup.lending, command, {text: 'a', suffix: '.txt'})).rejects.toMatchObject(
		{code: 'file_unreadable', message: expect.stringMatching(/^Cannot take what the editor left/)},
	);
	expect(await setup.leftOver()).toEqual([]);
});

test('a file that the editor put in its place is taken', async () => {
	await using setup = await open();
	const command = await setup.program('printf new > "$2.new"; mv "$2.new" "$2"');
	expect(await editText(setup.lending, command, {text: 'a', suffix: '.txt'})).toBe('new');
});

test('the pager is ended when the program stops', async () => {
	await using setup = await open();
	const stop = new AbortController();
	const started = join(setup.folder, 'started');
	const command = await setup.program(`echo started > "${started}"; exec sleep 1000`);
	const paged = pageText({...setup.lending, signal: stop.signal}, command, escapeLine('text'));
	paged.catch(() => {});
	await until(() => existsSync(started));
	stop.abort('stopping');
	await expect(paged).rejects.toBe('stopping');
	expect(await setup.leftOver()).toEqual([]);
});
