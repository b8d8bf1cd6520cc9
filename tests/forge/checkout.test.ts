import {randomBytes} from 'node:crypto';
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {getCheckout} from '../../source/gateway/runs/get-checkout.ts';
import type {CheckoutBounds} from '../../source/gateway/runs/run-git.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {isOnPath, need} from '../helpers/need.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {type GitHost, openGitHost, type TreeEntry} from './git-host.ts';

const token = 'ghs_onlyForTheCodeHost0123456789';
const stack = new AsyncDisposableStack();
let forge: GitHost;
let home: TemporaryHome;

beforeAll(async () => {
	if (isOnPath('git') && isOnPath('openssl')) {
		forge = stack.use(await openGitHost(token));
		home = stack.use(await temporaryHome());
	}
});

beforeEach(context => {
	need('git', context);
	need('openssl', context);
	forge.answerWith(undefined);
});

afterAll(async () => stack.disposeAsync());

type Getting = {
	readonly number?: number;
	readonly head?: string | undefined;
	readonly bounds?: CheckoutBounds;
	readonly environment?: Readonly<Record<string, string>>;
	readonly clock?: typeof systemClock;
	readonly withToken?: string;
	readonly host?: string;
};

/** A checkout in a folder of its own. */
async function checkout({
	number = 7,
	head,
	bounds,
	environment = {},
	clock = systemClock,
	withToken = token,
	host = forge.host,
}: Getting) {
	const folder = mkdtempSync(join(home.path, 'checkout-'));
	const got = await getCheckout(
		{host: 'github', repo: 'acme/api', number, ...(head !== undefined && {head})},
		{kind: 'folder', folder, path: '/work/checkout'},
		{
			clock,
			cli: 'gh',
			host,
			forge: {cli: 'gh'},
			token: async () => withToken,
			environments: {
				own: {PATH: process.env['PATH'] ?? '', ...environment},
				profile: {SSL_CERT_FILE: forge.authority},
			},
			signal: new AbortController().signal,
			...(bounds && {bounds}),
		},
	);
	return {
		folder,
		note: got.notes[0],
		read: (name: string) => readFileSync(join(folder, name), 'utf8'),
	};
}

/** Why one cannot be got. */
const failureOf = async (getting: Getting): Promise<string> =>
	checkout(getting).then(
		() => 'it was got',
		(error: unknown) => (error instanceof Error ? error.message : 'no error'),
	);

const file = (name: string, content: string | Buffer): TreeEntry => ({
	mode: '100644',
	name,
	id: forge.blob(content),
});

const link = (name: string, to: string): TreeEntry => ({...file(name, to), mode: '120000'});

const folderOf = (name: string, entries: readonly TreeEntry[]): TreeEntry => ({
	mode: '40000',
	name,
	id: forge.tree(entries),
});

/** Everything below a folder: its path, and its bytes where it is a file. */
function everythingIn(folder: string): ReadonlyArray<{path: string; text: string}> {
	return readdirSync(folder, {recursive: true}).map(name => {
		const path = join(folder, String(name));
		return {path, text: lstatSync(path).isFile() ? readFileSync(path, 'latin1') : ''};
	});
}

