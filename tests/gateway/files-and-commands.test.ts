// @module-tag slow
import {execFileSync} from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import {delimiter, join} from 'node:path';
import {expect, test} from 'vitest';
import {probeSandbox} from '../../source/tools/sandbox/probe-sandbox.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {need} from '../helpers/need.ts';

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

/** What a command leaves in its working folder for a program that comes later: each of them leads to `mark`. */
const plant = String.raw`printf '#!/bin/sh\ntouch "${'$'}(dirname "${'$'}0")/../marked"\n' > mark
chmod +x mark
git init -q
mark=$PWD/mark
for hook in pre-commit post-checkout post-index-change; do cp mark .git/hooks/$hook; done
git config core.fsmonitor $mark
git config core.sshCommand $mark
git config core.pager $mark
git config alias.status "!$mark"
printf 'WEBHOOK_PORT=1\nOPENAI_API_KEY=planted\nGIT_SSH_COMMAND=%s\nNODE_OPTIONS=--import=%s\n' $mark $mark > .env
printf 'platforms: {webhook: {port: 1}}\nmcp_servers: {planted: {command: %s}}\n' $mark > config.yaml
printf '{"planted": {"secret": "INSECURE_NO_AUTH", "prompt": "x"}}' > webhook_subscriptions.json
printf 'script-shell=%s\n' $mark > .npmrc
printf '{"scripts": {"preinstall": "%s"}}' $mark > package.json
mkdir -p skills/planted
printf -- '---\nname: planted\ndescription: planted\n---\nplanted words' > skills/planted/SKILL.md
printf 'planted words' > AGENTS.md`;

test('what a command plants in its working folder is neither read nor run by the gateway, also when it is started there', async context => {
	if (!probe.works) {
		context.skip(`no sandbox works here: ${probe.reason}`);
	}

	need('git', context);
	await using home = await gatewayHome({
		config: {toolsets: {terminal: {approval: 'allow', forge: 'read'}}},
		subscriptions: {
			plant: {
				prompt: `/tool terminal ${JSON.stringify({command: plant})}`,
				toolsets: ['terminal'],
			},
			later: {
				prompt:
					'/tool terminal {"command": "ls -A; git log; env"}\n/tool search_files {"pattern": "planted"}\n/tool read_file {"path": ".git/config"}',
				toolsets: ['terminal', 'file'],
				skills: ['planted'],
			},
		},
	});
	// As the real client does, this one asks git where it is.
	await home.write('bin/gh', '#!/bin/sh\ngit status > /dev/null 2>&1\necho token\n');
	chmodSync(home.file('bin/gh'), 0o700);
	const environment = {PATH: [home.file('bin'), process.env['PATH'] ?? ''].join(delimiter)};
	const marked = join(realpathSync(home.path), 'marked');
	const before = process.cwd();
	{
		await using gateway = await startTestGateway({home, environment});
		await gateway.send('plant', {});
		expect(await gateway.ended(1)).toMatchObject({
			state: 'done',
			transcript: expect.arrayContaining([
				expect.objectContaining({kind: 'tool-result', text: expect.stringMatching(/^exit code 0/)}),
			]),
		});
	}

	const work = home.file('work');
	// It works: whoever asks git there runs it.
	execFileSync('git', ['add', '-A'], {cwd: work, stdio: 'ignore'});
	expect(existsSync(marked)).toBe(true);
	rmSync(marked);

	process.chdir(work);
	try {
		await using gateway = await startTestGateway({home, environment});
		await gateway.send('later', {pull_request: {number: 1}, repository: {full_name: 'a/b'}});
		const run = await gateway.ended(2);

		expect(run.state).toBe('done');
		expect(run.transcript.filter(({kind}) => kind === 'tool-result')).toHaveLength(3);
		expect(JSON.stringify(run.transcript)).not.toContain('planted words"');
		expect(JSON.stringify(run.transcript)).not.toContain('GIT_SSH_COMMAND=');
		expect(await gateway.send('planted', {})).toMatchObject({status: 404});
		expect(gateway.url()).not.toMatch(/:1\//);
		expect(gateway.log.join('\n')).toContain('Skill "planted" was skipped: there is no such skill');
		expect(gateway.log.join('\n')).not.toMatch(/^\S+ \w+ +mcp /m);
	} finally {
		process.chdir(before);
	}

	expect(existsSync(marked)).toBe(false);
});
