import {createHmac, randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pause} from './terminal.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The secret of every route that is shown. */
export const secret = 'demo-secret-0123456789';

const examples = JSON.parse(
	readFileSync(
		createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json'),
		'utf8',
	),
) as ReadonlyArray<{readonly name: string; readonly examples: readonly Payload[]}>;

/** The first example of an event, of one action if it matters. */
function exampleOf(event: string, action?: string): Payload {
	const found = examples
		.find(({name}) => name === event)
		?.examples.find(example => action === undefined || example['action'] === action);
	if (!found) {
		throw new Error(`Cannot find an example of "${event}" (${action ?? 'any action'})`);
	}

	return found;
}

const pullRequest = (changes: Payload, {action = 'opened'} = {}): Payload => {
	const example = exampleOf('pull_request', 'opened');
	return {
		...example,
		action,
		number: changes['number'] ?? example['number'],
		pull_request: {...(example['pull_request'] as Payload), ...changes},
	};
};

type Sending = {
	readonly route: string;
	readonly event: string;
	readonly payload: unknown;
	readonly id?: string;
	readonly sign?: boolean;
};

const repeated = (count: number, sending: Sending): readonly Sending[] =>
	Array.from({length: count}, () => sending);

const issue = (number: number, title: string): Sending => {
	const example = exampleOf('issues', 'opened');
	return {
		route: 'gh-issues',
		event: 'issues',
		payload: {...example, issue: {...(example['issue'] as Payload), number, title}},
	};
};

const push = (branch: string): Sending => ({
	route: 'gh-push',
	event: 'push',
	payload: {...exampleOf('push'), ref: `refs/heads/${branch}`},
});

const synchronized = (number: number, title: string): Sending => ({
	route: 'gh-sync',
	event: 'pull_request',
	payload: pullRequest({number, draft: false, title}, {action: 'synchronize'}),
});

const workflow = (branch: string): Sending => {
	const example = exampleOf('workflow_run', 'completed');
	return {
		route: 'ci',
		event: 'workflow_run',
		payload: {
			...example,
			workflow_run: {
				...(example['workflow_run'] as Payload),
				name: 'tests',
				head_branch: branch,
				conclusion: 'failure',
			},
		},
	};
};

/** A little of everything that a receiver sees on a morning. */
export const morning: readonly Sending[] = [
	{route: 'gh-push', event: 'ping', payload: exampleOf('ping')},
	{route: 'gh-push', event: 'push', payload: exampleOf('push')},
	{
		route: 'gh-review',
		event: 'pull_request',
		payload: pullRequest({number: 412, draft: false, title: 'Retry uploads that time out'}),
	},
	issue(94, 'Uploads stop at 100 MB'),
	push('main'),
	push('uploads'),
	...repeated(4, {
		route: 'gh-push',
		event: 'push',
		payload: {scanner: 'probing for open receivers'},
		sign: false,
	}),
	{
		route: 'deploys',
		event: 'deployment_status',
		payload: exampleOf('deployment_status'),
	},
	{
		route: 'gh-review',
		event: 'pull_request',
		payload: pullRequest({number: 413, draft: false, title: 'Explain the retry limits'}),
		id: '7c0e9a52-1f4b-11f0-8f3d-000000000413',
	},
	{
		route: 'gh-review',
		event: 'pull_request',
		payload: pullRequest({number: 413, draft: false, title: 'Explain the retry limits'}),
		id: '7c0e9a52-1f4b-11f0-8f3d-000000000413',
	},
	{route: 'gh-review', event: 'star', payload: exampleOf('star', 'created')},
	{route: 'gh-push', event: 'push', payload: '{"ref": "refs/heads/main", '},
	{route: 'gh-releases', event: 'release', payload: exampleOf('release', 'published')},
	{route: 'gh-old', event: 'push', payload: {ref: 'refs/heads/main'}},
	...repeated(4, {route: 'alerts', event: 'alert', payload: {host: 'db-3', level: 'warning'}}),
	issue(95, 'Progress bar jumps back'),
	push('main'),
	{route: 'deploys', event: 'deployment_status', payload: exampleOf('deployment_status')},
	issue(96, 'Pause and resume uploads'),
	push('uploads'),
	{
		route: 'gh-review',
		event: 'pull_request',
		payload: pullRequest({number: 414, draft: true, title: 'Try the new upload client'}),
	},
	{
		route: 'gh-review',
		event: 'pull_request',
		payload: pullRequest({number: 415, draft: false, title: 'Upload in parallel'}),
	},
];

/** Events that come in bursts, with pauses between them. */
export const bursts: ReadonlyArray<readonly Sending[]> = [
	[
		...repeated(3, workflow('main')),
		...repeated(2, workflow('uploads')),
		...repeated(4, synchronized(412, 'Retry uploads that time out')),
		synchronized(415, 'Upload in parallel'),
	],
	repeated(2, synchronized(413, 'Explain the retry limits')),
	repeated(2, synchronized(412, 'Retry uploads that time out')),
];

const comment = (body: string): Sending => {
	const example = exampleOf('issue_comment', 'created');
	return {
		route: 'gh-follow-up',
		event: 'issue_comment',
		payload: {...example, comment: {...(example['comment'] as Payload), body}},
	};
};

/** Two comments that ask for a follow-up. */
export const followUps = [
	comment('The pause between the retries has no bound'),
	comment('After a restart an upload begins anew'),
] as const;

const betweenMs = 130;

/** Sends events, one after the other. */
export async function sendAll(port: number, sendings: readonly Sending[]): Promise<void> {
	for (const {route, event, payload, id = randomUUID(), sign = true} of sendings) {
		const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
		const signature = createHmac('sha256', secret).update(body).digest('hex');
		const answer = await fetch(`http://127.0.0.1:${port}/webhooks/${route}`, {
			method: 'POST',
			body,
			headers: {
				'content-type': 'application/json',
				'user-agent': 'GitHub-Hookshot/044aadd',
				'x-github-event': event,
				'x-github-delivery': id,
				...(sign && {'x-hub-signature-256': `sha256=${signature}`}),
			},
		});
		await answer.text();
		await pause(betweenMs);
	}
}