test('the head commit lies in the folder, with a `.git` that has it alone; the token, which git says where it is asked, is in no file', async () => {
	const head = forge.serve(
		7,
		forge.tree([
			file('README.md', 'one\r\ntwo\n'),
			link('etc', '/etc/passwd'),
			{...file('run.sh', 'echo\n'), mode: '100755'},
			folderOf('source', [file('a.ts', 'a')]),
		]),
	);
	const before = forge.requests.length;
	const {folder, note, read} = await checkout({head});

	expect(read('README.md')).toBe('one\r\ntwo\n');
	expect(read('source/a.ts')).toBe('a');
	expect(readlinkSync(join(folder, 'etc'))).toBe('/etc/passwd');
	expect(lstatSync(join(folder, 'run.sh')).mode & 0o111).not.toBe(0);
	expect(read('.git/config')).toContain(`url = https://${forge.host}/acme/api.git`);
	expect(read('.git/HEAD').trim()).toBe(head);
	expect(readdirSync(join(folder, '.git'))).not.toContain('hooks');
	expect(JSON.stringify([everythingIn(folder), note])).not.toContain(token);
	expect(note).toEqual({
		text: expect.stringMatching(
			new RegExp(
				`^Got the checkout of acme/api#7 from localhost:\\d+ in \\d+\\.\\d s: commit ${head}; 4 files, [\\d.]+ k?B; the tools start in /work/checkout$`,
			),
		),
		data: {
			prefetch: 'checkout',
			commit: head,
			path: '/work/checkout',
			files: 4,
			bytes: expect.any(Number),
			ms: expect.any(Number),
		},
	});
	const asked = forge.requests.slice(before);
	expect(asked.map(({url}) => url.replace(/\?.*/, ''))).toEqual([
		'/acme/api.git/info/refs',
		'/acme/api.git/info/refs',
		'/acme/api.git/git-upload-pack',
	]);
});

test('the token is in no argument and no variable of git, and git gets no other secret', async () => {
	await home.write(
		'bin/git',
		`#!/bin/sh\n{ tr '\\0' '\\n' < /proc/$$/cmdline; tr '\\0' '\\n' < /proc/$$/environ; cat <&3; } >> ${home.file('seen')}\nexit 1\n`,
	);
	chmodSync(home.file('bin/git'), 0o755);
	await failureOf({
		environment: {
			PATH: `${home.file('bin')}:${process.env['PATH']}`,
			GH_TOKEN: token,
			OTHER: 'not-for-git',
		},
	});

	const seen = await home.read('seen');
	expect(seen).toContain('GIT_CONFIG_GLOBAL=/dev/null');
	expect(seen).not.toContain('not-for-git');
	expect(seen.split('\n').filter(line => line.includes(token))).toEqual([`password=${token}`]);
});

test('an event without the commit gets the newest head, as of a fork or a deleted branch; so does one whose commit is gone, and its run says so', async () => {
	const head = forge.serve(8, forge.tree([file('a', 'newest')]));
	const gone = '1'.repeat(40);
	const [plain, replaced] = await Promise.all([
		checkout({number: 8}),
		checkout({number: 8, head: gone}),
	]);

	expect([plain.read('a'), replaced.read('a')]).toEqual(['newest', 'newest']);
	expect(plain.note?.data?.['commit']).toBe(head);
	expect(plain.note?.text).toContain(`: commit ${head}; 1 file`);
	expect(replaced.note?.text).toContain(
		`: commit ${head}, the newest: ${gone} of the event cannot be got any more; 1 file`,
	);
});

test('attributes of the repository change no file: no filter, no LFS, no line ends, no encoding, no keyword', async () => {
	const head = forge.serve(
		7,
		forge.tree([
			file(
				'.gitattributes',
				'*.lfs filter=lfs diff=lfs\n*.evil filter=evil\n*.txt text eol=crlf\n*.id ident\n*.enc working-tree-encoding=UTF-16\n',
			),
			file('a.enc', 'plain'),
			file('a.evil', 'plain'),
			file('a.id', '$Id$'),
			file('a.lfs', 'version https://git-lfs.github.com/spec/v1\n'),
			file('a.txt', 'one\ntwo\n'),
		]),
	);
	const config = `[filter "evil"]\n\tsmudge = touch ${home.file('ran')}; cat\n\trequired\n`;
	await home.write('.gitconfig', config);
	const {read} = await checkout({head, environment: {HOME: home.path}});

	expect(['enc', 'evil', 'id', 'lfs', 'txt'].map(end => read(`a.${end}`))).toEqual([
		'plain',
		'plain',
		'$Id$',
		'version https://git-lfs.github.com/spec/v1\n',
		'one\ntwo\n',
	]);
	expect(readdirSync(home.path)).not.toContain('ran');
});

