// @module-tag slow
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import {expect, test} from 'vitest';
import {type At, type Canary, fly, kept, secret, waysOfFile} from './canary-world.ts';

const waysOf = waysOfFile();

/** What is read without a sandbox, and with one is not. */
const reads: readonly Canary[] = [
	{name: 'a key of the person', command: at => `cat ${at('person/.ssh/id_ed25519')}`},
	{
		name: 'the token of the forge client',
		command: at => `cat ${at('person/.config/gh/hosts.yml')}`,
	},
	{name: 'passwords of hosts', command: at => `cat ${at('person/.netrc')}`},
	{name: 'the secrets of svc', command: at => `cat ${at('svc/.env')}`},
	{name: 'the secrets of another profile', command: at => `cat ${at('svc/profiles/other/.env')}`},
	{name: 'a file that is not listed', command: at => `cat ${at('outside/file')}`},
	{name: 'that file by way of the working folder', command: () => 'cat ../../outside/file'},
	{name: 'that file through an absolute link', command: () => 'cat absolute/file'},
	{name: 'that file through a relative link', command: () => 'cat relative/file'},
	{name: 'that file through a name with quotes', command: () => `cat "quotes \\"'\\$(id)/file"`},
	{
		name: 'that file through /proc/self/root',
		command: at => `cat /proc/self/root${at('outside/file')}`,
	},
	{
		name: 'that file through the roots of others, the parent among them',
		command: at =>
			`cat /proc/$PPID/root${at('outside/file')} /proc/[0-9]*/root${at('outside/file')}`,
	},
	{
		name: 'that file through the working folders of others',
		command: () => 'cat /proc/[0-9]*/cwd/../../outside/file',
	},
	{name: 'what others have open', command: (_, {pid}) => `cat /proc/${pid}/fd/0`},
	{name: 'what others share in memory', command: (_, {shared}) => `cat ${shared}`},
	{
		name: 'the environments of the parent and of others',
		command: (_, {pid}) =>
			`cat /proc/$PPID/environ /proc/${pid}/environ /proc/[0-9]*/environ | tr '\\0' '\\n'`,
	},
	{
		name: 'the own environment',
		// Outside it is what the gateway has.
		command: (_, {pid}) =>
			`env; [ -d /proc/${pid} ] && echo SVC_CANARY=$(tr '\\0' '\\n' < /proc/${pid}/environ)`,
	},
];

/** What is written without a sandbox, and with one is not. */
const writes: readonly Canary[] = [
	{
		name: 'beside the working folder',
		command: at => `echo x > ${at('outside/new')}`,
		makes: 'outside/new',
	},
	{name: 'by way of the working folder', command: () => 'echo x > ../new', makes: 'svc/new'},
	{name: 'through an absolute link', command: () => 'echo x > absolute/new', makes: 'outside/new'},
	{name: 'through a relative link', command: () => 'echo x > relative/new', makes: 'outside/new'},
	{name: 'through a dangling link', command: () => 'echo x > dangling', makes: 'outside/new'},
	{name: 'a folder in the home', command: at => `mkdir ${at('person/new')}`, makes: 'person/new'},
	{
		name: 'the configuration of svc',
		command: at => `echo x > ${at('svc/config.yaml')}`,
		makes: 'svc/config.yaml',
	},
	{
		name: 'a folder that may be read',
		command: at => `cat ${at('listed/open.txt')}; echo x > ${at('listed/new')}`,
		makes: 'listed/new',
	},
	{
		name: 'through the roots of others',
		command: at => `for root in /proc/[0-9]*/root; do echo x > $root${at('outside/new')}; done`,
		makes: 'outside/new',
	},
	{
		name: 'a hard link to a file that is not listed',
		command: at => `ln ${at('outside/file')} linked`,
		makes: 'svc/work/linked',
	},
];

test.for(reads)('$name cannot be read', async (canary, context) => {
	expect(await fly(canary, waysOf(context), context)).toEqual(kept);
});

test.for(writes)('nothing is written: $name', async (canary, context) => {
	expect(await fly(canary, waysOf(context), context)).toEqual(kept);
});

