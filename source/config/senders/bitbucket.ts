import {hmacSha256, type SenderPreset} from './sender.ts';

/** Cloud sends `X-Request-UUID`, Data Center `X-Request-Id`. @see https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/ */
export const bitbucket: SenderPreset = {
	description:
		'`X-Hub-Signature: sha256=…`; event and identifier come from `X-Event-Key` and `X-Request-UUID` (`X-Request-Id`), which are unsigned',
	signature: hmacSha256('x-hub-signature', {prefix: 'sha256='}),
	names: {eventHeaders: ['x-event-key'], idHeaders: ['x-request-uuid', 'x-request-id']},
	subjects: [
		'{repository.full_name}#{pullrequest.id} comment by {comment.user.nickname}[ · {pullrequest.title}]',
		'{repository.full_name}#{pullrequest.id}[ {pullrequest.state}][ · {pullrequest.title}]',
		'{repository.full_name} {commit_status.name} {commit_status.state}[ · {commit_status.refname}]',
		['{repository.full_name}#{issue.id} {issue.state}[ · {issue.title}]', 'actor'],
		'{repository.full_name} {push.changes.0.new.name}[ · {push.changes.0.new.target.message}]',
		// Data Center
		'{pullRequest.toRef.repository.project.key}/{pullRequest.toRef.repository.slug}#{pullRequest.id}[ {pullRequest.state}][ · {pullRequest.title}]',
		'{repository.project.key}/{repository.slug} {changes.0.ref.displayId}',
	],
};
