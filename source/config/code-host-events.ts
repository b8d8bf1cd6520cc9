import {clientFor} from '../platforms/forge-comment/pull-request.ts';
import type {Route} from './route.ts';
import {sandboxedToolsets} from './toolset-settings.ts';

/** Event types that only code hosts send, by the names of GitHub and Gitea, and those of GitLab, which end in ` Hook`. */
const codeHostEvent =
	/^(?:push|create|delete|fork|release|status|ping|issues|issue_\w+|pull_request(?:_\w+)?|merge_request|check_run|check_suite|commit_comment|deployment(?:_\w+)?|workflow_(?:run|job|dispatch)|repository|discussion(?:_\w+)?)$| Hook$/;

/** Whether one of these event types of a route belongs to a code host. */
export const areCodeHostEvents = (events: readonly string[]): boolean =>
	events.some(event => codeHostEvent.test(event));

/** Event types that may concern a pull request, or a merge request of GitLab. */
const pullRequestEvent =
	/^(?:pull_request(?:_\w+)?|issue_comment|merge_request|(?:Merge Request|Note|Emoji|Pipeline) Hook|note|pipeline)$/;

/** Why `prefetch` of a route has no effect, or not all of it: a predicate such as `prefetches nothing: …`. `undefined`: it has its full effect. */
export const problemWithPrefetch = (
	route: Pick<Route, 'prefetch' | 'toolsets' | 'deliverOnly' | 'cronJob' | 'events'>,
): string | undefined => whyNothingPrefetched(route) ?? problemWithCheckout(route);

function problemWithCheckout(
	given: Pick<Route, 'prefetch' | 'toolsets' | 'events'>,
): string | undefined {
	const {prefetch, toolsets, events} = given;
	if (!prefetch.includes('checkout')) {
		return undefined;
	}

	if (!sandboxedToolsets.some(name => toolsets?.includes(name))) {
		return 'prefetches no checkout: no tool of the route works in it; add "file" or "terminal" to its toolsets';
	}

	const [, ofGitlab] = namesOfHosts[0];
	return events.length > 0 && events.every(event => ofGitlab.test(event))
		? 'prefetches no checkout: its events are of GitLab, and checkouts are got from GitHub alone'
		: undefined;
}

/** The parts of `prefetch` of a route that may be fetched. */
export const prefetchedBy = (
	route: Pick<Route, 'prefetch' | 'toolsets' | 'deliverOnly' | 'cronJob' | 'events'>,
): Route['prefetch'] =>
	whyNothingPrefetched(route) === undefined
		? route.prefetch.filter(what => what !== 'checkout' || problemWithCheckout(route) === undefined)
		: [];

/** Why `prefetch` of a route fetches nothing at all: a predicate. `undefined`: it may fetch something. */
function whyNothingPrefetched(
	given: Pick<Route, 'prefetch' | 'deliverOnly' | 'cronJob' | 'events'>,
): string | undefined {
	const {prefetch, deliverOnly, cronJob, events} = given;
	if (prefetch.length === 0) {
		return undefined;
	}

	if (deliverOnly || cronJob !== undefined) {
		return `prefetches nothing: ${deliverOnly ? 'deliver_only starts no agent' : 'its job says what its runs get'}`;
	}

	return events.length === 0 || events.some(event => pullRequestEvent.test(event))
		? undefined
		: 'prefetches nothing: none of its events is about a pull request';
}

const namesOfHosts = [
	['gitlab', / Hook$|^(?:merge_request|note|pipeline)$/],
	['github', /^(?:pull_request(?:_\w+)?|issue_comment)$/],
] as const;

/** The clients (`gh`, `glab`) that `prefetch` of a route with these events calls, judged by their names; if these do not tell, `cli`, which is `forge.cli`. */
export function clientsOfEvents(events: readonly string[], cli: string): readonly string[] {
	const hosts = namesOfHosts.filter(([, names]) => events.some(event => names.test(event)));
	return hosts.length === 0 ? [cli] : hosts.map(([host]) => clientFor(host, cli));
}
