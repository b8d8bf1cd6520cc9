import {execFileSync} from 'node:child_process';
import {
	chmod,
	link,
	lstat,
	mkdir,
	readdir,
	readFile,
	rename,
	symlink,
	writeFile,
} from 'node:fs/promises';
import {dirname} from 'node:path';
import {expect, test} from 'vitest';
import type {HomePaths} from '../../source/config/config.ts';
import {editConfig} from '../../source/config/edit-config.ts';
import {homePaths} from '../../source/config/home-paths.ts';
import {editSubscriptions} from '../../source/config/subscriptions.ts';
import {systemClock, type Clock} from '../../source/core/clock.ts';
import {codeOf} from '../../source/core/errors.ts';
import {startGateway} from '../../source/gateway/gateway.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {advanceUntil, stateWhere} from '../helpers/gateway.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const kinds = {
	'symbolic link': async (path: string, victim: string) => symlink(victim, path),
	'hard link': async (path: string, victim: string) => link(victim, path),
	pipe: async (path: string) => {
		execFileSync('mkfifo', [path]);
	},
} as const;

const names = [
	'run/gateway.pid',
	'run/gateway.lock',
	'logs/gateway.log',
	'state.db',
	'state.db.lock',
];

test.each(
	names.flatMap(name => Object.entries(kinds).map(([kind, plant]) => ({name, kind, plant}))),
)(
	'a gateway does not write $name through a $kind that others may have planted',
	async ({name, plant}) => {
		await using home = await temporaryHome({victim: 'mine'});
		const victim = home.file('victim');
		const path = home.file(`home/${name}`);
		await mkdir(dirname(path), {recursive: true});
		await chmod(dirname(path), 0o777);
		await plant(path, victim);
		await using gateway = startGateway({
			clock: systemClock,
			paths: homePaths({environment: {SVC_HOME: home.file('home')}}),
			environment: {},
			version: '0',
			localServers: [],
		});
		await expect(gateway.started).rejects.toMatchObject({
			code: 'file_planted',
			message: expect.stringContaining(`Cannot write "${path}"`),
		});
		expect(await readFile(victim, 'utf8')).toBe('mine');
	},
);

test.each([
	['config.yaml', async (home: string) => edit(pathsOf(home))],
	['webhook_subscriptions.json', async (home: string) => subscribe(pathsOf(home))],
])('%s may be a link where only the user may write, and stays one', async (name, write) => {
	await using home = await temporaryHome({'dotfiles/file': ''});
	const file = home.file('dotfiles/file');
	await mkdir(home.file('home'), {mode: 0o700});
	await symlink(file, home.file(`home/${name}`));
	await write(home.file('home'));
	expect(await readFile(file, 'utf8')).not.toBe('');
	expect((await lstat(home.file(`home/${name}`))).isSymbolicLink()).toBe(true);

	await writeFile(file, '');
	await chmod(home.file('home'), 0o777);
	await expect(write(home.file('home'))).rejects.toMatchObject({code: 'file_planted'});
	expect(await readFile(file, 'utf8')).toBe('');
});

const pathsOf = (home: string) => homePaths({environment: {SVC_HOME: home}});

const edit = async (paths: HomePaths) =>
	editConfig(paths, [{path: ['model', 'name'], value: 'x'}], {clock: systemClock});

const subscribe = async (paths: HomePaths) =>
	editSubscriptions(paths, () => ({hook: {prompt: 'x'}}), {clock: systemClock});

const startIn = (paths: HomePaths, clock: Clock = systemClock) =>
	startGateway({clock, paths, environment: {}, version: '0', localServers: []});

test.each([
	{link: 'run', edited: 'file_planted'},
	{link: 'logs', edited: 'done'},
	{link: 'cache', edited: 'done'},
	{link: 'scripts', edited: 'done'},
	{link: 'profiles', profile: 'x', edited: 'file_planted'},
	{link: 'profiles/x', profile: 'x', edited: 'file_planted'},
])(
	'a gateway does not use $link where others may have put a link to a private folder of the user in its place',
	async ({link: name, profile, edited}) => {
		await using home = await temporaryHome();
		const path = home.file(`home/${name}`);
		await mkdir(home.file('mine/x'), {recursive: true, mode: 0o700});
		await mkdir(dirname(path), {recursive: true, mode: 0o700});
		await symlink(home.file('mine'), path);
		await chmod(dirname(path), 0o775);
		const paths = homePaths({environment: {SVC_HOME: home.file('home')}, profile});
		await using gateway = startIn(paths);
		await expect(gateway.started).rejects.toMatchObject({
			code: 'file_planted',
			message: expect.stringContaining(`"${path}" is a symbolic link`),
		});
		for (const write of [edit, subscribe]) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			expect(await write(paths).then(() => 'done', codeOf)).toBe(edited);
		}

		expect(await readdir(home.file('mine'), {recursive: true})).toEqual(['x']);
	},
);

test('a folder of a home that only the user may write may be a link', async () => {
	await using home = await temporaryHome();
	await mkdir(home.file('elsewhere'), {mode: 0o775});
	await mkdir(home.file('home'), {mode: 0o700});
	await symlink(home.file('elsewhere'), home.file('home/logs'));
	const paths = pathsOf(home.file('home'));
	{
		await using gateway = startIn(paths);
		await gateway.started;
	}

	expect(await readFile(paths.gatewayLog, 'utf8')).toContain('The gateway is stopping');
});

test('nothing is put back into a folder that somebody planted while the gateway runs', async () => {
	await using home = await temporaryHome();
	await mkdir(home.file('mine'), {mode: 0o700});
	const paths = pathsOf(home.file('home'));
	const clock = createFakeClock();
	const gateway = startIn(paths, clock);
	await gateway.started;
	await chmod(paths.home, 0o775);
	await rename(paths.run, `${paths.run}.away`);
	await symlink(home.file('mine'), paths.run);
	clock.advance(5000);
	await stateWhere(gateway.port, ({logs}) =>
		logs.some(({message}) => message.includes(`"${paths.run}" is a symbolic link`)),
	);
	expect(await readdir(home.file('mine'))).toEqual([]);
	await advanceUntil(gateway[Symbol.asyncDispose](), clock);
	expect(await readdir(home.file('mine'))).toEqual([]);
});
