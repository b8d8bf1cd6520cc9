import type {JsonObject} from '../../../core/json.ts';
import {modelName} from './model-server.ts';

/** The secret of every route. */
export const demoSecret = 'demo-secret-0123456789';

/** What the configuration points to. */
export type DemoPlaces = {
	readonly model: string;
	/** Tool servers that want a login. */
	readonly crm: string;
	readonly billing: string;
	/** Of a code host's client. */
	readonly client: string;
};

const pullRequestComment = {
	deliver: 'forge_comment',
	deliver_extra: {repo: '{repository.full_name}', pr_number: '{pull_request.number}'},
};

const tracked = {toolsets: ['mcp-tracker']};
const alone = {toolsets: []};

const routes: JsonObject = {
	'gh-review': {
		description: 'Reviews what is ready for it',
		events: ['pull_request'],
		filters: [
			{field: 'action', in: ['opened', 'synchronize', 'ready_for_review']},
			{field: 'pull_request.draft', equals: false},
		],
		prompt:
			'Review pull request {pull_request.number} of {repository.full_name}: {pull_request.title}',
		...pullRequestComment,
		...tracked,
	},
	'gh-issues': {
		events: ['issues'],
		prompt: 'Triage issue {issue.number} of {repository.full_name}: {issue.title}',
		...tracked,
	},
	'gh-follow-up': {
		description: 'Files what a comment asks for; what it writes waits for a person',
		events: ['issue_comment'],
		prompt:
			'File a follow-up to issue {issue.number} for what {comment.user.login} asks: {comment.body}',
		...tracked,
	},
	'gh-push': {
		events: ['push'],
		prompt:
			'{pusher.name} pushed to {ref} of {repository.full_name}. Anything that a reviewer should know?',
		...alone,
	},
	'gh-docs': {
		events: ['push'],
		prompt: 'Bring the page of the site up to date with {ref}.',
		toolsets: ['mcp-notes'],
	},
	'gh-releases': {
		events: ['release'],
		prompt: 'Write the announcement of {repository.full_name} {release.tag_name}.',
		...alone,
	},
	'gh-sync': {
		description: 'One look for all pushes of a minute',
		events: ['pull_request'],
		prompt: 'Look again at pull request {pull_request.number}: {pull_request.title}',
		coalesce: {
			key: '{repository.full_name}#{pull_request.number}',
			window_seconds: 45,
			max_wait_seconds: 180,
		},
		...alone,
	},
	ci: {
		events: ['workflow_run'],
		filters: [{field: 'workflow_run.conclusion', equals: 'failure'}],
		prompt:
			'Why did {workflow_run.name} end with {workflow_run.conclusion} on {workflow_run.head_branch}?',
		coalesce: {key: 'workflow_run.head_branch', window_seconds: 20, max_wait_seconds: 90},
		...alone,
	},
	deploys: {
		description: 'No agent: the rendered prompt is the message',
		events: ['deployment_status'],
		prompt: '{repository.full_name}: deployment {deployment_status.state}',
		deliver: 'forge_comment',
		deliver_only: true,
		deliver_extra: {repo: '{repository.full_name}', pr_number: '412'},
	},
	alerts: {
		prompt: '{host} reports {level}: {message}',
		filters: [{field: 'level', in: ['warning', 'critical']}],
		rate_limit: 3,
		...alone,
	},
	payments: {
		events: ['payment_intent.payment_failed', 'invoice.paid'],
		signature: 'stripe',
		prompt: 'A payment changed: {type} of {data.object.id}. What is to be done?',
		...alone,
	},
	'gl-merge': {
		events: ['Merge Request Hook'],
		prompt: 'Review merge request {object_attributes.iid}: {object_attributes.title}',
		...alone,
	},
	leads: {
		description: 'Waits for a login to crm',
		prompt: 'Who is {name} of {company}, and what do they want: {message}',
		toolsets: ['mcp-crm'],
	},
	'gh-nightly': {
		description: 'Paused: its events are kept until it is resumed',
		enabled: false,
		events: ['schedule'],
		prompt: 'Summarise the night.',
		...alone,
	},
};

/** What `config.yaml` of the demo says. */
export function demoConfig({model, crm, billing, client}: DemoPlaces): JsonObject {
	return {
		model: {provider: 'openai-compatible', name: modelName, base_url: model},
		runs: {tries: 1},
		forge: {cli: client},
		// Any free one, as the receiver: the usual port is that of the person's own gateway, and of the clients that know it.
		api: {port: 0},
		platforms: {
			webhook: {
				enabled: true,
				host: '127.0.0.1',
				port: 0,
				secret: demoSecret,
				routes,
			},
		},
		mcp_servers: {
			tracker: {command: 'tracker-mcp', trust: 'untrusted'},
			notes: {command: 'notes-mcp', trust: 'untrusted'},
			crm: {url: crm, auth: 'oauth', oauth: {flow: 'device'}, trust: 'untrusted'},
			billing: {url: billing, auth: 'oauth', trust: 'untrusted'},
			staging: {url: '${STAGING_URL}/mcp'},
			wiki: {command: 'wiki-mcp', enabled: false},
		},
	};
}

/** A subscription with a slip: it is told of in pane 5, and harms nobody else. */
export const demoSubscriptions: JsonObject = {
	'old-hook': {
		secret: demoSecret,
		prompt: '{text}',
		deliver: 'carrier_pigeon',
		description: 'Has a slip: there is no such target',
	},
};

const hourMs = 3_600_000;

/** `cron/jobs.json` of the demo. */
export const demoJobs = (now: number): JsonObject => ({
	jobs: [
		{
			id: 'job_morning1',
			name: 'Morning digest',
			schedule: '0 8 * * 1-5',
			time_zone: 'Europe/Berlin',
			prompt: 'What changed since yesterday that a reviewer should know?',
			toolsets: [],
		},
		{
			id: 'job_depends1',
			name: 'Dependency news',
			schedule: 'every 6h',
			prompt: 'Which dependencies have a new major version?',
			toolsets: [],
			created_at: new Date(now - 23.4 * hourMs).toISOString(),
		},
		{
			id: 'job_waiting1',
			name: 'Stale pull requests',
			schedule: '0 16 * * 5',
			time_zone: 'Europe/Berlin',
			prompt: 'Which pull requests wait for more than a week?',
			toolsets: [],
			paused: true,
		},
	],
});
