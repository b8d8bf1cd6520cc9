import type {Route} from '../config/route.ts';
import type {JsonValue} from '../core/json.ts';
import type {RunPlan} from '../core/run.ts';
import {pullRequestIn, repositoryIn} from '../platforms/forge-comment/pull-request.ts';
import {headerOf, type RequestHeaders} from './headers.ts';

/** What the run of an event gets before its agent starts, frozen when the event is accepted. */
export const prefetchOf = (
	{prefetch: what, deliverOnly, cronJob}: Route,
	{headers, payload}: {readonly headers: RequestHeaders; readonly payload: JsonValue},
): RunPlan['prefetch'] => {
	if (what.length === 0 || deliverOnly || cronJob !== undefined) {
		return undefined;
	}

	const pullRequest = pullRequestIn(payload, {isGitea: isFromGitea(headers)});
	return {what: [...what], ...(pullRequest && {pullRequest})};
};

/** The repository that commands of the run may read, where they are allowed to. */
export const repositoryOf = (
	{toolsets}: Route,
	{headers, payload}: {readonly headers: RequestHeaders; readonly payload: JsonValue},
): string | undefined =>
	toolsets?.includes('terminal') === true && !isFromGitea(headers)
		? repositoryIn(payload, {isGithub: headerOf(headers, 'x-github-event') !== undefined})
		: undefined;

/** Gitea and Forgejo send what GitHub sends, under a name of their own besides. */
const isFromGitea = (headers: RequestHeaders): boolean =>
	['x-gitea-event', 'x-forgejo-event'].some(name => headerOf(headers, name) !== undefined);
