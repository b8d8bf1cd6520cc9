import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdir, readdir, rename, symlink} from 'node:fs/promises';
import {delimiter, dirname, join, resolve} from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import {makeDemoHome} from '../../../source/cli/demo/demo-home.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

test('the demo gets the terminal of the person, and nothing that holds a key or names another place', () => {
	const home = makeDemoHome();
	const given = home.environment({
		PATH: '/usr/bin',
		TERM: 'xterm-256color',
		EDITOR: 'ed',
		HOME: '/home/alice',
		SVC_HOME: '/home/alice/.svc',
		SVC_PROFILE: 'work',
		API_PORT: '1',
		OPENAI_API_KEY: 'sk-secret',
		GITHUB_TOKEN: 'ghp_secret',
		NODE_OPTIONS: '--require /tmp/x.js',
		HTTPS_PROXY: 'http://proxy',
		BROWSER: 'firefox',
	});
	const folder = dirname(home.path);
	expect(given).toEqual({
		TERM: 'xterm-256color',
		EDITOR: 'ed',
		PATH: `${folder}/bin${delimiter}/usr/bin`,
		HOME: folder,
		SVC_HOME: home.path,
		BROWSER: `${folder}/bin/browser`,
	});
	home[Symbol.dispose]();
	expect(existsSync(folder)).toBe(false);
});

/** A process of its own that has a home for a demo. */
async function demoElsewhere(folder: string) {
	const module = resolve('source/cli/demo/demo-home.ts');
	const script = `
		const {makeDemoHome} = await import(${JSON.stringify(module)});
		console.log(makeDemoHome().path);
		setInterval(() => {}, 1e6);
	`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
		env: {...process.env, TMPDIR: folder},
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [path] = await once(child.stdout, 'data');
	onTestFinished(() => {
		child.kill('SIGKILL');
	});
	return {
		folder: dirname(String(path).trim()),
		async kill() {
			child.kill('SIGKILL');
			await once(child, 'exit');
		},
	};
}

test('what demos left that were killed is tidied by the next; nothing else is, and never through a link', async () => {
	await using temporary = await temporaryHome();
	vi.stubEnv('TMPDIR', temporary.path);
	onTestFinished(() => {
		vi.unstubAllEnvs();
	});
	const [killed, moved, alive] = await Promise.all([
		demoElsewhere(temporary.path),
		demoElsewhere(temporary.path),
		demoElsewhere(temporary.path),
	]);
	await killed.kill();
	await moved.kill();
	// The same by another name, and what only looks like it.
	await rename(moved.folder, temporary.file('elsewhere'));
	await symlink(temporary.file('elsewhere'), temporary.file('svc-demo-linked'));
	await mkdir(temporary.file('svc-demo-mine'));
	await temporary.write('svc-demo-noted', 'a file');

	const home = makeDemoHome();
	expect((await readdir(temporary.path)).toSorted()).toEqual(
		[
			'elsewhere',
			'svc-demo-linked',
			'svc-demo-mine',
			'svc-demo-noted',
			...[alive.folder, dirname(home.path)].map(folder => folder.slice(temporary.path.length + 1)),
		].toSorted(),
	);
	expect(existsSync(join(temporary.file('elsewhere'), '.svc'))).toBe(true);
	home[Symbol.dispose]();
	await alive.kill();
	makeDemoHome()[Symbol.dispose]();
	expect(existsSync(alive.folder)).toBe(false);
});
