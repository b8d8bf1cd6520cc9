import {chmod, mkdtemp, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {clipboardTool, createClipboard, osc52} from '../../source/terminal/clipboard.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

const plain = (text: string) => `\u001B]52;c;${base64(text)}\u0007`;

async function open(environment: Record<string, string> = {}, {isTty = true} = {}) {
	const folder = await mkdtemp(join(tmpdir(), 'svc-clip-'));
	const directory = join(folder, 'cache', 'clip');
	const written: string[] = [];
	const clipboard = createClipboard(
		{
			write: sequence => {
				written.push(sequence);
			},
			clock: systemClock,
		},
		{environment, directory, isTty, platform: 'linux'},
	);
	return {
		folder,
		directory,
		clipboard,
		written: () => written.join(''),
		/** A program of that name, first and only on PATH. */
		async install(name: string, script: string) {
			await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
			await chmod(join(folder, name), 0o755);
			environment['PATH'] = `${folder}:/usr/bin:/bin`;
		},
		async [Symbol.asyncDispose]() {
			await rm(folder, {recursive: true, force: true});
		},
	};
}

test('the terminal is asked by OSC 52', async () => {
	await using setup = await open();
	expect(await setup.clipboard.copy('d7f3a1')).toEqual({
		way: 'terminal',
		message: 'copied by OSC 52',
	});
	expect(setup.written()).toBe(plain('d7f3a1'));
});

test('without a terminal nothing is written', async () => {
	await using setup = await open({}, {isTty: false});
	expect((await setup.clipboard.copy('x')).way).toBe('nowhere');
	expect(setup.written()).toBe('');
});

test('inside tmux the sequence is passed through with doubled escapes, inside screen in pieces', () => {
	expect(osc52('hello', 'tmux')).toBe(
		`\u001BPtmux;\u001B\u001B]52;c;${base64('hello')}\u0007\u001B\\`,
	);
	const text = 'x'.repeat(200);
	const wrapped = osc52(text, 'screen') ?? '';
	const pieces = wrapped.split('\u001B\\').slice(0, -1);
	expect(pieces.every(piece => piece.startsWith('\u001BP') && piece.length <= 78)).toBe(true);
	expect(pieces.map(piece => piece.slice(2)).join('')).toBe(plain(text));
});

test('at most 74,994 characters of base64 are sent', () => {
	expect(osc52('x'.repeat(56_244), undefined)).toBeDefined();
	expect(osc52('x'.repeat(56_247), undefined)).toBeUndefined();
});

test('a longer text goes into a file of mode 0600, and its path is copied; the newest 20 files are kept', async () => {
	await using setup = await open();
	const text = 'x'.repeat(60_000);
	const first = await setup.clipboard.copy(text);
	expect(first.way).toBe('file');
	const path = first.path ?? '';
	expect(first.message).toBe(`too long to copy: the path of ${path} is copied`);
	expect(setup.written()).toBe(plain(path));
	expect(await readFile(path, 'utf8')).toBe(text);
	expect((await stat(path)).mode & 0o777).toBe(0o600);
	expect((await stat(setup.directory)).mode & 0o777).toBe(0o700);
	for (let count = 0; count < 20; count++) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await setup.clipboard.copy(text);
	}

	const files = await readdir(setup.directory);
	expect(files).toHaveLength(20);
	expect(files.map(name => join(setup.directory, name))).not.toContain(path);
});

test('what cannot be written to a file is told', async () => {
	await using setup = await open();
	await writeFile(join(setup.folder, 'cache'), 'in the way');
	const copied = await setup.clipboard.copy('x'.repeat(60_000));
	expect(copied.way).toBe('nowhere');
	expect(copied.message).toMatch(/^nothing copied: /);
});

test('what is pasted later does nothing: controls are pictures, overrides are gone, emoji stay', async () => {
	await using setup = await open();
	await setup.clipboard.copy('ls\u001B[201~\r\nrm\u202E\t👨‍👩‍👧\u0003\u009B');
	expect(setup.written()).toBe(plain('ls␛[201~\nrm\t👨‍👩‍👧␃␡'));
});

test.for([
	[{TMUX: '/tmp/tmux-0/default,1,0', SSH_TTY: '/dev/pts/1'}, 'tmux'],
	[{WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0'}, 'wl-copy'],
	[{DISPLAY: ':0'}, 'xclip'],
	[{DISPLAY: ':0', SSH_CONNECTION: '1 2 3 4'}, undefined],
	[{}, undefined],
] as const)('with %j the tool is %s', ([environment, name]) => {
	expect(clipboardTool(environment, 'linux')?.name).toBe(name);
});

test('on a Mac the tool is pbcopy, over SSH none', () => {
	expect(clipboardTool({}, 'darwin')?.argv).toEqual(['pbcopy']);
	expect(clipboardTool({SSH_CLIENT: 'x'}, 'darwin')).toBeUndefined();
});

test('on the own desktop its tool gets the text too, and no secret of the process', async () => {
	const environment = {DISPLAY: ':0', SECRET: 'hush'};
	await using setup = await open(environment);
	await setup.install(
		'xclip',
		`cat > "${setup.folder}/got"; env > "${setup.folder}/env"; echo "$@" >> "${setup.folder}/env"`,
	);
	expect(await setup.clipboard.copy('héllo')).toEqual({
		way: 'terminal',
		message: 'copied by OSC 52 and xclip',
	});
	expect(await readFile(join(setup.folder, 'got'), 'utf8')).toBe('héllo');
	const seen = await readFile(join(setup.folder, 'env'), 'utf8');
	expect(seen).toContain('DISPLAY=:0');
	expect(seen).toContain('-selection clipboard');
	expect(seen).not.toContain('hush');
});

test('a long text goes to the tool alone where there is one', async () => {
	await using setup = await open({DISPLAY: ':0'});
	await setup.install('xclip', `cat > "${setup.folder}/got"`);
	const text = 'x'.repeat(200_000);
	expect(await setup.clipboard.copy(text)).toEqual({way: 'tool', message: 'copied by xclip'});
	expect(await readFile(join(setup.folder, 'got'), 'utf8')).toBe(text);
	expect(setup.written()).toBe('');
});

test('a tool that is missing or fails leaves the terminal’s copy', async () => {
	await using missing = await open({DISPLAY: ':0', PATH: '/nowhere'});
	expect((await missing.clipboard.copy('a')).message).toBe('copied by OSC 52');
	await using failing = await open({DISPLAY: ':0'});
	await failing.install('xclip', 'exit 1');
	expect((await failing.clipboard.copy('x'.repeat(10_000))).message).toBe('copied by OSC 52');
});

test('a tool that hangs is killed after 1 s', async () => {
	const clock = createFakeClock();
	const folder = await mkdtemp(join(tmpdir(), 'svc-clip-'));
	try {
		await writeFile(join(folder, 'xclip'), '#!/bin/sh\nexec sleep 1000\n', {mode: 0o755});
		const clipboard = createClipboard(
			{write() {}, clock},
			{
				environment: {DISPLAY: ':0', PATH: `${folder}:/usr/bin:/bin`},
				directory: folder,
				isTty: true,
				platform: 'linux',
			},
		);
		const copied = clipboard.copy('a');
		clock.advance(1000);
		expect((await copied).message).toBe('copied by OSC 52');
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
});