test("nothing of the person's configuration, environment and templates counts: no hook, no monitor, no helper, no other address", async () => {
	const head = forge.serve(7, forge.tree([file('a', 'plain')]));
	const evil = home.file('evil.sh');
	await home.write('evil.sh', `#!/bin/sh\ntouch ${home.file('ran')}\n`);
	mkdirSync(home.file('template/hooks'), {recursive: true});
	await home.write('template/hooks/post-checkout', `#!/bin/sh\ntouch ${home.file('ran')}\n`);
	await home.write(
		'.gitconfig',
		`[core]\n\tfsmonitor = ${evil}\n\thooksPath = ${home.file('template/hooks')}\n\tsshCommand = ${evil}\n[init]\n\ttemplateDir = ${home.file('template')}\n[url "ext::sh ${evil}"]\n\tinsteadOf = https://${forge.host}/\n[credential]\n\thelper = ${evil}\n[include]\n\tpath = ${evil}\n`,
	);
	const {folder} = await checkout({
		head,
		environment: {
			HOME: home.path,
			XDG_CONFIG_HOME: home.path,
			GIT_CONFIG_GLOBAL: home.file('.gitconfig'),
			GIT_CONFIG_COUNT: '1',
			GIT_CONFIG_KEY_0: 'core.fsmonitor',
			GIT_CONFIG_VALUE_0: evil,
			GIT_ASKPASS: evil,
			GIT_TEMPLATE_DIR: home.file('template'),
			GIT_EXTERNAL_DIFF: evil,
			GIT_TRACE: home.file('ran'),
			GIT_ALTERNATE_OBJECT_DIRECTORIES: '/',
			LD_PRELOAD: '/nonexistent.so',
		},
	});

	expect(readdirSync(home.path)).not.toContain('ran');
	expect(readdirSync(join(folder, '.git'))).not.toContain('hooks');
});

test('submodules stay empty folders, whatever their addresses say, and objects come from nowhere else', async () => {
	const [{id}] = [file('a', 'x')];
	const head = forge.serve(
		7,
		forge.tree([
			file(
				'.gitmodules',
				`[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c touch% ${home.file('ran')}\n\tupdate = !touch ${home.file('ran')}\n`,
			),
			file('a', 'x'),
			{mode: '160000', name: 'sub', id},
		]),
	);
	await home.write('objects-of-others/x', '');
	const {folder} = await checkout({head});

	expect(readdirSync(join(folder, 'sub'))).toEqual([]);
	expect(readdirSync(home.path)).not.toContain('ran');
	expect(everythingIn(join(folder, '.git')).map(({path}) => path)).not.toContainEqual(
		expect.stringMatching(/alternates|modules/),
	);
});

