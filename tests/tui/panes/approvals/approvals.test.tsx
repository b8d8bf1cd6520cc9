import {expect, test} from 'vitest';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeFormApproval, makeRule, makeToolApproval} from '../../../helpers/make-approval.ts';
import {makeRun} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {freshPicture, showShell, testNow} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};

const later = makeToolApproval({id: 1});
const sooner = makeFormApproval({id: 2, deadline: testNow + 60_000});
const denied = makeToolApproval({
	id: 8,
	decision: {
		outcome: 'denied',
		at: testNow - 60_000,
		by: 'cli (bob)',
		reason: 'wrong repository',
	},
});
const state = {
	approvals: [later, sooner],
	settledApprovals: [denied],
	approvalRules: [makeRule({args: {keys: ['owner', 'repo'], hash: 'ff'}})],
};

test('what waits by its deadline, then the rules, then what was decided', async () => {
	await using shown = await showShell(createFakePort(state), narrow, {pane: 'approvals'});
	const rows = readTable(shown.screen.lines(), ['#', 'state', 'time', 'server', 'tool', 'for']);
	const asked = {time: '12:00:00', for: expect.stringMatching(/^run #184/)};
	const github = {server: 'github-tools', tool: 'create_issue'};

	expect(shown.text()).toContain('── Approvals ── 4 ── 2 waiting · 1 rule · 1 decided ──');
	expect(rows).toMatchObject([
		{text: '── waiting ──'},
		{
			sign: '>!',
			cells: {...asked, '#': '2', state: '! 1:00 left', server: 'crm', tool: 'a form'},
		},
		{sign: '!', cells: {...asked, ...github, '#': '1', state: '! 4:31 left'}},
		{text: '── rules ──'},
		{
			sign: '',
			cells: {
				...github,
				'#': 'r4',
				state: 'allows',
				time: '3 uses',
				for: expect.stringMatching(/^expires 20 Dec/),
			},
		},
		{text: '── history ──'},
		{sign: '', cells: {...asked, ...github, '#': '8', state: '✗ denied', time: '11:59:00'}},
	]);
	expect(shown.screen.picture()).toBe(await freshPicture(shown));
});

test('the call of a job is listed with the name of the job', async () => {
	const {route: _, delivery: __, ...rest} = makeToolApproval({run: 2509});
	const port = createFakePort({approvals: [{...rest, job: {id: 'job_1', name: 'Nightly notes'}}]});
	await using shown = await showShell(port, wide, {pane: 'approvals'});
	await shown.screen.press('z');

	expect(shown.text()).toContain('run #2509 job Nightly notes');
});

test('what was decided last stands first, whatever was asked first', async () => {
	const decided = (id: number, at: number) =>
		makeToolApproval({id, decision: {outcome: 'denied', at, by: 'tui'}});
	const port = createFakePort({
		settledApprovals: [decided(1, testNow - 1000), decided(3, testNow), decided(2, testNow - 500)],
	});
	await using shown = await showShell(port, narrow, {pane: 'approvals'});
	const numbers = shown.screen.lines().flatMap(row => /^[ >]  (\d) /.exec(row)?.[1] ?? []);

	expect(numbers).toEqual(['3', '2', '1']);
});

test('the detail of a decision says nothing of calls before, which it does not know', async () => {
	const port = createFakePort({settledApprovals: [denied], approvals: [makeToolApproval()]});
	await using shown = await showShell(port, wide, {pane: 'approvals'});
	expect(shown.text()).toContain('[no call before]');
	await shown.screen.press('j');
	expect(shown.text()).toContain('3 fields, 60 B, all shown');
	expect(shown.text()).not.toContain('[no call before]');
});

test('enter opens the sheet of the chosen request', async () => {
	await using shown = await showShell(createFakePort(state), narrow, {pane: 'approvals'});
	await shown.screen.press('j', 'enter');

	expect(shown.screen.lines()[2]).toContain('── Approval 1 of 2 ── denies in 4:31');
});

test('a request that was chosen leads back to the list when it is answered, and says that others wait', async () => {
	const port = createFakePort(state);
	port.answers.settled = {settled: true, approval: makeToolApproval()};
	await using shown = await showShell(port, narrow, {pane: 'approvals'});
	await shown.screen.press('j', 'enter', 'd');
	await shown.pass(0);

	expect(shown.shell.view.get().overlay).toBeUndefined();
	expect(shown.shell.view.get().toast?.text).toMatch(/: denied; 1 more waits$/);
	await shown.pass(600);
	await shown.screen.press('!', 'd');
	await shown.pass(0);
	expect(shown.shell.view.get().overlay?.kind).toBe('approval');
});

test('x revokes a rule, and asks', async () => {
	const port = createFakePort(state);
	await using shown = await showShell(port, narrow, {pane: 'approvals'});
	await shown.screen.press('x');
	expect(shown.said()).toContain('Only a rule can be revoked');
	await shown.screen.press('j', 'j', 'x');
	expect(shown.text()).toContain('allow github-tools/create_issue  the same owner, repo');
	await shown.screen.press('enter');
	expect(port.calls).toEqual([]);
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'revokeApprovalRule', args: [4]}]);
	expect(shown.said()).toBe(' Rule r4 is revoked');
});

