import {expect, test} from 'vitest';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeShownTool, makeToolApproval} from '../../helpers/make-approval.ts';
import {showShell} from '../../helpers/show-shell.tsx';

const {
	route: _,
	delivery: __,
	...ofJob
} = makeToolApproval({
	tool: makeShownTool({
		tool: 'write_file',
		server: 'files',
		claims: {destructive: true},
		inputSchema: {type: 'object', properties: {path: {}, content: {}, mode: {}}},
	}),
	args: {path: '/home/ann/notes/2026/today.md', content: 'Nothing.'},
	job: {id: 'job_1', name: 'nightly'},
	scopes: ['once', 'run', 'always'],
	mustTypeName: true,
});

const lasting = {owner: {kind: 'job', id: 'job_1', name: 'nightly'}, isBound: true} as const;

const open = async (size: {readonly columns: number; readonly rows: number}) => {
	const port = createFakePort({approvals: [{...ofJob, lasting}]});
	const shown = await showShell(port, size);
	await shown.screen.press('!');
	await shown.pass(600);
	return {...shown, port};
};

for (const size of [
	{columns: 80, rows: 24},
	{columns: 120, rows: 36},
]) {
	test(`at ${size.columns}×${size.rows} a rule for a job says which folder, and what it leaves free, and wants the name typed`, async () => {
		await using shown = await open(size);
		const {port, screen} = shown;
		expect(shown.text()).toContain('v  always allow for this job …');
		await screen.press('v');
		expect(shown.text()).toMatch(
			/always allow write_file on files, for runs of job\s+nightly alone/,
		);
		expect(shown.text()).not.toContain('any arguments');
		await shown.pass(600);
		await screen.press('1', 'A');
		await shown.pass(600);
		expect(shown.text()).toContain('mark what the rule is for');
		await screen.press('space', '<');
		expect(shown.text()).toContain('[/] path  below /home/ann/notes/');
		await screen.press('<', '<', '<', '>', '>', '>', '>');
		expect(shown.text()).toContain('[/] path  below /home/ann/notes/2026/');
		await screen.press('<');
		expect(shown.text()).toMatch(
			/allow files\/write_file {2}for job nightly {2}path below[^]{1,80}\/home\/ann\/notes\//,
		);
		expect(shown.text()).toContain('other arguments may be anything: content, mode');
		// What is stored now was not on the screen before.
		await screen.press('A');
		expect(shown.text()).not.toContain("type the tool's name");
		await shown.pass(600);
		await screen.press('A');
		expect(shown.text()).toContain("type the tool's name, then enter");
		expect(shown.text()).toMatch(/path below[^]{1,80}\/home\/ann\/notes\//);
		await screen.press(...Array.from('write_file'));
		await shown.pass(600);
		await screen.press('enter');
		expect(port.calls).toEqual([
			{
				name: 'settleApproval',
				args: [
					1,
					{
						answer: {
							choice: 'allow',
							scope: 'always',
							when: {path: '/home/ann/notes/'},
							typedName: 'write_file',
						},
						by: 'tui',
					},
				],
			},
		]);
	});
}

test('exactly these arguments, or a value under a key', async () => {
	await using shown = await open({columns: 80, rows: 24});
	const {port, screen} = shown;
	await screen.press('v', 'space', 'space', 'j', 'space');
	expect(shown.text()).toContain('[x] path');
	expect(shown.text()).toContain('[x] content');
	await screen.press('2');
	expect(shown.text()).toMatch(
		/allow files\/write_file {2}for job nightly {2}exactly the same arguments/,
	);
	await shown.pass(600);
	await screen.press('A', ...Array.from('write_file'));
	await shown.pass(600);
	await screen.press('enter');
	expect(port.calls[0]?.args[1]).toEqual({
		answer: {choice: 'allow', scope: 'always', args: 'exact', typedName: 'write_file'},
		by: 'tui',
	});
});

test('where no rule can last, v says so and allows nothing', async () => {
	const {job: ___, ...call} = ofJob;
	const port = createFakePort({approvals: [{...call, scopes: ['once', 'run']}]});
	await using shown = await showShell(port, {columns: 80, rows: 24});
	await shown.screen.press('!');
	await shown.pass(600);
	await shown.screen.press('v');
	expect(shown.text()).toContain('No lasting rule for this: chats make none');
	expect(shown.text()).toContain('a  allow this one call');
	expect(port.calls).toEqual([]);
});

test('for what an event started v shows the lines to write by hand, and y copies them', async () => {
	const {job: ___, ...rest} = ofJob;
	const port = createFakePort({
		approvals: [{...rest, route: 'gh-review', delivery: 'd7f2b0', scopes: ['once', 'run']}],
	});
	await using shown = await showShell(port, {columns: 80, rows: 24});
	await shown.screen.press('!');
	await shown.pass(600);
	expect(shown.text()).toContain('v  always: only by hand, in config.yaml (shows the lines)');
	await shown.screen.press('v');
	expect(shown.text()).toContain('- route: gh-review');
	expect(shown.text()).toContain('when: {path: "/home/ann/notes/2026/"}');
	await shown.pass(600);
	await shown.screen.press('A', 'a', 'r', 'enter', 'y');
	expect(port.calls).toEqual([]);
	expect(shown.desktop.copied[0]).toContain('approvals:\n  allow:\n    - route: gh-review\n');
	await shown.screen.press('esc', 'd');
	expect(port.calls).toMatchObject([{args: [1, {answer: {choice: 'deny'}}]}]);
});
