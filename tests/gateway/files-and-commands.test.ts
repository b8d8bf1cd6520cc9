// @module-tag slow
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {probeSandbox} from '../../source/tools/sandbox/probe-sandbox.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';

const probe = await probeSandbox(process.env);

const prompt = [
	'/tool read_file {"path": "notes.txt"}',
	'/tool edit_file {"path": "notes.txt", "old_text": "seven", "new_text": "eight"}',
	'/tool edit_file {"path": "notes.txt", "old_text": "two", "new_text": "2"}',
	'/tool write_file {"path": "new/file", "content": "made\\n"}',
	'/tool terminal {"command": "cat new/file\\ncat notes.txt"}',
].join('\n');

test('a run reads, changes and runs in its working folder; a yes is for what was shown', async ({
	skip,
}) => {
	if (!probe.works) {
		skip(`no sandbox works here: ${probe.reason}`);
	}

	await using home = await gatewayHome({
		subscriptions: {hook: {prompt, toolsets: ['file', 'terminal']}},
	});
	const notes = join(home.path, 'work/notes.txt');
	mkdirSync(join(home.path, 'work'));
	writeFileSync(notes, 'one\ntwo\n');
	await using gateway = await startTestGateway({home});
	await gateway.send('hook', {});
	const shown: unknown[] = [];
	for (const tool of ['edit_file', 'write_file', 'terminal']) {
		// oxlint-disable-next-line no-await-in-loop -- one request after the other
		const {approvals} = await gateway.until(({approvals: waiting}) =>
			waiting.some(one => one.kind === 'tool' && one.tool.tool === tool),
		);
		const approval = approvals.find(one => one.kind === 'tool' && one.tool.tool === tool);
		shown.push(approval?.kind === 'tool' ? approval.preview : undefined);
		if (tool === 'edit_file') {
			// It changes while a person reads.
			writeFileSync(notes, 'one\ntwo\nthree\n');
		}

		// oxlint-disable-next-line no-await-in-loop -- one request after the other
		await gateway.port.settleApproval(approval?.id ?? 0, {
			answer: {choice: 'allow', scope: 'once', typedName: tool},
			by: 'cli',
		});
	}

	const run = await gateway.ended(1);
	const results = run.transcript.filter(({kind}) => kind === 'tool-result');
	const textOf = (name: string) =>
		results.filter(({data}) => data?.['tool'] === name).map(({text}) => text);
	expect(run.state).toBe('done');
	expect(textOf('read_file')).toEqual([expect.stringContaining('one\ntwo\n')]);
	expect(textOf('edit_file').toSorted()).toEqual([
		'Cannot change "notes.txt": it is not what a person was shown any more: read it again, and ask for the change anew',
		'Cannot change "notes.txt": old_text: not found',
	]);
	expect(textOf('write_file')).toEqual(['written: a new file of 5 bytes']);
	expect(readFileSync(notes, 'utf8')).toBe('one\ntwo\nthree\n');
	expect(textOf('terminal')[0]).toContain('exit code');
	expect(shown).toEqual([
		{
			title: 'change',
			facts: [
				{name: 'file', value: notes},
				{name: 'now', value: '8 bytes, mode 0644'},
			],
			lines: ['@@ -1,2 +1,2 @@', ' one', '-two', '+2'],
		},
		{
			title: 'change',
			facts: [
				{name: 'file', value: join(home.path, 'work/new/file')},
				{name: 'now', value: 'nothing: a new file'},
			],
			lines: ['@@ -0,0 +1,1 @@', '+made'],
		},
		{
			title: 'command',
			facts: [
				{name: 'workdir', value: join(home.path, 'work')},
				{name: 'time limit', value: '120 s'},
			],
			lines: ['cat new/file', 'cat notes.txt'],
		},
	]);
});
