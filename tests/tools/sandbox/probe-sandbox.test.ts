import {existsSync, readFileSync} from 'node:fs';
import {chmod, copyFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {whatForbids} from '../../../source/tools/sandbox/bubblewrap.ts';
import {isLinuxAtLeast} from '../../../source/tools/sandbox/bwrap-arguments.ts';
import {sandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {runInSandbox} from '../../../source/tools/sandbox/run-in-sandbox.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
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

test('a failure is known for a minute, and tried again after it', async () => {
	await using home = await bubblewrap('echo tried >> "$0.tries"; echo "bwrap: busy" >&2; exit 1');
	const clock = createFakeClock();
	const tries = () => readFileSync(home.file('bwrap.tries'), 'utf8').split('\n').length - 1;

	await probeSandbox(home.environment, {clock});
	clock.advance(59_999);
	await probeSandbox(home.environment, {clock});
	expect(tries()).toBe(1);
	clock.advance(1);
	await Promise.all([
		probeSandbox(home.environment, {clock}),
		probeSandbox(home.environment, {clock}),
	]);
	expect(tries()).toBe(2);
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

test('the machine keeps its own bound of tasks, also where a bubblewrap keeps nothing in', async () => {
	const bound = () => readFileSync('/proc/sys/kernel/pid_max', 'utf8');
	const before = bound();
	await using home = await bubblewrap('case "$*" in *pid_max*) touch "$0.told";; esac; exit 0');

	await probeSandbox(home.environment);

	expect(existsSync(home.file('bwrap.told'))).toBe(false);
	expect(bound()).toBe(before);
});

test('since Linux 6.14 a sandbox has a bound of tasks of its own', async context => {
	const probe = await probeSandbox(process.env);
	if (!probe.works || !isLinuxAtLeast([6, 14])) {
		context.skip('no sandbox works here, or the kernel is older');
		return;
	}

	const planned = sandboxPlan(
		{read: [], write: [], memoryBytes: 2 ** 20},
		systemWorld({
			userHome: '/nonexistent',
			svcHome: '/nonexistent',
			profileHome: '/nonexistent',
			environment: {},
		}),
	);
	if (planned.kind === 'problem') {
		throw new Error(planned.problem.problem);
	}

	const exit = await runInSandbox(
		['/bin/cat', '/proc/sys/kernel/pid_max'],
		{
			launch: probe.launch,
			plan: {...planned.plan, cwd: '/'},
			signal: new AbortController().signal,
			timeoutMs: 20_000,
			limits: {maxProcesses: 100, maxMemoryBytes: 2 ** 28},
			outputBytes: 100,
		},
		{clock: systemClock},
	);

	expect(exit).toMatchObject({output: '2000\n'});
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
