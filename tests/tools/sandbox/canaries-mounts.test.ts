// @module-tag slow
import {
	mkdirSync,
	readdirSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {runInGroup} from '../../../source/core/process-group.ts';
import {createFileHelper} from '../../../source/tools/file/helper-process.ts';
import {type SandboxLists, sandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {runInSandbox, sandboxLaunch} from '../../../source/tools/sandbox/run-in-sandbox.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {type At, needSandbox, secret} from './canary-world.ts';

async function planned(context: Parameters<typeof needSandbox>[0]) {
	const {launch, program} = needSandbox(context);
	const home = await temporaryHome({
		'person/.ssh/key': secret,
		'person/.config/gh/hosts.yml': secret,
		'person/notes': 'notes',
		'svc/.env': secret,
		'work/inner/file': 'x',
		'outside/file': secret,
	});
	const root = realpathSync(home.path);
	const at: At = name => join(root, name);
	const plan = (lists: Partial<SandboxLists>) =>
		sandboxPlan(
			{workdir: at('work'), read: [], write: [], memoryBytes: 2 ** 24, ...lists},
			systemWorld({
				userHome: at('person'),
				svcHome: at('svc'),
				profileHome: at('svc'),
				environment: process.env,
			}),
		);
	const planOf = (lists: Partial<SandboxLists>) => {
		const made = plan(lists);
		if (made.kind === 'problem') {
			throw new Error(JSON.stringify(made.problem));
		}

		return made.plan;
	};

	const common = {
		signal: new AbortController().signal,
		timeoutMs: 20_000,
		limits: {maxProcesses: 20, maxMemoryBytes: 2 ** 27},
		outputBytes: 10_000,
	};
	return {
		at,
		launch,
		plan,
		planOf,
		run: async (ofPlan: ReturnType<typeof planOf>, command: string) =>
			runInSandbox(
				['/bin/bash', '-c', `exec 2>&1; ${command}`],
				{launch, plan: ofPlan, ...common},
				{clock: systemClock},
			),
		/** Without the look at what moved, as if it moved a moment later; unguarded, without the look from inside either. */
		async late(
			ofPlan: ReturnType<typeof planOf>,
			command: string,
			{isGuarded = true}: {readonly isGuarded?: boolean} = {},
		) {
			const argv = ['/bin/bash', '-c', `exec 2>&1; ${command}`];
			const {args, ...launched} = sandboxLaunch(program, ofPlan, argv);
			return runInGroup(
				{
					...launched,
					args: isGuarded ? args : [...args.slice(0, args.indexOf('--') + 1), ...argv],
					env: {},
					cwd: '/',
					input: '',
					stdout: {limitBytes: 10_000, above: 'keep-start'},
					stderr: {limitBytes: 10_000, above: 'keep-start'},
					termGraceMs: 0,
					...common,
				},
				{clock: systemClock},
			);
		},
		[Symbol.asyncDispose]: async () => home[Symbol.asyncDispose](),
	};
}

test('keys in a folder that is listed are covered, by an empty place', async context => {
	await using world = await planned(context);
	const {at} = world;

	const exit = await world.run(
		world.planOf({read: [at('person')]}),
		`cat ${at('person/.ssh/key')} ${at('person/.config/gh/hosts.yml')}; cat ${at('person/notes')}; : > ${at('person/.ssh/authorized_keys')}; ls -A ${at('person/.ssh')}`,
	);

	expect(exit.kind === 'above-limit' ? exit.limit : exit).toMatchObject({
		kind: 'exited',
		output: expect.stringContaining('notes'),
	});
	expect(JSON.stringify(exit)).not.toContain(secret);
	expect(readdirSync(at('person/.ssh'))).toEqual(['key']);
});

test('a place of a mount that was swapped for a link meanwhile is no way out', async context => {
	await using world = await planned(context);
	const {at} = world;
	const plan = world.planOf({read: [at('person')]});
	const looks = `cat ${at('person/.config/gh/hosts.yml')} ${at('moved/gh/hosts.yml')}; echo ran`;
	expect(await world.run(plan, looks)).toMatchObject({
		kind: 'exited',
		output: expect.stringContaining('ran'),
	});

	// The folder on the way to a cover leads to a folder of this machine, as bubblewrap sees it while it mounts.
	renameSync(at('person/.config'), at('person/moved'));
	symlinkSync(`/oldroot${at('outside')}`, at('person/.config'));
	const uncovered = `cat ${at('person/moved/gh/hosts.yml')}; echo ran`;
	const [seen, late, unguarded] = [
		await world.run(plan, uncovered),
		await world.late(plan, uncovered),
		await world.late(plan, uncovered, {isGuarded: false}),
	];

	expect(seen).toEqual({
		kind: 'not-started',
		reason: `"${at('person/.config/gh')}" leads elsewhere by now; try again, or list where it leads`,
	});
	expect(late).not.toMatchObject({stdout: expect.stringContaining('ran')});
	expect(JSON.stringify(late)).not.toContain(secret);
	// The guard is what keeps it in, unless this bubblewrap does not follow links.
	const [said, code] = unguarded.kind === 'exited' ? [unguarded.stdout, unguarded.code] : ['', 1];
	expect(code !== 0 || said.includes(secret)).toBe(true);
});

test('a listed path whose link was changed leads nowhere that is out of reach', async context => {
	await using world = await planned(context);
	symlinkSync(world.at('svc'), world.at('swapped'));

	expect(world.plan({read: [world.at('swapped')]})).toMatchObject({
		kind: 'problem',
		problem: {list: 'read', problem: expect.stringContaining('out of reach')},
	});
});

test('what was a folder when it was planned, and is a link to a secret when it is bound, is not bound', async context => {
	await using world = await planned(context);
	const {at} = world;
	mkdirSync(at('shared'));
	writeFileSync(at('shared/file'), 'shared');
	const plan = world.planOf({read: [at('shared')]});
	const command = `cat ${at('shared')}/*; echo ran`;
	expect(await world.run(plan, command)).toMatchObject({output: 'sharedran\n'});

	rmSync(at('shared'), {recursive: true});
	symlinkSync(at('outside'), at('shared'));

	expect(await world.run(plan, command)).toMatchObject({kind: 'not-started'});
});

test('the process that works on files does not start where a listed path leads to a secret by now', async context => {
	await using world = await planned(context);
	const {at, launch} = world;
	mkdirSync(at('person/docs'));
	writeFileSync(at('person/docs/key'), 'no secret');
	const plan = world.planOf({read: [at('person/docs')]});
	const read = async () => {
		await using helper = createFileHelper({clock: systemClock});
		return await helper.ask(
			{act: 'read', path: at('person/docs/key'), offset: 1, limit: 10},
			{kind: 'sandbox', launch, plan, workdir: plan.cwd},
			new AbortController().signal,
		);
	};

	expect(await read()).toMatchObject({text: 'no secret'});
	rmSync(at('person/docs'), {recursive: true});
	symlinkSync(at('person/.ssh'), at('person/docs'));

	expect(await read()).toMatchObject({
		isError: true,
		text: `Cannot work on files: "${at('person/docs')}" leads elsewhere by now; try again, or list where it leads`,
	});
});

test('no mount is made at a place in a folder that can be written', async context => {
	await using world = await planned(context);
	const inner = [world.at('work/inner')];

	for (const lists of [{read: inner}, {write: inner}]) {
		expect(world.plan(lists)).toMatchObject({
			kind: 'problem',
			problem: {problem: expect.stringContaining('list one of them')},
		});
	}
});
