import {spawnSync} from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {silentLogger} from '../../../source/core/log.ts';
import {
	makeCheckoutFolder,
	removeFolder,
	sweepCheckouts,
} from '../../../source/gateway/runs/checkout-folder.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

/** A folder in which everything is that makes one hard to remove. */
function spoil(folder: string, elsewhere: string): void {
	mkdirSync(elsewhere, {recursive: true});
	writeFileSync(join(elsewhere, 'kept'), 'kept');
	// Deeper than any path may be long.
	const levels = 60;
	const bottom = join(folder, 'd'.repeat(200), ...Array.from({length: 10}, () => 'd'.repeat(200)));
	mkdirSync(bottom, {recursive: true});
	for (let level = 0; level < levels; level += 1) {
		const top = join(folder, 'new');
		mkdirSync(top);
		renameSync(join(folder, 'd'.repeat(200)), join(top, 'd'.repeat(200)));
		renameSync(top, join(folder, 'd'.repeat(200)));
	}

	mkdirSync(join(folder, 'wide'));
	for (let index = 0; index < 500; index += 1) {
		writeFileSync(join(folder, 'wide', String(index)), '');
	}

	symlinkSync(elsewhere, join(folder, 'to-folder'));
	symlinkSync(join(elsewhere, 'kept'), join(folder, 'to-file'));
	symlinkSync('nowhere', join(folder, 'broken'));
	writeFileSync(Buffer.from(`${folder}/not-utf8-\xFF`, 'latin1'), '');
	mkdirSync(Buffer.from(`${folder}/folder-\xFE`, 'latin1'));
	spawnSync('mkfifo', [join(folder, 'pipe')]);
	mkdirSync(join(folder, 'locked/inner'), {recursive: true});
	writeFileSync(join(folder, 'locked/inner/file'), '', {mode: 0});
	chmodSync(join(folder, 'locked/inner'), 0);
	chmodSync(join(folder, 'locked'), 0);
	chmodSync(folder, 0);
}

test('a folder is removed whatever is in it: very deep, unreadable, wide, names that are no text, a pipe, links, which are not followed', async () => {
	await using home = await temporaryHome();
	const folder = home.file('checkouts/1-x');
	mkdirSync(folder, {recursive: true});
	spoil(folder, home.file('elsewhere'));

	await removeFolder(folder);

	expect(readdirSync(home.file('checkouts'))).toEqual([]);
	expect(readFileSync(home.file('elsewhere/kept'), 'utf8')).toBe('kept');
});

test('a link in the place of the folder is not followed', async () => {
	await using home = await temporaryHome({'elsewhere/kept': 'kept', 'checkouts/x': ''});
	symlinkSync(home.file('elsewhere'), home.file('checkouts/1-x'));

	await expect(removeFolder(home.file('checkouts/1-x'))).rejects.toThrow('ENOTDIR');
	expect(readdirSync(home.file('elsewhere'))).toEqual(['kept']);
});

test('the folder of a run ends with it, and a start sweeps away those of a gateway that was killed, of each profile', async () => {
	await using home = await temporaryHome();
	const world = {log: silentLogger};
	let folder = '';
	{
		await using stack = new AsyncDisposableStack();
		folder = await makeCheckoutFolder({runId: 12, profileHome: home.path}, world, stack);
		expect(folder).toMatch(/\/checkouts\/12-\w+$/);
	}

	expect(existsSync(folder)).toBe(false);
	for (const left of ['checkouts/13-aB3xyz', 'profiles/other/checkouts/removed-x1y2z3/7']) {
		mkdirSync(home.file(left), {recursive: true});
		spoil(home.file(left), home.file('elsewhere'));
	}

	mkdirSync(home.file('checkouts/of-the-person'));
	const swept = sweepCheckouts([home.path, home.file('profiles/other'), home.file('gone')], world);
	// A run that starts while a profile before its own is swept.
	mkdirSync(home.file('profiles/other/checkouts/14-ofArun'));
	await swept;
	expect(readdirSync(home.file('checkouts'))).toEqual(['of-the-person']);
	expect(readdirSync(home.file('profiles/other/checkouts'))).toEqual(['14-ofArun']);
	expect(readdirSync(home.file('elsewhere'))).toEqual(['kept']);
});