test('the detail says who decided, and what the agent was told', async () => {
	await using shown = await showShell(createFakePort({settledApprovals: [denied]}), wide, {
		pane: 'approvals',
	});

	expect(shown.text()).toContain('✗ denied  2026-11-20 11:59:00.000');
	expect(shown.text()).toContain('by           cli (bob)');
	expect(shown.text()).toContain('agent told   wrong repository');
	expect(shown.text()).toContain('title   "Flaky test in api"');
});

test('a run that waits says so, with its deadline; ! opens its request', async () => {
	const port = createFakePort({
		approvals: [makeToolApproval({id: 1, run: 7}), makeToolApproval({id: 2, run: 184})],
		runs: [makeRun({id: 184, state: 'running', startedAt: testNow, createdAt: testNow})],
		progress: {
			184: [{at: testNow, kind: 'note', text: 'create_issue: 3 of 10'}],
		},
	});
	await using shown = await showShell(port, wide, {pane: 'runs'});
	expect(shown.text()).toContain('! waits approval 4:31');
	expect(shown.text()).toContain('! github-tools wants create_issue · denies in 4:31');
	expect(shown.text()).toContain('create_issue: 3 of 10');
	await shown.screen.press('!');
	expect(shown.screen.lines()[2]).toContain('── Approval 2 of 2 ──');
});

test('without anything it says what would come here, and ! goes there', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('!');

	expect(shown.text()).toContain('Nothing waits for approval, and nothing did.');
});

test('the filter knows kinds, servers and outcomes', async () => {
	await using shown = await showShell(createFakePort(state), narrow, {pane: 'approvals'});
	await shown.screen.press('/');
	await shown.screen.type('kind:settled outcome:denied');

	expect(shown.text()).toContain('1 of 4');
	expect(shown.text()).toContain('── history ──');
	expect(shown.text()).not.toContain('── rules ──');
});

test('a rule of the file says whose it is, what it compares, why it allows nothing, and where it ends', async () => {
	const rule = makeRule({
		owner: {kind: 'job', name: 'nightly'},
		when: [{key: 'path', below: '/home/ann/notes', real: '/home/ann/notes'}],
		file: {name: 'mcp__files__write_file', entry: 'e', place: 'config.yaml:12'},
		usedAt: testNow,
		problem: 'the tool is defined otherwise now: svc approvals accept 4',
	});
	const port = createFakePort({approvalRules: [rule]});
	await using shown = await showShell(port, wide, {pane: 'approvals'});
	expect(shown.text()).toContain('! asks');
	expect(shown.text()).toContain('job nightly');
	expect(shown.text()).toContain('! allows nothing: the tool is defined otherwise');
	expect(shown.text()).toMatch(/arguments {4}path below \/home\/ann\/notes\/; all/);
	expect(shown.text()).toMatch(/used +3 times, last/);
	await shown.screen.press('x');
	await shown.pass(0);
	expect(shown.text()).toContain('It stands in config.yaml:12: remove it there');
	expect(port.calls).toEqual([]);
});
