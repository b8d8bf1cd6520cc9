import {mkdir, readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {setTimeout} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {withFileLock} from '../../../source/core/file-lock.ts';
import {forgetLogin} from '../../../source/mcp/oauth/forget-login.ts';
import {grantFiles} from '../../../source/mcp/oauth/grant-files.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const endings = ['.json', '.client.json', '.meta.json', '.cimd-off'] as const;
const precious = 'precious';

test.for(endings)(
	'whatever stands in the place of %s, no token is left, and nothing else is touched',
	async ending => {
		await using home = await temporaryHome({'elsewhere/file': precious});
		const folder = home.file('tokens');
		const place = `${folder}/crm${ending}`;
		for (const plant of [
			async () => mkdir(`${place}/inside`, {recursive: true}),
			async () => symlink(home.file('elsewhere'), place),
			async () => symlink(home.file('nowhere'), place),
		]) {
			await mkdir(folder, {recursive: true, mode: 0o700});
			await Promise.all(
				[...endings, '.other.json'].map(async each => writeFile(`${folder}/crm${each}`, '{}')),
			);
			await rm(place);
			await plant();

			await forgetLogin(folder, {server: 'crm', clock: systemClock});

			expect(await readdir(folder)).toEqual(['crm.other.json']);
		}

		expect(await home.read('elsewhere/file')).toBe(precious);
	},
);

test('a refusal that somebody made a folder of is forgotten like another', async () => {
	await using home = await temporaryHome();
	await mkdir(home.file('crm.cimd-off/inside'), {recursive: true});
	const files = grantFiles(home.path, {
		server: 'crm',
		url: 'https://crm.example/mcp',
		clock: systemClock,
	});

	await files.forgetRefusal();

	expect(files.documentRefused()).toBe(false);
});

test('who renews a login is waited for, so that it does not come back', async () => {
	await using home = await temporaryHome({'crm.json': '{}'});
	const renewing = Promise.withResolvers<void>();
	const renewal = withFileLock(
		home.file('crm.lock'),
		async () => {
			await renewing.promise;
			await writeFile(home.file('crm.json'), '{"access_token": "new"}');
		},
		{waitMs: 1000, clock: systemClock},
	);

	const forgotten = forgetLogin(home.path, {server: 'crm', clock: systemClock});
	// Time enough for whoever would not wait.
	await Promise.race([forgotten, setTimeout(100)]);
	renewing.resolve();
	await Promise.all([renewal, forgotten]);

	expect(await readdir(home.path)).toEqual([]);
});
