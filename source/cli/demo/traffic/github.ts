import type {JsonObject} from '../../../core/json.ts';
import type {Sending} from './sending.ts';

const site = 'https://github.com';
const fullName = 'northwind/depot';

const user = (login: string, id: number): JsonObject => ({
	login,
	id,
	type: 'User',
	site_admin: false,
	html_url: `${site}/${login}`,
	avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
});

const people = {
	mona: user('mona', 583_231),
	jonas: user('jonas-k', 918_273),
	wei: user('wei-lin', 771_004),
	visitor: user('xX-visitor-Xx', 990_113),
} as const;

type Person = keyof typeof people;

const repository: JsonObject = {
	id: 186_853_002,
	node_id: 'MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=',
	name: 'depot',
	full_name: fullName,
	private: true,
	owner: {...user('northwind', 21_031_067), type: 'Organization'},
	html_url: `${site}/${fullName}`,
	description: 'Uploads and keeps large files',
	fork: false,
	default_branch: 'main',
	language: 'TypeScript',
	open_issues_count: 14,
	topics: ['storage', 'uploads'],
	visibility: 'private',
};

const sent = (
	{route, event, by}: {readonly route: string; readonly event: string; readonly by: Person},
	payload: JsonObject,
): Sending => ({
	route,
	event,
	payload: {...payload, repository, sender: people[by]},
});

/** A pull request that `action` happened to. */
export const pullRequest = (
	number: number,
	title: string,
	{
		action = 'opened',
		draft = false,
		route = 'gh-review',
		by = 'mona',
	}: {
		readonly action?: string;
		readonly draft?: boolean;
		readonly route?: string;
		readonly by?: Person;
	} = {},
): Sending =>
	sent(
		{route, event: 'pull_request', by},
		{
			action,
			number,
			pull_request: {
				id: 279_147_000 + number,
				number,
				state: 'open',
				locked: false,
				title,
				user: people[by],
				body: 'An upload over a bad line should not begin anew.\n\nCloses #88.',
				html_url: `${site}/${fullName}/pull/${number}`,
				draft,
				head: {
					label: 'northwind:uploads',
					ref: 'uploads',
					sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
				},
				base: {
					label: 'northwind:main',
					ref: 'main',
					sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
				},
				labels: [{name: 'uploads', color: '1d76db'}],
				commits: 3,
				additions: 148,
				deletions: 31,
				changed_files: 6,
			},
		},
	);

const issueOf = (number: number, title: string, by: Person): JsonObject => ({
	id: 444_500_000 + number,
	number,
	title,
	state: 'open',
	user: people[by],
	labels: [{name: 'bug', color: 'd73a4a'}],
	comments: 3,
	html_url: `${site}/${fullName}/issues/${number}`,
	body: 'Since the last release. The log says "socket hang up" after 60 s.',
});

/** An issue that was opened. */
export const issue = (number: number, title: string, by: Person = 'jonas'): Sending =>
	sent(
		{route: 'gh-issues', event: 'issues', by},
		{action: 'opened', issue: issueOf(number, title, by)},
	);

/** A comment on an issue. */
export const comment = (number: number, body: string, by: Person = 'mona'): Sending =>
	sent(
		{route: 'gh-follow-up', event: 'issue_comment', by},
		{
			action: 'created',
			issue: issueOf(number, 'Uploads stop at 100 MB', 'jonas'),
			comment: {
				id: 492_700_400 + number,
				body,
				user: people[by],
				html_url: `${site}/${fullName}/issues/${number}#issuecomment-492700400`,
			},
		},
	);

/** Commits on a branch. */
export const push = (branch: string, message: string, route = 'gh-push'): Sending =>
	sent(
		{route, event: 'push', by: 'wei'},
		{
			ref: `refs/heads/${branch}`,
			before: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
			after: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
			created: false,
			deleted: false,
			forced: false,
			compare: `${site}/${fullName}/compare/f95f852bd8fc...ec26c3e57ca3`,
			pusher: {name: 'wei-lin', email: 'wei@northwind.example'},
			head_commit: {
				id: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
				message,
				author: {name: 'Wei Lin', email: 'wei@northwind.example'},
				added: [],
				removed: [],
				modified: ['source/retry.ts', 'tests/retry.test.ts'],
			},
		},
	);

/** A run of the tests that ended. */
export const workflow = (branch: string, conclusion = 'failure'): Sending =>
	sent(
		{route: 'ci', event: 'workflow_run', by: 'wei'},
		{
			action: 'completed',
			workflow_run: {
				id: 289_782_451,
				name: 'tests',
				head_branch: branch,
				head_sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
				run_number: 562,
				run_attempt: 1,
				event: 'push',
				status: 'completed',
				conclusion,
				html_url: `${site}/${fullName}/actions/runs/289782451`,
			},
		},
	);

/** A release that was published. */
export const release = (tag: string): Sending =>
	sent(
		{route: 'gh-releases', event: 'release', by: 'mona'},
		{
			action: 'published',
			release: {
				id: 17_372_790,
				tag_name: tag,
				name: tag,
				draft: false,
				prerelease: false,
				body: '',
			},
		},
	);

/** A deployment that went well. */
export const deployment = (state = 'success'): Sending =>
	sent(
		{route: 'deploys', event: 'deployment_status', by: 'wei'},
		{
			action: 'created',
			deployment: {id: 145_988_746, ref: 'main', environment: 'production', task: 'deploy'},
			deployment_status: {id: 209_916_254, state, environment: 'production', description: ''},
		},
	);

/** What GitHub sends when a webhook was made. */
export const ping = (): Sending =>
	sent(
		{route: 'gh-push', event: 'ping', by: 'mona'},
		{
			zen: 'Non-blocking is better than blocking.',
			hook_id: 109_948_940,
			hook: {type: 'Repository', id: 109_948_940, active: true, events: ['push']},
		},
	);

/** An event that no route asked for. */
export const star = (): Sending =>
	sent(
		{route: 'gh-review', event: 'star', by: 'visitor'},
		{action: 'created', starred_at: '2026-01-01T00:00:00Z'},
	);

/** For a route that is paused. */
export const nightly = (): Sending =>
	sent(
		{route: 'gh-nightly', event: 'schedule', by: 'wei'},
		{action: 'nightly', workflow: 'nightly'},
	);
