// @module-tag slow
import {execFile} from 'node:child_process';
import {access, mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, dirname, join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {gatewayHome} from '../helpers/gateway.ts';

const run = promisify(execFile);

let folder: string;
let installed: string;
let contents: readonly string[];

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
	// Nothing of this machine's settings, and no network: a package without dependencies needs none.
	const env = {
		PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
		HOME: folder,
		npm_config_offline: 'true',
		npm_config_cache: join(folder, 'cache'),
		npm_config_update_notifier: 'false',
	};
	// The build is there already; packing must not replace it under other tests.
	const packed = await run(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
		{env},
	);
	const [tarball] = Object.values<{filename: string; files: ReadonlyArray<{path: string}>}>(
		JSON.parse(packed.stdout),
	);
	contents = tarball?.files.map(({path}) => path) ?? [];
	const prefix = join(folder, 'prefix');
	await run(
		'npm',
		['install', '--global', '--prefix', prefix, join(folder, tarball?.filename ?? '')],
		{env},
	);
	installed = join(prefix, 'bin', 'svc');
});

afterAll(async () => {
	await rm(folder, {recursive: true, force: true});
});

const manifest = async () => JSON.parse(await readFile('package.json', 'utf8'));

test('the package holds the build, its licences and the README, and nothing of the workshop', () => {
	expect(contents).toEqual(
		expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'build/main.js', 'build/svc']),
	);
	expect(
		contents.filter(path => !/^(?:build\/|package\.json$|README\.md$|LICENSE$)/.test(path)),
	).toEqual([]);
	expect(contents).toContain('build/THIRD-PARTY-LICENSES.txt');
});

test('npm installs it without any other package, and the installed svc works', async () => {
	const {version} = await manifest();
	const packages = await readdir(join(folder, 'prefix', 'lib', 'node_modules'));
	expect(packages).toEqual(['svc-agent']);
	await using home = await gatewayHome();
	const env = {
		SVC_HOME: home.path,
		HOME: home.path,
		PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
	};
	expect((await run(installed, ['--version'], {env})).stdout).toBe(`${version}\n`);
	const {stdout} = await run(installed, ['webhook', 'subscribe', 'gh', '--json'], {env});
	expect(JSON.parse(stdout)).toMatchObject({name: 'gh', created: true});
	const checked = await run(installed, ['config', 'check'], {env});
	expect(checked.stdout).toContain('1 route,');
});

/** An older Node that this machine happens to have. */
async function findOldNode(): Promise<string | undefined> {
	const folders = (process.env['PATH'] ?? '')
		.split(delimiter)
		.filter(path => !path.includes('node_modules'));
	for (const candidate of [...folders, '/usr/local/bin', '/usr/bin'].map(path =>
		join(path, 'node'),
	)) {
		try {
			await access(candidate);
			const {stdout} = await run(candidate, ['--version']);
			if (Number.parseInt(stdout.slice(1), 10) < 24) {
				return resolve(candidate);
			}
		} catch {
			// Not there, or not to be run.
		}
	}

	return undefined;
}

test('an older Node is told in one line what is missing', async context => {
	const node = await findOldNode();
	if (node === undefined) {
		context.skip('this machine has no Node older than 24');
		return;
	}

	for (const args of [['--version'], [], ['gateway', 'run']]) {
		const env = {HOME: folder, PATH: [dirname(node), '/usr/bin', '/bin'].join(delimiter)};
		await expect(run(installed, args, {env})).rejects.toMatchObject({
			code: 1,
			stdout: '',
			stderr: expect.stringMatching(/^svc needs Node 24 or newer, this is v\d+\.[^\n]*\n$/),
		});
	}
});