test('a code host that speaks the old protocol, and sends to objects elsewhere, is not followed', async () => {
	const asked: string[] = [];
	forge.answerWith((request, response) => {
		asked.push(request.url ?? '');
		const {pathname} = new URL(request.url ?? '', 'https://x');
		response.end(
			pathname.endsWith('/info/refs')
				? `${'1'.repeat(40)}\trefs/pull/7/head\n`
				: pathname.endsWith('alternates')
					? 'https://127.0.0.1:1/objects\n'
					: 'ref: refs/pull/7/head\n',
		);
	});

	expect(await failureOf({})).toMatch(/^Cannot get the checkout of acme\/api#7: git failed/);
	expect(asked.filter(url => !url.startsWith('/acme/api.git/'))).toEqual([]);
});

/** Trees that would write elsewhere, or what git itself reads. */
const refused: Readonly<Record<string, () => readonly TreeEntry[]>> = {
	'.git/config': () => [folderOf('.git', [file('config', 'x')])],
	'.GIT/config': () => [folderOf('.GIT', [file('config', 'x')])],
	'git~1/config': () => [folderOf('git~1', [file('config', 'x')])],
	'.git, with a sign that is not seen': () => [folderOf('.g\u200Cit', [file('config', 'x')])],
	'.git::$INDEX_ALLOCATION': () => [folderOf('.git::$INDEX_ALLOCATION', [file('config', 'x')])],
	'..': () => [folderOf('..', [file('planted', 'x')])],
	'a/../../planted': () => [
		folderOf('a', [folderOf('..', [folderOf('..', [file('planted', 'x')])])]),
	],
	'.': () => [folderOf('.', [file('planted', 'x')])],
	'a/b in one name': () => [file('../planted', 'x')],
	'a .gitmodules that is a link': () => [link('.gitmodules', '/etc/passwd')],
};

test.each(Object.entries(refused))('git refuses a tree with %s', async (_, entries) => {
	const head = forge.serve(7, forge.tree(entries()));

	expect(await failureOf({head})).toMatch(
		/: a path in it would leave the folder, or change what git itself does, which git refuses; git failed \(exit \d+\): .*[Ii]nvalid path/,
	);
	expect(readdirSync(home.path)).not.toContain('planted');
});

test('a file that would be written through a link of the same tree is not: the link gives way', async () => {
	mkdirSync(home.file('target'), {recursive: true});
	const head = forge.serve(
		7,
		forge.tree([link('a', home.file('target')), folderOf('a', [file('planted', 'x')])]),
	);

	await failureOf({head});
	expect(readdirSync(home.file('target'))).toEqual([]);
});

const bounds: CheckoutBounds = {bytes: 200_000, files: 1000, timeoutMs: 60_000};

test('a tree that names files a billion times over is refused before one of them is written', async () => {
	let entries = Array.from({length: 10}, (_, index) => file(String(index), 'x'));
	for (let level = 0; level < 8; level += 1) {
		const id = forge.tree(entries);
		entries = entries.map(({name}) => ({mode: '40000', name, id}));
	}

	const head = forge.serve(7, forge.tree(entries));
	expect(await failureOf({head, bounds})).toBe(
		'Cannot get the checkout of acme/api#7: it has more than 1,000 files, the most that a checkout may have: take "checkout" out of the prefetch of the route',
	);
});

test('what is larger than a checkout may be is refused: by what it comes to, and by what is received', async () => {
	const zeros = forge.serve(7, forge.tree([file('zeros', Buffer.alloc(1_000_000))]));
	const noise = forge.serve(8, forge.tree([file('noise', randomBytes(3_000_000))]));

	for (const head of [zeros, noise]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect(await failureOf({head, bounds})).toMatch(
			/: it has more than 200 kB, the most that a checkout may have: take "checkout" out/,
		);
	}
});

test('what git says is told with what to do, and never with the token', async () => {
	expect(await failureOf({number: 404, head: '2'.repeat(40)})).toMatch(
		/: the pull request does not exist any more, or its commits are gone: look at the code host; git failed \(exit 128\): fatal: couldn't find remote ref refs\/pull\/404\/head/,
	);
	expect(await failureOf({host: 'https://git.example/'})).toMatch(
		/: GH_HOST is "https:\/\/git\.example\/", which is no name of a host: set it to a host such as github\.com$/,
	);
	expect(await failureOf({withToken: 'another'})).toMatch(
		/: the login of "gh" cannot read the files of this repository: grant it access; git failed/,
	);
	forge.answerWith((request, response) => {
		const {authorization} = request.headers;
		response.writeHead(authorization === undefined ? 401 : 403, {
			'WWW-Authenticate': 'Basic realm="x"',
			'Content-Type': 'text/plain',
		});
		response.end(`${authorization} ${token} is not allowed\n`);
	});
	const echoed = await failureOf({});
	expect(echoed).toMatch(
		/: the login of "gh" cannot read the files .* \[redacted\] is not allowed/s,
	);
	expect(echoed).not.toContain(token);
	forge.answerWith((_, response) => {
		response.writeHead(301, {Location: 'https://127.0.0.1:1/acme/api.git/info/refs'});
		response.end();
	});
	expect(await failureOf({})).toMatch(/: the code host says that the repository has moved/);
});

test('a code host that does not answer is waited for 60 s', async () => {
	const clock = createFakeClock();
	const asked = new Promise<void>(resolve => {
		forge.answerWith(() => {
			resolve();
		});
	});
	const failure = failureOf({clock});
	await asked;
	clock.advance(60_000);

	expect(await failure).toBe(
		'Cannot get the checkout of acme/api#7: git was not done within 60 s and was ended',
	);
});
