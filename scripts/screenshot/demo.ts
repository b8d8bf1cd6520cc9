import {appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {startScriptedModel, type ScriptedAnswer} from '../../tests/helpers/scripted-model.ts';
import {secret} from './events.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** A place in which `svc` runs for a picture. */
export type Demo = AsyncDisposable & {
	readonly env: Readonly<Record<string, string>>;
	/** Adds a tool server to the configuration that cannot be connected to. */
	breakServer(): void;
};

const configOf = (port: number, modelUrl: string) => `model:
  provider: openai-compatible
  name: scripted-1
  base_url: ${modelUrl}
runs: {tries: 1}
forge: {cli: ./client}
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    port: ${port}
    secret: ${secret}
    routes:
      gh-review:
        events: [pull_request]
        filters:
          - {field: action, in: [opened, synchronize]}
          - {field: pull_request.draft, equals: false}
        prompt: "Review pull request {pull_request.number} of {repository.full_name}: {pull_request.title}"
        deliver: forge_comment
        deliver_extra: {repo: "{repository.full_name}", pr_number: "{pull_request.number}"}
      gh-issues:
        events: [issues]
        prompt: "Triage issue {issue.number} of {repository.full_name}: {issue.title}"
      gh-push:
        events: [push]
        prompt: "{pusher.name} pushed to {ref} of {repository.full_name}. Anything that a reviewer should know?"
      gh-releases:
        events: [release]
        prompt: "Write the announcement of {repository.full_name} {release.tag_name}."
      deploys:
        prompt: "{repository.full_name}: deployment {deployment_status.state}"
        deliver: forge_comment
        deliver_only: true
        deliver_extra: {repo: "{repository.full_name}", pr_number: "412"}
      alerts:
        prompt: "{host} reports {level}"
        rate_limit: 2
      gh-sync:
        events: [pull_request]
        prompt: "Look again at pull request {pull_request.number}: {pull_request.title}"
        coalesce: {key: "{repository.full_name}#{pull_request.number}", window_seconds: 30, max_wait_seconds: 120}
      ci:
        events: [workflow_run]
        prompt: "Why did {workflow_run.name} end with {workflow_run.conclusion} on {workflow_run.head_branch}?"
        coalesce: {key: workflow_run.head_branch, window_seconds: 1}
      gh-follow-up:
        events: [issue_comment]
        prompt: "File a follow-up to issue {issue.number} for what {comment.user.login} asks: {comment.body}"
mcp_servers:
  tracker: {command: tracker-mcp, trust: untrusted}
  files: {command: mcp-server-filesystem, args: ["\${userHome}"], trust: untrusted, tools: {include: [read_*, list_*, write_file]}}
  memory: {command: mcp-server-memory}
  wiki: {command: wiki-mcp, enabled: false}
`;

/** A server that cannot be connected to: every run from then on notes it. */
const brokenServer = '  crm: {url: "${CRM_URL}/mcp"}\n';

const hourMs = 3_600_000;

/** None of their times comes while the pictures are made: one of them is asked to run. */
const jobs = [
	{
		id: 'job_morning1',
		name: 'Morning digest',
		schedule: '0 8 * * 1-5',
		time_zone: 'Europe/Berlin',
		prompt: 'What changed since yesterday that a reviewer should know?',
	},
	{
		id: 'job_depends1',
		name: 'Dependency news',
		schedule: 'every 12h',
		prompt: 'Which dependencies have a new major version?',
		created_at: new Date(Date.now() - 7.6 * hourMs).toISOString(),
	},
	{
		id: 'job_waiting1',
		name: 'Stale pull requests',
		schedule: '0 16 * * 5',
		time_zone: 'Europe/Berlin',
		prompt: 'Which pull requests wait for more than a week?',
		paused: true,
	},
];

const review =
	'The change retries an upload that timed out up to three times, with a growing pause.\n\n' +
	'- `retry.ts`: the pause is not bounded; cap it at 30 s.\n' +
	'- The test covers two retries, not the third one that gives up.\n\n' +
	'Worth a look before merging: the retry also repeats requests that are not idempotent.';

/** By what the prompt says; the last one fits everything. */
const answers: ReadonlyArray<readonly [RegExp, ScriptedAnswer]> = [
	[/pull request 415/, {hang: true}],
	[/announcement/, {status: 400, message: 'This model has no quota left'}],
	[/Review/, {text: review}],
	[/Triage/, {text: 'Labels: bug, uploads. Likely a duplicate of #88: both fail above 100 MB.'}],
	[
		/Why did/,
		{text: 'The upload tests time out: the test server closes idle connections after 5 s.'},
	],
	[/reports/, {text: 'db-3 is low on disk space; nothing else stands out.'}],
	[/./, {text: 'One tag was removed; nothing that a reviewer has to look at.'}],
];

/** A code host's client that posts nothing and says that it did. */
const client = `#!/bin/sh
cat > /dev/null
echo "https://github.com/Codertocat/Hello-World/pull/412#issuecomment-1"
`;

/** What is filed; the first time for the word "retries", the second for anything else. */
const followUps = [
	{
		project: 'hello-world',
		title: 'Bound the pause between retries',
		body: 'The pause doubles without end.\nCap it at 30 s.',
		labels: ['uploads'],
	},
	{
		project: 'hello-world',
		title: 'Resume uploads after a restart',
		body: 'The offset is kept in memory only.\nWrite it down every 5 MB.',
		labels: ['uploads'],
		assignee: 'hubot',
	},
] as const;

/** Reads the issue, files the follow-up, says so. */
function followUp(messages: string): ScriptedAnswer {
	const results = messages.split('"role":"tool"').length - 1;
	const [first, second] = followUps;
	const call = messages.includes('retries') ? first : second;
	return (
		[
			{
				toolCalls: [
					{name: 'mcp__tracker__get_issue', arguments: {project: 'hello-world', number: 94}},
				],
			},
			{toolCalls: [{name: 'mcp__tracker__create_issue', arguments: {...call}}]},
		][results] ?? {text: 'The follow-up is filed.'}
	);
}

/** How long the model thinks. */
const thinkMs = 1300;

/** Makes a data directory with routes for every result, a model with a script, and a code host's client. Removed when it is disposed of. */
export async function startDemo(port: number): Promise<Demo> {
	const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
	const home = join(folder, '.svc');
	const model = await startScriptedModel([], {
		otherwise: async ({body}) => {
			await new Promise(resolve => {
				setTimeout(resolve, thinkMs);
			});
			const asked = JSON.stringify(body.messages);
			return asked.includes('File a follow-up')
				? followUp(asked)
				: (answers.find(([about]) => about.test(asked))?.[1] ?? {text: ''});
		},
	});
	const programs = join(folder, 'bin');
	mkdirSync(join(home, 'cron'), {recursive: true, mode: 0o700});
	mkdirSync(programs);
	writeFileSync(join(programs, 'gh'), client);
	writeFileSync(
		join(programs, 'tracker-mcp'),
		`#!/bin/sh\nexec '${process.execPath}' '${join(here, 'tracker-program.ts')}'\n`,
	);
	for (const name of ['gh', 'tracker-mcp']) {
		chmodSync(join(programs, name), 0o755);
	}

	writeFileSync(
		join(home, 'config.yaml'),
		configOf(port, model.baseUrl).replace('./client', join(programs, 'gh')),
		{mode: 0o600},
	);
	writeFileSync(join(home, 'cron', 'jobs.json'), JSON.stringify({jobs}), {mode: 0o600});

	return {
		env: {
			PATH: [programs, join(here, '../../node_modules/.bin'), process.env['PATH']].join(':'),
			HOME: folder,
			SVC_HOME: home,
			TERM: 'xterm-256color',
			COLORTERM: 'truecolor',
			LANG: 'C.UTF-8',
		},
		breakServer() {
			appendFileSync(join(home, 'config.yaml'), brokenServer);
		},
		async [Symbol.asyncDispose]() {
			await model[Symbol.asyncDispose]();
			rmSync(folder, {recursive: true, force: true, maxRetries: 5});
		},
	};
}
