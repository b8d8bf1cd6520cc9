import {chmod, copyFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {probeSandbox, whatForbids} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

/** A PATH on which `bwrap` is this script. */
async function bubblewrap(script: string) {
	const home = await temporaryHome({bwrap: `#!/bin/sh\n${script}\n`});
	await chmod(home.file('bwrap'), 0o755);
	return Object.assign(home, {environment: {PATH: home.path}});
}

test('a bubblewrap that is setuid is refused, with what to do', async () => {
	await using home = await bubblewrap('exit 0');
	await chmod(home.file('bwrap'), 0o4755);

	expect(await probeSandbox(home.environment)).toEqual({
		works: false,
		program: home.file('bwrap'),
		reason: expect.stringMatching(
			/bwrap is setuid: .*chmod u-s.*or put another one first on PATH$/,
		),
	});
});

test('one that keeps nothing in is found out by trying it', async () => {
	await using home = await bubblewrap('while [ "$1" != -- ]; do shift; done; shift; exec "$@"');

	expect(await probeSandbox(home.environment)).toMatchObject({
		works: false,
		reason: expect.stringMatching(/does not keep in what it starts: net /),
	});
});

test('one that cannot start says why', async () => {
	await using home = await bubblewrap(
		'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1',
	);

	expect(await probeSandbox(home.environment)).toMatchObject({
		works: false,
		reason: expect.stringContaining('bwrap: setting up uid map: Permission denied'),
	});
	expect(await probeSandbox({PATH: '.:relative'})).toMatchObject({
		reason: expect.stringContaining('apt install bubblewrap'),
	});
});

test('its version is what it says of itself', async context => {
	const probe = await probeSandbox(process.env);
	if (!probe.works) {
		context.skip(`no sandbox works here: ${probe.reason}`);
		return;
	}

	await using home = await temporaryHome();
	await copyFile(probe.program, home.file('bwrap'));

	expect(probe.name).toMatch(/^bubblewrap \d+\.\d+\.\d+$/);
	expect(await probeSandbox({PATH: home.path})).toMatchObject({
		works: true,
		name: probe.name,
		program: home.file('bwrap'),
	});
});

const appArmor = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
const clone = '/proc/sys/kernel/unprivileged_userns_clone';
const most = '/proc/sys/user/max_user_namespaces';

test.for([
	[1000, {[appArmor]: '1\n', [clone]: '1\n', [most]: '95000\n'}, /^AppArmor forbids/],
	[1000, {[appArmor]: '0\n', [clone]: '0\n'}, /sysctl kernel\.unprivileged_userns_clone=1$/],
	[1000, {[most]: '0\n'}, /sysctl user\.max_user_namespaces=\d+$/],
	[0, {[appArmor]: '1\n', [clone]: '0\n', [most]: '0\n'}, /sysctl user\.max_user_namespaces=\d+$/],
	[0, {[appArmor]: '1\n'}, /^$/],
	[1000, {}, /^$/],
] as const)('what the kernel forbids is said with what to do: %d %j', ([uid, settings, said]) => {
	const found = whatForbids(uid, path => (settings as Readonly<Record<string, string>>)[path]);

	expect(found ?? '').toMatch(said);
});
