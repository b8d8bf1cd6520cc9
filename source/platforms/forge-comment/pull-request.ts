import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {lookUp} from '../../core/payload.ts';
import type {PullRequest} from '../../core/run.ts';
import {forgePlaceOf} from './forge-place.ts';

/**
 * The pull request that a code host's event is about, by the fields of GitHub, Gitea and Forgejo (also for a comment), otherwise by those of GitLab. `undefined` if there
 * is none, or its values are not valid for a code host. The repository is the target of the pull request, even if that comes from a fork.
 *
 * @see manual/prefetch.md
 */
export function pullRequestIn(
	payload: JsonValue,
	{isGitea}: {readonly isGitea: boolean},
): PullRequest | undefined {
	const at = (path: string) => lookUp(payload, path.split('.'));
	const isOnPullRequest = isJsonObject(at('issue.pull_request'));
	const number = at('pull_request.number') ?? (isOnPullRequest ? at('issue.number') : undefined);
	if (number !== undefined) {
		const repo = at('repository.full_name');
		const found = checked(isGitea ? 'gitea' : 'github', {repo, number});
		const head = at('pull_request.head.sha');
		return found?.host === 'github' && typeof head === 'string' && commitPattern.test(head)
			? {...found, head}
			: found;
	}

	const isMergeRequest = at('object_kind') === 'merge_request';
	return checked('gitlab', {
		repo: at('project.path_with_namespace'),
		number: at('merge_request.iid') ?? (isMergeRequest ? at('object_attributes.iid') : undefined),
	});
}

/**
 * `owner/name` of the GitHub repository that an event is about; `undefined` if there is none. Without GitHub's header (`isGithub`), only an event about a pull request is
 * recognised: other senders also have `repository.full_name`.
 *
 * @see manual/sandbox-network.md#forge
 */
export function repositoryIn(
	payload: JsonValue,
	{isGithub}: {readonly isGithub: boolean},
): string | undefined {
	const repo = lookUp(payload, ['repository', 'full_name']);
	const found = isGithub
		? checked('github', {repo, number: 1})
		: pullRequestIn(payload, {isGitea: false});
	return found?.host === 'github' ? found.repo : undefined;
}

const commitPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

// No dots: a client would take the group for a host, and a payload must not choose who gets the client's token.
const groupPattern = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/;
const maxGroups = 20;

/** Only on GitLab may groups precede the last two parts of the name. */
function checked(
	host: PullRequest['host'],
	{repo, number}: {readonly repo?: JsonValue | undefined; readonly number?: JsonValue | undefined},
): PullRequest | undefined {
	if (typeof repo !== 'string' || number === undefined) {
		return undefined;
	}

	const parts = repo.split('/');
	const groups = parts.slice(0, -2);
	const place = forgePlaceOf({repo: parts.slice(-2).join('/'), pr_number: number});
	const areGroups =
		groups.length <= (host === 'gitlab' ? maxGroups : 0) &&
		groups.every(group => groupPattern.test(group));
	return place.ok && areGroups
		? {host, repo: [...groups, place.value.repo].join('/'), number: place.value.number}
		: undefined;
}

type Client = {
	readonly name: string;
	/** The arguments that print the diff of a pull request. */
	readonly args: (pullRequest: PullRequest) => readonly string[];
	/** Arguments that print it file by file, for a diff that the host refuses to print as a whole. */
	readonly byFile?: (pullRequest: PullRequest) => readonly string[];
};

/**
 * A `jq` program that converts the list from `pulls/N/files` to a diff as git writes it: names with control characters or quotes are quoted, and a file without a patch
 * (binary, very large, only renamed) is named.
 */
const filesAsDiff = String.raw`
def named($side): ($side + .) | if test("[\\x00-\\x1f\\x7f\"\\\\]") then @json else . end;
.[]
| ((.previous_filename // .filename) | named("a/")) as $old
| (.filename | named("b/")) as $new
| "diff --git \($old) \($new)\n" + (
	if .patch then
		"--- \(if .status == "added" then "/dev/null" else $old end)\n+++ \(if .status == "removed" then "/dev/null" else $new end)\n\(.patch)"
	else "\(.status), +\(.additions) -\(.deletions) lines, no patch listed" end)`;

const clients: Readonly<Record<PullRequest['host'], Client>> = {
	github: {
		name: 'gh',
		args: ({repo, number}) => ['pr', 'diff', String(number), '--repo', repo],
		byFile: ({repo, number}) => [
			'api',
			'--paginate',
			`repos/${repo}/pulls/${number}/files?per_page=100`,
			'--jq',
			filesAsDiff,
		],
	},
	gitlab: {
		name: 'glab',
		args: ({repo, number}) => ['mr', 'diff', String(number), '--repo', repo, '--color=never'],
	},
	gitea: {
		name: 'tea',
		args: ({repo, number}) => ['api', `repos/${repo}/pulls/${number}.diff`],
	},
};

/** The host of a client by its program name: GitLab for `/usr/bin/glab`. `undefined` for any other name. */
export const hostOfClient = (cli: string): PullRequest['host'] | undefined => {
	const name = /[^/\\]*$/.exec(cli)?.[0].replace(/\.exe$/i, '');
	return (['github', 'gitlab', 'gitea'] as const).find(host => clients[host].name === name);
};

/** The host to ask: Gitea instead of GitHub if its client is configured, since its events also have neutral names. */
const hostFor = (host: PullRequest['host'], cli: string): PullRequest['host'] =>
	host === 'github' && hostOfClient(cli) === 'gitea' ? 'gitea' : host;

/** The client for events of `host`: `cli` (the setting `forge.cli`), unless its name is that of another host's client. A client with an unknown name is assumed to be like `gh`. */
export function clientFor(host: PullRequest['host'], cli: string): string {
	const asked = hostFor(host, cli);
	return (hostOfClient(cli) ?? 'github') === asked ? cli : clients[asked].name;
}

/**
 * The command that prints the diff of a pull request. `byFile`: the arguments for composing it from the list of files, if the client can do that.
 *
 * @see manual/prefetch.md
 */
export function diffCommand(
	pullRequest: PullRequest,
	cli: string,
): {
	readonly command: string;
	readonly args: readonly string[];
	readonly byFile?: readonly string[];
} {
	const {args, byFile} = clients[hostFor(pullRequest.host, cli)];
	return {
		command: clientFor(pullRequest.host, cli),
		args: args(pullRequest),
		...(byFile && {byFile: byFile(pullRequest)}),
	};
}
