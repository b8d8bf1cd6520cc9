import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, realpathSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {assert, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {signalGroup} from '../../../source/core/process-group.ts';
import {type SandboxPlan, sandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {runInSandbox, startInSandbox} from '../../../source/tools/sandbox/run-in-sandbox.ts';
import {seatbeltProfile} from '../../../source/tools/sandbox/seatbelt-profile.ts';
import {launchIn} from '../../../source/tools/sandbox/seatbelt.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';
import {until} from '../../helpers/processes.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const scratch = {folder: '/private/tmp/svc-in-1', ports: {proxy: 20_000, forge: 20_001}};

const planOf = (plan: Partial<SandboxPlan> = {}): SandboxPlan => ({
	mounts: [],
	secrets: [],
	env: {},
	cwd: '/',
	sockets: [],
	prelude: [],
	...plan,
});

const read = (path: string) => ({kind: 'read', from: path, path}) as const;
const write = (path: string) => ({kind: 'write', from: path, path}) as const;

const profileOf = (plan: Partial<SandboxPlan>) => seatbeltProfile(planOf(plan), scratch);

/** What the last rule that fits says of an operation on a path, as Seatbelt decides. */
function decide(profile: string, operation: string, path: string): 'allow' | 'deny' {
	let decision: 'allow' | 'deny' = 'deny';
	for (const line of profile.split('\n')) {
		const [, verb, operations = ''] = /^\((allow|deny) ([^("]+?)(?= \(|\)$)/.exec(line) ?? [];
		const names = operations.split(' ');
		const fits = names.some(name =>
			name.endsWith('*') ? operation.startsWith(name.slice(0, -1)) : name === operation,
		);
		const filters = [...line.matchAll(/\((subpath|literal) "((?:[^"\\]|\\.)*)"\)/g)];
		const isThere = filters.some(([, kind, text = '']) => {
			const place = text.replaceAll(/\\(.)/g, '$1');
			return path === place || (kind === 'subpath' && path.startsWith(`${place}/`));
		});
		if (fits && isThere) {
			decision = verb === 'allow' ? 'allow' : 'deny';
		}
	}

	return decision;
}

test('a profile begins with denying, and allows what is listed', () => {
	const profile = profileOf({
		mounts: [read('/usr/bin'), read('/Users/ada/notes'), write('/Users/ada/work')],
	});

	expect(profile.split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
	expect(decide(profile, 'file-read-data', '/Users/ada/notes/a')).toBe('allow');
	expect(decide(profile, 'file-write-data', '/Users/ada/notes/a')).toBe('deny');
	expect(decide(profile, 'file-write-create', '/Users/ada/work/a')).toBe('allow');
	expect(decide(profile, 'process-exec', '/usr/bin/git')).toBe('allow');
	expect(decide(profile, 'file-read-data', '/Users/ada/notes-2')).toBe('deny');
	expect(decide(profile, 'file-read-data', '/Users/ada')).toBe('deny');
	expect(decide(profile, 'file-read-metadata', '/Users/ada')).toBe('allow');
});

test('what is out of reach is denied after what is allowed, also where it is not there yet; the work folder in it is allowed again', () => {
	const profile = profileOf({
		mounts: [
			read('/Users/ada'),
			write('/Users/ada/.svc/work'),
			{kind: 'cover', isFolder: true, path: '/Users/ada/.ssh'},
		],
		secrets: ['/Users/ada/.svc', '/Users/ada/.aws'],
	});

	expect(decide(profile, 'file-read-data', '/Users/ada/notes')).toBe('allow');
	for (const secret of ['.ssh/id', '.aws', '.aws/credentials', '.svc/config.yaml', '.svc/work-2']) {
		expect([secret, decide(profile, 'file-read-data', `/Users/ada/${secret}`)]).toEqual([
			secret,
			'deny',
		]);
		expect(decide(profile, 'file-write-data', `/Users/ada/${secret}`)).toBe('deny');
		expect(decide(profile, 'process-exec', `/Users/ada/${secret}`)).toBe('deny');
	}

	expect(decide(profile, 'file-write-data', '/Users/ada/.svc/work/a')).toBe('allow');
	expect(decide(profile, 'file-read-data', '/Users/ada/.svc/work/a')).toBe('allow');
});

test('no rule is about everything, and nothing leads to the network without a way out', () => {
	const profile = profileOf({mounts: [read('/usr/bin')]});
	const withoutFilter = profile.split('\n').filter(line => /^\(allow [^(]*\)$/.test(line));

	expect(withoutFilter).toEqual(['(allow process-fork)']);
	expect(profile).not.toContain('localhost');
	expect(profile.match(/^\(allow network.*$/gm)).toEqual([
		`(allow network* (subpath "${scratch.folder}"))`,
	]);
});

test('a way out is its socket, and its ports of the loopback alone', () => {
	const profile = profileOf({
		sockets: [{outside: '/private/var/folders/x/proxy.sock', inside: '/run/svc/proxy.sock'}],
	});

	expect(profile).toContain(
		'(allow network-outbound (literal "/private/var/folders/x/proxy.sock"))',
	);
	expect(profile).toContain(
		'(allow network-outbound (remote ip "localhost:20000") (remote ip "localhost:20001"))',
	);
	expect(profile).not.toContain('localhost:*');
});

test('a path with quotes and backslashes is one text of the profile', () => {
	assert(
		property(string(), text => {
			// oxlint-disable-next-line no-control-regex -- those are refused
			const path = `/a/${text.replaceAll(/[\0-\u001F\u007F]/g, '')}`;
			const filter = profileOf({mounts: [write(path)]})
				.split('\n')
				.find(line => line.startsWith('(allow file-write* '));
			const [, written = ''] =
				/^\(allow file-write\* \(subpath ("(?:[^"\\]|\\["\\])*")\)/.exec(filter ?? '') ?? [];
			expect(written.slice(1, -1).replaceAll(/\\(.)/g, '$1')).toBe(path);
		}),
		{numRuns: propertyRuns(200)},
	);
});

test.for(['/a\n(allow default)', '/a\0b', '/a\rb', '/a\u007Fb'])(
	'a path with a control character is refused: %j',
	path => {
		expect(() => profileOf({mounts: [read(path)]})).toThrow('has a control character');
		expect(() => profileOf({secrets: [path]})).toThrow('has a control character');
	},
);

/** A launch without Seatbelt, which this system may not have. */
function bareLaunch(plan: SandboxPlan, command: readonly string[], folder: string) {
	const launch = launchIn(plan, command, {...scratch, folder});
	const at = launch.args.indexOf('/usr/bin/sandbox-exec');
	return {...launch, args: launch.args.toSpliced(at, 3)};
}

async function runBare(plan: Partial<SandboxPlan>, command: readonly string[], folder: string) {
	const {command: shell, args} = bareLaunch(planOf(plan), command, folder);
	try {
		return {code: 0, ...(await promisify(execFile)(shell, args, {env: {CANARY: 'x'}}))};
	} catch (error) {
		return error as {code: number; stdout: string; stderr: string};
	}
}

test('the folder of a sandbox has its home and what is laid into /run/svc', async () => {
	await using home = await temporaryHome({'a file': 'listed\n'});
	const root = realpathSync(home.path);
	const folder = join(root, "it's 1");
	const found = await runBare(
		{
			env: {
				HOME: '/Users/ada',
				PATH: '/usr/bin:/bin',
				GH_CONFIG_DIR: '/run/svc/forge',
				FOLDER: '/run/svc',
				HTTP_PROXY: 'http://127.0.0.1:61080',
			},
			cwd: '/Users/ada',
			mounts: [
				{kind: 'memory', path: '/Users/ada', bytes: 1},
				{kind: 'text', path: '/run/svc/forge/config.yml', text: 'socket: "/run/svc/forge.sock"\n'},
				{kind: 'read', from: join(root, 'a file'), path: '/run/svc/listed'},
				read('/usr/bin'),
			],
			sockets: [{outside: '/tmp/x.sock', inside: '/run/svc/forge.sock'}],
			prelude: ['/usr/bin/env', 'PORT=1'],
		},
		[
			'/bin/bash',
			'-c',
			'pwd; echo "$HOME $HTTP_PROXY ${CANARY-none}"; cat "$GH_CONFIG_DIR/config.yml" "$FOLDER/listed"; readlink "$FOLDER/forge.sock"; touch "$TMPDIR/a"; exit 7',
		],
		folder,
	);

	expect(found).toMatchObject({
		code: 7,
		stdout: [
			`${folder}/home`,
			`${folder}/home http://127.0.0.1:20000 none`,
			`socket: "${folder}/run/forge.sock"`,
			'listed',
			'/tmp/x.sock',
			'',
		].join('\n'),
	});
});

test('a folder with something mounted in it is no reason to look at the mounts of Linux', async () => {
	await using home = await temporaryHome({'listed/.svc/.env': '', 'listed/notes': 'notes'});
	const root = realpathSync(home.path);
	const svcHome = join(root, 'listed/.svc');
	const planned = sandboxPlan(
		{read: [join(root, 'listed')], write: [], memoryBytes: 2 ** 20},
		systemWorld({userHome: root, svcHome, profileHome: svcHome, environment: {}}),
	);

	expect(planned).toMatchObject({
		plan: {mounts: expect.arrayContaining([{kind: 'cover', isFolder: true, path: svcHome}])},
	});
	expect(
		await runBare(
			planned.kind === 'plan' ? {...planned.plan, cwd: '/'} : {},
			['/bin/echo', 'ran'],
			join(root, 'scratch'),
		),
	).toMatchObject({code: 0, stdout: 'ran\n'});
});

test('a folder that is there already is not taken', async () => {
	await using home = await temporaryHome({'taken/file': ''});

	const {code} = await runBare({}, ['/bin/echo', 'ran'], home.file('taken'));

	expect(code).toBe(126);
	expect(existsSync(home.file('taken/file'))).toBe(true);
});

test('the folder of a sandbox is gone after it, also when it was killed', async () => {
	await using home = await temporaryHome();
	const folder = join(realpathSync(home.path), 'scratch');
	const job = {
		plan: planOf(),
		signal: new AbortController().signal,
		timeoutMs: 1000,
		limits: {maxProcesses: 20, maxMemoryBytes: 2 ** 27},
		outputBytes: 1000,
	};
	const command = ['/bin/bash', '-c', 'touch "$TMPDIR/a"; echo made; sleep 1000'];
	const groups = {works: false, reason: 'not in this test'} as const;

	const run = await runInSandbox(
		command,
		{...job, launch: (plan, argv) => bareLaunch(plan, argv, folder)},
		{clock: systemClock, groups},
	);
	expect([run, existsSync(folder)]).toMatchObject([{kind: 'timeout', output: 'made\n'}, false]);

	const child = startInSandbox(command, {
		plan: planOf(),
		launch: (plan, argv) => bareLaunch(plan, argv, folder),
	});
	child.stdout?.once('data', () => {
		signalGroup(child, 'SIGKILL');
	});
	await once(child, 'close');
	await until(() => !existsSync(folder));
});
