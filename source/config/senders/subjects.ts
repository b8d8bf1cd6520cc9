import type {SubjectRule} from './sender.ts';
import {senderNames, senders, type SenderName} from './senders.ts';

const mergeRequest = '{project.path_with_namespace}!';

/** GitHub, Gitea and Forgejo; GitLab below them. What is about one thing of a pull request stands before what is about the whole of it. */
const codeHosts: readonly SubjectRule[] = [
	{
		text: '{repository.full_name}#{pull_request.number} review {review.state} by {review.user.login}',
		more: [' · {pull_request.title}'],
	},
	{
		text: '{repository.full_name}#{pull_request.number} comment {action} by {comment.user.login}',
		more: [' · {pull_request.title}'],
	},
	{
		text: '{repository.full_name}#{pull_request.number}',
		more: [' {action}', ' {label.name}', ' · {pull_request.title}'],
	},
	{
		text: '{repository.full_name}#{issue.number} comment {action} by {comment.user.login}',
		more: [' · {issue.title}'],
	},
	{
		text: '{repository.full_name}#{issue.number}',
		more: [' {action}', ' {label.name}', ' · {issue.title}'],
	},
	{
		text: '{repository.full_name}#{discussion.number}',
		more: [' {action}', ' · {discussion.title}'],
	},
	{
		text: '{repository.full_name} {workflow_run.name} {action}',
		more: [' {workflow_run.conclusion}', ' · {workflow_run.head_branch}'],
	},
	{
		text: '{repository.full_name} {workflow_job.name} {action}',
		more: [' {workflow_job.conclusion}', ' · {workflow_job.head_branch}'],
	},
	{
		text: '{repository.full_name} {check_run.name} {action}',
		more: [' {check_run.conclusion}', ' · {check_run.check_suite.head_branch}'],
	},
	{
		text: '{repository.full_name} checks {check_suite.status}',
		more: [' {check_suite.conclusion}', ' · {check_suite.head_branch}'],
	},
	{
		text: '{repository.full_name} release {release.tag_name}',
		more: [' {action}', ' · {release.name}'],
	},
	{
		text: '{repository.full_name} {deployment.environment} {deployment_status.state}',
		more: [' · {deployment.ref}'],
	},
	{text: '{repository.full_name} {deployment.environment}', more: [' · {deployment.ref}']},
	{
		text: '{repository.full_name} alert {alert.number}',
		more: [' {action}', ' · {alert.security_advisory.summary}', ' · {alert.rule.description}'],
	},
	{text: '{repository.full_name} {milestone.title}', more: [' {action}']},
	{text: '{repository.full_name} {context} {state}', more: [' · {description}']},
	{text: '{repository.full_name} {ref_type} {ref}'},
	{text: '{repository.full_name} {ref}', more: [' · {head_commit.message}']},
	{
		text: `${mergeRequest}{merge_request.iid} comment by {user.username}`,
		more: [' · {merge_request.title}'],
		needs: 'object_attributes.note',
	},
	{
		text: '{project.path_with_namespace}#{issue.iid} comment by {user.username}',
		more: [' · {issue.title}'],
		needs: 'object_attributes.note',
	},
	{
		text: `${mergeRequest}{object_attributes.iid}`,
		more: [' {object_attributes.action}', ' · {object_attributes.title}'],
		needs: 'object_attributes.target_branch',
	},
	{
		text: '{project.path_with_namespace} pipeline {object_attributes.status}',
		more: [' · {object_attributes.ref}'],
	},
	{
		text: '{project.path_with_namespace}#{object_attributes.iid}',
		more: [' {object_attributes.action}', ' · {object_attributes.title}'],
	},
	{text: '{project.path_with_namespace} {build_name} {build_status}', more: [' · {ref}']},
	{text: '{project.path_with_namespace} release {tag}', more: [' {action}', ' · {name}']},
	{text: '{project.path_with_namespace} {environment} {status}', more: [' · {ref}']},
	{text: '{project.path_with_namespace} {ref}', more: [' · {commits.0.message}']},
];

/** Services that are not signed for: Alertmanager, whose shape others have taken over, CloudEvents, Jira, Azure DevOps, Docker Hub. */
const others: readonly SubjectRule[] = [
	{
		text: '{groupLabels.alertname} {status}',
		more: [' · {commonAnnotations.summary}'],
		needs: 'alerts',
	},
	{
		text: '{alerts.0.labels.alertname} {status}',
		more: [' · {alerts.0.annotations.summary}'],
	},
	{text: '{subject}', more: [' · {source}'], needs: 'specversion'},
	{text: '{source}', more: [' {id}'], needs: 'specversion'},
	{text: '{headers.ce-subject}', more: [' · {headers.ce-source}']},
	{text: '{headers.ce-source}', more: [' {headers.ce-id}']},
	{text: '{issue.key}', more: [' · {issue.fields.summary}'], needs: 'webhookEvent'},
	{text: '{message.text}', needs: 'publisherId'},
	{text: '{repository.repo_name}:{push_data.tag}'},
];

/** What unknown senders often say, at the root or in what they wrap it. */
const general: readonly SubjectRule[] = [
	{text: '{repository.full_name}', more: [' {action}', ' by {sender.login}']},
	{text: '{project.path_with_namespace}', more: [' {object_attributes.title}']},
	{text: '{security_advisory.ghsa_id} {action}', more: [' · {security_advisory.summary}']},
	{text: '{organization.login}', more: [' {action}', ' by {sender.login}']},
	{text: '{installation.account.login}', more: [' {action}', ' by {sender.login}']},
	...['', 'data.', 'event.', 'payload.', 'object.'].flatMap(root =>
		['subject', 'title', 'summary', 'name', 'message', 'text', 'id'].map(key => ({
			text: `{${root}${key}}`,
		})),
	),
];

/** The rules for events of a route that names `sender`, if it does; its own before all others. */
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
