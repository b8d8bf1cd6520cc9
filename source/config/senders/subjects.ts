import type {SubjectRule} from './sender.ts';
import {senderNames, senders, type SenderName} from './senders.ts';

const mergeRequest = '{project.path_with_namespace}!';

/** GitHub, Gitea and Forgejo; GitLab after them. Rules for a part of a pull request precede those for the whole. */
const codeHosts: readonly SubjectRule[] = [
	'{repository.full_name}#{pull_request.number} review {review.state} by {review.user.login}[ · {pull_request.title}]',
	'{repository.full_name}#{pull_request.number} comment {action} by {comment.user.login}[ · {pull_request.title}]',
	'{repository.full_name}#{pull_request.number}[ {action}][ {label.name}][ · {pull_request.title}]',
	'{repository.full_name}#{issue.number} comment {action} by {comment.user.login}[ · {issue.title}]',
	'{repository.full_name}#{issue.number}[ {action}][ {label.name}][ · {issue.title}]',
	'{repository.full_name}#{discussion.number}[ {action}][ · {discussion.title}]',
	'{repository.full_name} {workflow_run.name} {action}[ {workflow_run.conclusion}][ · {workflow_run.head_branch}]',
	'{repository.full_name} {workflow_job.name} {action}[ {workflow_job.conclusion}][ · {workflow_job.head_branch}]',
	'{repository.full_name} {check_run.name} {action}[ {check_run.conclusion}][ · {check_run.check_suite.head_branch}]',
	'{repository.full_name} checks {check_suite.status}[ {check_suite.conclusion}][ · {check_suite.head_branch}]',
	'{repository.full_name} release {release.tag_name}[ {action}][ · {release.name}]',
	'{repository.full_name} {deployment.environment} {deployment_status.state}[ · {deployment.ref}]',
	'{repository.full_name} {deployment.environment}[ · {deployment.ref}]',
	'{repository.full_name} alert {alert.number}[ {action}][ · {alert.security_advisory.summary}][ · {alert.rule.description}]',
	'{repository.full_name} {milestone.title}[ {action}]',
	'{repository.full_name} {context} {state}[ · {description}]',
	'{repository.full_name} {ref_type} {ref}',
	'{repository.full_name} {ref}[ · {head_commit.message}]',
	[
		`${mergeRequest}{merge_request.iid} comment by {user.username}[ · {merge_request.title}]`,
		'object_attributes.note',
	],
	[
		'{project.path_with_namespace}#{issue.iid} comment by {user.username}[ · {issue.title}]',
		'object_attributes.note',
	],
	[
		`${mergeRequest}{object_attributes.iid}[ {object_attributes.action}][ · {object_attributes.title}]`,
		'object_attributes.target_branch',
	],
	'{project.path_with_namespace} pipeline {object_attributes.status}[ · {object_attributes.ref}]',
	'{project.path_with_namespace}#{object_attributes.iid}[ {object_attributes.action}][ · {object_attributes.title}]',
	'{project.path_with_namespace} {build_name} {build_status}[ · {ref}]',
	'{project.path_with_namespace} release {tag}[ {action}][ · {name}]',
	'{project.path_with_namespace} {environment} {status}[ · {ref}]',
	'{project.path_with_namespace} {ref}[ · {commits.0.message}]',
];

/** Services without a sender preset: Alertmanager, whose format others use, too, CloudEvents, Jira, Azure DevOps, Docker Hub. */
const others: readonly SubjectRule[] = [
	['{groupLabels.alertname} {status}[ · {commonAnnotations.summary}]', 'alerts'],
	'{alerts.0.labels.alertname} {status}[ · {alerts.0.annotations.summary}]',
	['{subject}[ · {source}]', 'specversion'],
	['{source}[ {id}]', 'specversion'],
	'{headers.ce-subject}[ · {headers.ce-source}]',
	'{headers.ce-source}[ {headers.ce-id}]',
	['{issue.key}[ · {issue.fields.summary}]', 'webhookEvent'],
	['{message.text}', 'publisherId'],
	'{repository.repo_name}:{push_data.tag}',
];

/** Usual fields of unknown senders, at the root or in a usual wrapper. */
const general: readonly SubjectRule[] = [
	'{repository.full_name}[ {action}][ by {sender.login}]',
	'{project.path_with_namespace}[ {object_attributes.title}]',
	'{security_advisory.ghsa_id} {action}[ · {security_advisory.summary}]',
	'{organization.login}[ {action}][ by {sender.login}]',
	'{installation.account.login}[ {action}][ by {sender.login}]',
	...['', 'data.', 'event.', 'payload.', 'object.'].flatMap(root =>
		['subject', 'title', 'summary', 'name', 'message', 'text', 'id'].map(key => `{${root}${key}}`),
	),
];

/** The rules for events of a route that names `sender` or none; those of the sender come first. */
export const subjectRulesFor = (sender: SenderName | undefined): readonly SubjectRule[] => [
	...(sender === undefined ? [] : rulesOf(sender)),
	...codeHosts,
	...senderNames.filter(name => name !== sender).flatMap(rulesOf),
	...others,
	...general,
];

const rulesOf = (name: SenderName): readonly SubjectRule[] => {
	const {subjects = []}: {readonly subjects?: readonly SubjectRule[]} = senders[name];
	return subjects;
};
