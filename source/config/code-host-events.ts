/** Events that only code hosts send: GitHub's and Gitea's names, and GitLab's, which end in a word of their own. */
const codeHostEvent =
	/^(?:push|create|delete|fork|release|status|ping|issues|issue_\w+|pull_request(?:_\w+)?|merge_request|check_run|check_suite|commit_comment|deployment(?:_\w+)?|workflow_(?:run|job|dispatch)|repository|discussion(?:_\w+)?)$| Hook$/;

/** Whether a route with these event types takes those of a code host. */
export const areCodeHostEvents = (events: readonly string[]): boolean =>
	events.some(event => codeHostEvent.test(event));
