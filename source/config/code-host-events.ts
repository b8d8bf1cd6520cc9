import {clientFor} from '../platforms/forge-comment/pull-request.ts';
import type {Route} from './route.ts';

/** Events that only code hosts send: GitHub's and Gitea's names, and GitLab's, which end in a word of their own. */
const codeHostEvent =
	/^(?:push|create|delete|fork|release|status|ping|issues|issue_\w+|pull_request(?:_\w+)?|merge_request|check_run|check_suite|commit_comment|deployment(?:_\w+)?|workflow_(?:run|job|dispatch)|repository|discussion(?:_\w+)?)$| Hook$/;

/** Whether a route with these event types takes those of a code host. */
export const areCodeHostEvents = (events: readonly string[]): boolean =>
	events.some(event => codeHostEvent.test(event));

/** Events of which some are about a pull request, of GitLab a merge request. */
const pullRequestEvent =
	/^(?:pull_request(?:_\w+)?|issue_comment|merge_request|(?:Merge Request|Note|Emoji|Pipeline) Hook|note|pipeline)$/;

/** That `prefetch` of a route gets nothing: what follows the subject in a sentence. `undefined`: it may. */
export function problemWithPrefetch({
	prefetch,
	deliverOnly,
	cronJob,
	events,
}: Pick<Route, 'prefetch' | 'deliverOnly' | 'cronJob' | 'events'>): string | undefined {
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

/** The client that `prefetch` of a route with these events calls, as far as they tell; `cli`: `forge.cli`. */
export const clientOfEvents = (events: readonly string[], cli: string): string =>
	clientFor(events.some(event => / Hook$|^merge_request$/.test(event)) ? 'gitlab' : 'github', cli);
