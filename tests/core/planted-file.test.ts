import {execFileSync} from 'node:child_process';
import {chmod, link, lstat, mkdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {expect, test} from 'vitest';
import {editConfig} from '../../source/config/edit-config.ts';
import {editSubscriptions} from '../../source/config/edit-subscriptions.ts';
import {homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import {startGateway} from '../../source/gateway/gateway.ts';
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
	['config.yaml', async (home: string) => edit(home)],
	['webhook_subscriptions.json', async (home: string) => subscribe(home)],
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

const edit = async (home: string) =>
	editConfig(pathsOf(home), [{path: ['model', 'name'], value: 'x'}], {clock: systemClock});

const subscribe = async (home: string) =>
	editSubscriptions(pathsOf(home), () => ({hook: {prompt: 'x'}}), {clock: systemClock});
