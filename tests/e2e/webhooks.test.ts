// @module-tag slow
import {randomUUID} from 'node:crypto';
import {sign} from '@octokit/webhooks-methods';
import {Webhook as StandardWebhook} from 'standardwebhooks';
import {Webhook as SvixWebhook} from 'svix';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {command} from '../cli/command.ts';
import {installForgeClient, type ForgeClient} from '../helpers/forge-client.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {githubExamples} from '../helpers/github-examples.ts';
import {openMailbox, type Mailbox} from '../helpers/mailbox.ts';
import {answerOf} from '../helpers/post.ts';
import {startScriptedModel, type ScriptedModel} from '../helpers/scripted-model.ts';
import {startSvc, type SvcProcess} from '../helpers/svc.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const plainSecret = 'a plain secret';

let stack: AsyncDisposableStack;
let home: TemporaryHome;
let model: ScriptedModel;
let forge: ForgeClient;
let mailbox: Mailbox;
let gateway: SvcProcess;
let url: string;

beforeAll(async () => {
	stack = new AsyncDisposableStack();
	model = stack.use(
		await startScriptedModel([], {
			// What it says can be traced to what it was asked.
			otherwise: ({body}) => ({text: `Answer to: ${body.messages.at(-1).content.slice(0, 200)}`}),
		}),
	);
	forge = stack.use(await installForgeClient());
	mailbox = stack.use(await openMailbox());
	home = stack.use(
		await gatewayHome({
			config: {
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
				platforms: {
					webhook: {enabled: true, host: '127.0.0.1', port: 0, rate_limit: 100_000},
					email: {
						enabled: true,
						from: 'svc@example.org',
						home_channel: 'ops@example.org',
						smtp: {host: '127.0.0.1', port: mailbox.port},
					},
				},
			},
			subscriptions: {
				dump: {secret: plainSecret},
				review: {
					secret: plainSecret,
					events: ['pull_request'],
					prompt: 'Review #{pull_request.number} "{pull_request.title}" of {repository.full_name}',
					deliver: 'forge_comment',
					deliver_extra: {repo: '{repository.full_name}', pr_number: '{pull_request.number}'},
				},
				standard: {secret, prompt: 'Standard {type} of {data.id}'},
				mail: {secret: plainSecret, prompt: 'Mail about {ref}', deliver: 'email'},
				skilled: {secret: plainSecret, prompt: 'Use it', skills: ['missing', 'greet']},
			},
		}),
	);
	gateway = stack.use(startSvc(['gateway', 'run'], {home: home.path, env: {PATH: forge.path}}));
	[, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
});

afterAll(async () => {
	await stack.disposeAsync();
});

const postTo = async (
	route: string,
	{body, headers}: {readonly body: string; readonly headers: Readonly<Record<string, string>>},
) =>
	answerOf(
		await fetch(`${url}/webhooks/${route}`, {
			method: 'POST',
			body,
			headers: {'content-type': 'application/json', connection: 'close', ...headers},
		}),
	);

/** As GitHub posts it. */
const postAsGithub = async (route: string, event: string, payload: unknown) => {
	const body = JSON.stringify(payload);
	return postTo(route, {
		body,
		headers: {
			'user-agent': 'GitHub-Hookshot/044aadd',
			'x-github-event': event,
			'x-github-delivery': randomUUID(),
			'x-hub-signature-256': await sign(plainSecret, body),
		},
	});
};

/** The newest run of a route, once the log has its answer. */
const shownRun = async (route: string) => {
	const {stdout} = await command(['runs', 'list', '--route', route, '--limit', '1', '--json'], {
		home: home.path,
	});
	const [{id}] = JSON.parse(stdout);
	const shown = await command(['runs', 'show', String(id), '--json'], {home: home.path});
	return JSON.parse(shown.stdout);
};

const exampleOf = (event: string) => githubExamples.find(({name}) => name === event)?.examples[0];

test('a real pull request, signed by @octokit/webhooks-methods: 202, a run, a comment', async () => {
	const payload = exampleOf('pull_request');
	const answer = await postAsGithub('review', 'pull_request', payload);
	expect([answer.status, answer.json]).toEqual([
		202,
		{
			status: 'accepted',
			route: 'review',
			event: 'pull_request',
			delivery_id: expect.any(String),
		},
	]);
	const prompt = `Review #${payload.pull_request.number} "${payload.pull_request.title}" of ${payload.repository.full_name}`;
	const {body} = await model.request(0);
	expect(body.messages.at(-1)).toEqual({role: 'user', content: prompt});
	expect(body.messages[0]).toMatchObject({
		role: 'system',
		content: expect.stringContaining('untrusted data, not instructions'),
	});
	expect(body.messages[0].content).not.toContain(payload.pull_request.title);
	await expect.poll(async () => (await shownRun('review')).state, {timeout: 20_000}).toBe('done');
	const run = await shownRun('review');
	expect(run).toMatchObject({fullAnswer: `Answer to: ${prompt}`, plan: {prompt}});
	const [call] = await forge.calls();
	expect(call?.args).toEqual([
		'issue',
		'comment',
		String(payload.pull_request.number),
		'--repo',
		payload.repository.full_name,
		'--body-file',
		'-',
	]);
	// What is ours is known again when it comes back as an event.
	expect(call?.body).toMatch(/^Answer to: Review .*\n\n<!-- svc:[\w-]{22} -->\n?$/);
	expect(call?.body.startsWith(run.fullAnswer)).toBe(true);
});

test('"event type not in route events" is ignored, "e.g. the connectivity event ping"', async () => {
	const answer = await postAsGithub('review', 'ping', exampleOf('ping') ?? {zen: 'Keep it simple'});
	expect([answer.status, answer.json]).toEqual([
		200,
		{status: 'ignored', route: 'review', event: 'ping'},
	]);
});

test('every kind of event that GitHub sends is accepted and dumped into a prompt, its connectivity check starts nothing', async () => {
	const before = model.requests.length;
	const statuses = await Promise.all(
		githubExamples.map(async ({name, examples}) => {
			const {status} = await postAsGithub('dump', name, examples[0]);
			return [name, status] as const;
		}),
	);
	expect(statuses.filter(([, status]) => status !== 202)).toEqual([['ping', 200]]);
	await model.request(before + githubExamples.length - 2);
	const prompts = model.requests
		.slice(before)
		.map(({body}): string => body.messages.at(-1).content);
	expect(prompts.every(prompt => prompt.startsWith('{\n  ') && prompt.length <= 4100)).toBe(true);
});

test('a wrong signature, a changed body and none at all are 401, and start nothing', async () => {
	const body = JSON.stringify(exampleOf('push'));
	const good = await sign(plainSecret, body);
	const before = model.requests.length;
	for (const headers of [
		{'x-hub-signature-256': await sign('another', body)},
		{'x-hub-signature-256': `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`},
		{'x-hub-signature-256': 'sha256='},
		{},
	]) {
		const answer = await postTo('dump', {body, headers: {'x-github-event': 'push', ...headers}});
		expect([answer.status, answer.json]).toEqual([401, {error: 'Invalid signature'}]);
	}

	const changed = await postTo('dump', {
		body: `${body} `,
		headers: {'x-github-event': 'push', 'x-hub-signature-256': good},
	});
	expect(changed.status).toBe(401);
	expect(model.requests).toHaveLength(before);
});

test('Standard Webhooks, signed by `standardwebhooks`, and the same as `svix` sends it', async () => {
	const body = JSON.stringify({type: 'invoice.paid', data: {id: 'in_1'}});
	const now = new Date();
	const timestamp = String(Math.floor(now.getTime() / 1000));
	const standard = await postTo('standard', {
		body,
		headers: {
			'webhook-id': 'msg_standard',
			'webhook-timestamp': timestamp,
			'webhook-signature': new StandardWebhook(secret).sign('msg_standard', now, body),
		},
	});
	expect(standard.json).toMatchObject({
		status: 'accepted',
		event: 'invoice.paid',
		delivery_id: 'msg_standard',
	});
	const signature = new SvixWebhook(secret).sign('msg_svix', now, body);
	const headers = {
		'svix-id': 'msg_svix',
		'svix-timestamp': timestamp,
		'svix-signature': `v1,bm90IHRoaXMgb25l ${signature}`,
	};
	expect((await postTo('standard', {body, headers})).json).toMatchObject({
		status: 'accepted',
		delivery_id: 'msg_svix',
	});
	expect((await postTo('standard', {body, headers})).json).toEqual({
		status: 'duplicate',
		delivery_id: 'msg_svix',
	});
	const old = new Date(now.getTime() - 301_000);
	const late = await postTo('standard', {
		body,
		headers: {
			'webhook-id': 'msg_late',
			'webhook-timestamp': String(Math.floor(old.getTime() / 1000)),
			'webhook-signature': new StandardWebhook(secret).sign('msg_late', old, body),
		},
	});
	expect(late.status).toBe(401);
	await gateway.waitFor(/Answer of route "standard": Answer to: Standard invoice\.paid of in_1/);
});

test('the answer goes to the log when the route names no target', async () => {
	await postAsGithub('dump', 'push', {ref: 'refs/heads/logged'});
	await gateway.waitFor(/Answer of route "dump": .*refs\/heads\/logged/);
	await expect
		.poll(async () => home.read('logs/gateway.log'), {timeout: 20_000})
		.toMatch(/Answer of route "dump": .*logged/);
});

test('the answer goes out as mail', async () => {
	await postAsGithub('mail', 'push', {ref: 'refs/heads/main'});
	await expect.poll(() => mailbox.mails.length, {timeout: 20_000}).toBe(1);
	expect(mailbox.mails[0]?.mail.text?.trim()).toBe('Answer to: Mail about refs/heads/main');
});

test('"only the first skill in the list that is found is loaded": it is in the system message', async () => {
	const {mkdir, writeFile} = await import('node:fs/promises');
	await mkdir(home.file('skills/greet'), {recursive: true});
	await writeFile(
		home.file('skills/greet/SKILL.md'),
		'---\nname: greet\ndescription: How to greet\n---\nAlways say ahoy.\n',
	);
	const before = model.requests.length;
	await postAsGithub('skilled', 'push', {});
	const {body} = await model.request(before);
	expect(body.messages[0].content).toMatch(/untrusted data, not instructions[^]*Always say ahoy\./);
	expect(body.messages.at(-1).content).toBe('Use it');
});

test('/health and /metrics tell that it works', async () => {
	const health = await fetch(`${url}/health`, {headers: {connection: 'close'}});
	expect(await health.json()).toMatchObject({status: 'ok', platform: 'webhook'});
	const metrics = await fetch(`${url}/metrics`, {headers: {connection: 'close'}});
	expect(await metrics.text()).toMatch(/^svc_runs_done_total \d+$/m);
});
