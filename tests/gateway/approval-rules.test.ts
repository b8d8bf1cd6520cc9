// @module-tag slow
import {mkdir, readFile, realpath, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {homePaths} from '../../source/config/home-paths.ts';
import type {NewRule} from '../../source/core/approvals/keeper.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import type {GatewayState} from '../../source/core/state.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {gatewayHome, startTestGateway, testConfig} from '../helpers/gateway.ts';
import {officialProgram} from '../helpers/official-program.ts';
import {post} from '../helpers/post.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const filesystem = officialProgram('filesystem');

const name = 'mcp__files__write_file';

const write = (path: string, content = 'x') => `/tool ${name} ${JSON.stringify({path, content})}`;

/** A home with a job, a person's folder that a filesystem server may write to whole, and rules by hand. */
async function openWorld(allow: (folder: string) => readonly JsonObject[] = () => []) {
	const stack = new AsyncDisposableStack();
	const person = stack.use(await temporaryHome());
	const folder = await realpath(person.path);
	const home = stack.use(await gatewayHome());
	for (const inner of ['notes', 'other', 'notes-evil']) {
		await mkdir(join(folder, inner));
	}

	const configOf = (rules: readonly JsonObject[]) =>
		testConfig({
			approvals: {allow: rules},
			mcp_servers: {
				files: {
					command: process.execPath,
					args: [filesystem, folder, home.path],
					trust: 'untrusted',
					timeout: 8,
				},
			},
		});
	await home.write('config.yaml', configOf(allow(folder)));
	const environment = {PATH: process.env['PATH'] ?? '', HOME: folder};
	const writeJob = async (...lines: readonly string[]) =>
		home.write(
			'cron/jobs.json',
			JSON.stringify({
				jobs: [
					{id: 'job_notes000', name: 'nightly', schedule: 'every 24h', prompt: lines.join('\n')},
				],
			}),
		);
	return {
		folder,
		home,
		writeJob,
		at: (path: string) => join(folder, path),
		setRules: async (rules: readonly JsonObject[]) => home.write('config.yaml', configOf(rules)),
		start: async (subscriptions?: string) => {
			if (subscriptions !== undefined) {
				await home.write('webhook_subscriptions.json', subscriptions);
			}

			return startTestGateway({home, environment});
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

const waiting = ({approvals: [one]}: GatewayState) => one !== undefined;

const exists = async (path: string) => readFile(path, 'utf8').catch(() => undefined);

test('a job writes below the folder of its rule without "trust: full", and asks for anything else', async () => {
	await using world = await openWorld();
	const {at} = world;
	await world.writeJob(write(at('notes/first.md')));
	await using gateway = await world.start();
	const {port} = gateway;
	const first = await port.runJob('nightly', {});
	const {approvals} = await gateway.until(waiting);
	const [asked] = approvals;
	expect(asked).toMatchObject({
		scopes: ['once', 'run', 'always'],
		mustTypeName: true,
		lasting: {owner: {kind: 'job', id: 'job_notes000', name: 'nightly'}, isBound: true},
	});
	const id = asked?.id ?? 0;
	const always = {choice: 'allow', scope: 'always'} as const;
	for (const refused of [
		always,
		{...always, typedName: 'write_file'},
		{...always, typedName: 'write_file', args: ['path']},
		{...always, args: 'exact' as const},
		{...always, when: {path: '~/notes/'}},
		{...always, typedName: 'write_file', when: {path: '~/other/'}},
		{...always, typedName: 'write_file', when: {path: '/'}},
		{...always, typedName: 'write_file', when: {pth: '~/notes/'}},
		{...always, typedName: 'write_file', when: {path: '~/notes/'}, args: 'exact' as const},
		{choice: 'allow', scope: 'run', typedName: 'write_file', when: {path: '~/notes/'}} as const,
	]) {
		await expect(port.settleApproval(id, {answer: refused, by: 'cli'})).rejects.toMatchObject({
			code: 'approval_invalid',
		});
	}

	await port.settleApproval(id, {
		answer: {...always, typedName: 'write_file', when: {path: '~/notes/'}},
		by: 'cli',
	});
	expect((await gateway.ended(first.runId)).state).toBe('done');
	expect(await exists(at('notes/first.md'))).toBe('x');
	expect(await port.listApprovalRules()).toMatchObject([
		{
			server: 'files',
			tool: 'write_file',
			scope: 'always',
			owner: {kind: 'job', id: 'job_notes000'},
			when: [{key: 'path', below: at('notes'), real: at('notes')}],
			uses: 0,
		},
	]);

	await symlink(at('other'), at('notes/link'));
	await world.writeJob(
		write(at('notes/second.md'), 'y'),
		write(at('notes/link/third.md')),
		write(at('notes/../other/fourth.md')),
		write(at('notes-evil/fifth.md')),
		write(world.home.file('config.yaml')),
	);
	await port.reload();
	const second = await port.runJob('nightly', {});
	for (let count = 0; count < 3; count++) {
		const {
			approvals: [one],
		} = await gateway.until(waiting);
		await port.settleApproval(one?.id ?? 0, {answer: {choice: 'deny'}, by: 'cli'});
	}

	// Nobody answers the last one: at the deadline the answer is no.
	const run = await gateway.ended(second.runId);
	const results = run.transcript.filter(({kind}) => kind === 'tool-result');
	expect(
		results
			.map(({text, data}) => {
				const allowed = data?.['approval'];
				return typeof allowed === 'string' ? allowed : text.replace(/:.*/, '');
			})
			.toSorted(),
	).toEqual([
		`allowed by rule 1: job nightly, path below ${at('notes')}/`,
		'approval_denied',
		'approval_denied',
		'approval_denied',
		'approval_timeout',
	]);
	expect(await exists(at('notes/second.md'))).toBe('y');
	expect(await exists(at('other/third.md'))).toBeUndefined();
	expect(await exists(at('other/fourth.md'))).toBeUndefined();
	expect(await port.listApprovalRules()).toMatchObject([{uses: 1, usedAt: expect.any(Number)}]);
	expect(await port.listApprovals({state: 'settled', limit: 9})).toHaveLength(6);
});

test('a rule of a job is not one for an event that fires that job, nor for a route', async () => {
	await using world = await openWorld(() => [
		{job: 'nightly', tool: name, when: {path: '~/notes/'}},
	]);
	await world.writeJob(write(world.at('notes/a.md')));
	const secret = 'It is a secret of the hook 1';
	await using gateway = await world.start(
		JSON.stringify({
			hook: {secret, cron_job: 'nightly', prompt: write(world.at('notes/b.md'))},
		}),
	);
	await gateway.until(({servers: [server]}) => server?.status === 'connected');
	const run = await gateway.port.runJob('nightly', {});
	expect((await gateway.ended(run.runId)).transcript).toMatchObject(
		expect.arrayContaining([
			expect.objectContaining({
				data: expect.objectContaining({
					approval: `allowed by rule 1: job nightly, path below ${world.at('notes')}/, config.yaml:1`,
				}),
			}),
		]),
	);
	await post(`${gateway.url()}/webhooks/hook`, {payload: {n: 1}, secret});
	const {approvals} = await gateway.until(waiting);
	expect(approvals).toMatchObject([{route: 'hook', scopes: ['once', 'run']}]);
	await expect(
		gateway.port.settleApproval(approvals[0]?.id ?? 0, {
			answer: {
				choice: 'allow',
				scope: 'always',
				typedName: 'write_file',
				when: {path: '~/notes/'},
			},
			by: 'cli',
		}),
	).rejects.toMatchObject({code: 'approval_invalid'});

	// A call that waits is let through by the line that is written now, and the rule ends with its line.
	const forRoute = {route: 'hook', tool: name, when: {path: '~/notes/'}};
	await world.setRules([forRoute]);
	await gateway.until(({approvalRules}) =>
		approvalRules.some(({owner, definition}) => owner?.kind === 'route' && definition !== ''),
	);
	await gateway.ended(2);
	expect(await exists(world.at('notes/b.md'))).toBe('x');
	await world.setRules([]);
	await gateway.until(({approvalRules}) => approvalRules.length === 0);
	await post(`${gateway.url()}/webhooks/hook`, {payload: {n: 2}, secret});
	await gateway.until(waiting);
});

test('an entry keeps its definition over a restart; a tool that is defined otherwise then asks until a person accepts it', async () => {
	await using world = await openWorld(() => [
		{job: 'nightly', tool: name, when: {path: '~/notes/'}},
	]);
	await world.writeJob(write(world.at('notes/a.md')));
	let pinned = '';
	{
		await using gateway = await world.start();
		const {approvalRules} = await gateway.until(
			({approvalRules: [rule]}) => rule?.server === 'files',
		);
		pinned = approvalRules[0]?.definition ?? '';
	}

	expect(pinned).toMatch(/^[0-9a-f]{64}$/);
	// What it would find if the server had said something else before.
	{
		const {stateDb} = homePaths({environment: {SVC_HOME: world.home.path}});
		await using store = await openSqliteStore({clock: systemClock}, {file: stateDb});
		const [rule] = await store.approvals.rules();
		expect(rule).toMatchObject({id: 1, definition: pinned, tool: 'write_file'});
		const {id = 0, ...kept} = rule ?? {};
		await store.approvals.changeRule(id, {...(kept as NewRule), definition: 'ab'.repeat(32)});
	}

	await using gateway = await world.start();
	const {approvalRules} = await gateway.until(
		({approvalRules: [rule]}) => rule?.present === pinned,
	);
	expect(approvalRules).toMatchObject([
		{id: 1, problem: 'the tool is defined otherwise now: svc approvals accept 1'},
	]);
	const {runId} = await gateway.port.runJob('nightly', {});
	await gateway.until(waiting);
	// What waits is let through by the answer, too.
	await gateway.port.acceptApprovalRule(1, {definition: pinned});
	expect((await gateway.ended(runId)).state).toBe('done');
	expect(await exists(world.at('notes/a.md'))).toBe('x');
	await expect(gateway.port.revokeApprovalRule(1)).rejects.toMatchObject({
		code: 'approval_invalid',
	});
});

test('a rule whose job is nowhere is told at the start, and once', async () => {
	await using world = await openWorld(() => [{job: 'nightyl', tool: name}]);
	await world.writeJob('x');
	await using gateway = await world.start();
	await gateway.gateway.idle();
	const told = () => gateway.log.filter(line => line.includes('is for job nightyl'));
	expect(told()).toEqual([expect.stringMatching(/warn.*did you mean nightly/i)]);
	await world.setRules([
		{job: 'nightyl', tool: name},
		{job: 'nightly', tool: 'x'},
	]);
	await gateway.port.reload();
	expect(told()).toHaveLength(1);
});