/** What `read_file` of a run may be asked for. */
const paths: ReadonlyArray<readonly [string, (at: At) => string]> = [
	['a key of the person', at => at('person/.ssh/id_ed25519')],
	['the secrets of svc', at => at('svc/.env')],
	['the secrets of another profile', at => at('svc/profiles/other/.env')],
	['a file that is not listed', at => at('outside/file')],
	['that file by way of the working folder', () => '../../outside/file'],
	['that file through an absolute link', () => 'absolute/file'],
	['that file through a relative link', () => 'relative/file'],
	['that file through /proc/self/root', at => `/proc/self/root${at('outside/file')}`],
	[
		'that file through the root of this process',
		at => `/proc/${process.pid}/root${at('outside/file')}`,
	],
	['the environment of this process', () => `/proc/${process.pid}/environ`],
	['that file through a name with quotes', () => `quotes "'$(id)/file`],
];

test.for(paths)('the tools for files do not reach %s', async ([, pathOf], context) => {
	const {
		file: {at, call},
	} = waysOf(context);
	const path = pathOf(at);
	const real = isAbsolute(path) ? path : join(at('svc/work'), path);
	const before = readFileSync(real, 'utf8');
	// Whatever it is, it can be read without a sandbox.
	const known = before.includes(secret) ? secret : before.slice(0, 40);
	expect(known.length).toBeGreaterThan(10);

	// It runs: a listed file is read.
	expect(await call('read_file', {path: at('listed/open.txt')})).toEqual({text: 'listed'});
	for (const [tool, args] of [
		['read_file', {path}],
		['search_files', {path, pattern: '.'}],
		['edit_file', {path, old_text: secret, new_text: 'x'}],
		['write_file', {path, content: 'x'}],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one helper takes one call
		const {text, isError} = await call(tool, args);
		expect([tool, isError]).toEqual([tool, true]);
		expect(text).not.toContain(known);
	}

	expect(readFileSync(real, 'utf8')).toBe(before);
});

test('the tools for files write nothing through a dangling link, nor into what is read-only', async context => {
	const {
		file: {at, call},
	} = waysOf(context);
	const put = async (path: string) => call('write_file', {path, content: 'x'});

	expect(await put('dangling')).toMatchObject({
		isError: true,
		text: expect.stringContaining('a link'),
	});
	expect(await put(at('listed/new'))).toMatchObject({isError: true});
	expect(await put('own')).not.toHaveProperty('isError');
	expect(existsSync(at('outside/new'))).toBe(false);
	expect(existsSync(at('listed/new'))).toBe(false);
	expect(readFileSync(at('svc/work/own'), 'utf8')).toBe('x');
});

/** What would be an option of bubblewrap, of bash or of the helper, or end a quoted word. */
const names = [
	'--',
	'--bind',
	'--share-net',
	'--dangerously-skip-permissions',
	'-rf',
	'it"s',
	"it's",
	'two\nlines',
	'$(touch escaped)',
	'`touch escaped`',
	'; touch escaped',
] as const;

test.for(names)('a name is data, and no option: %j', async (name, context) => {
	const {
		file: {at, call},
	} = waysOf(context);
	const folder = `in ${name}`;
	mkdirSync(at(`svc/work/${name}`), {recursive: true});
	rmSync(at(`svc/work/${name}`), {recursive: true});

	expect(await call('write_file', {path: name, content: secret})).not.toHaveProperty('isError');
	expect((await call('read_file', {path: name})).text).toBe(secret);
	rmSync(at(`svc/work/${name}`));
	for (const workdir of [name, folder]) {
		mkdirSync(at(`svc/work/${workdir}`));
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {text} = await call('terminal', {
			command: `pwd; cat ${at('outside/file')}; ls /sys; cat /proc/net/dev | grep -vc lo:`,
			workdir,
		});
		expect(text).toContain(`${at('svc/work')}/${workdir}\n`);
		expect(text).not.toContain(secret);
		expect(text.endsWith('\n2\n')).toBe(true);
		rmSync(at(`svc/work/${workdir}`), {recursive: true});
	}

	// As a command it is a command of bash, in the sandbox.
	const {text} = await call('terminal', {command: name});
	expect(text).toMatch(/^exit code \d+\n/);
	expect(readdirSync(at('outside'))).toEqual(['file']);
	rmSync(at('svc/work/escaped'), {force: true});
});
