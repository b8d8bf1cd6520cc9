import {expect, test} from 'vitest';
import {createAuthorshipMark} from '../../source/core/authorship-mark.ts';
import {isAboutOwnComment} from '../../source/webhook/event-subject.ts';
import {makeRoute, startReceiver} from './start-receiver.ts';

/** The key of `startReceiver`. */
const mark = createAuthorshipMark(Buffer.alloc(32, 7));
const own = mark.sign('Looks good.');

test.for([
	['GitHub, Gitea, Forgejo', {action: 'created', comment: {body: own}, issue: {body: 'Help'}}],
	['an edit that changed nothing', {action: 'edited', comment: {body: own}}],
	['GitLab', {object_kind: 'note', object_attributes: {note: own, description: own}}],
])('a comment that the gateway wrote is known again: %s', ([, payload]) => {
	expect(isAboutOwnComment(payload as never, mark)).toBe(true);
});

test.for([
	[
		'somebody answers on an issue that quotes us whole',
		{comment: {body: 'hm'}, issue: {body: own}},
	],
	['a pull request whose description copies us', {pull_request: {body: own}, number: 8}],
	['an issue whose description copies us', {issue: {body: own}}],
	[
		"GitLab's merge request whose description copies us",
		{object_kind: 'merge_request', object_attributes: {action: 'open', description: own}},
	],
	[
		"GitLab's issue whose description copies us",
		{object_kind: 'issue', object_attributes: {action: 'update', description: own}},
	],
	[
		'somebody answers on a merge request that quotes us whole',
		{
			object_kind: 'note',
			object_attributes: {note: 'hm', description: 'hm'},
			merge_request: {description: own},
		},
	],
	[
		'somebody answers on a pull request whose description copies us',
		{action: 'created', comment: {body: 'hm'}, issue: {body: own, pull_request: {}}},
	],
	['a review of a pull request copies us', {review: {body: own}, pull_request: {body: own}}],
	['a person changed our comment', {action: 'edited', comment: {body: `${own} no`}}],
	['a list', [own]],
	['no object', {comment: own}],
	['inherited members', {comment: {constructor: own}}],
])('the event is an ordinary one: %s', ([, payload]) => {
	expect(isAboutOwnComment(payload as never, mark)).toBe(false);
});

test('our own comment is answered 200 ignored, reason own; it is shown so, and takes no identifier', async () => {
	await using hook = await startReceiver({
		routes: [
			makeRoute({
				filters: [{field: 'action', equals: 'created'}],
				script: 'missing.sh',
			}),
		],
	});
	const headers = {'x-github-event': 'issue_comment', 'x-github-delivery': 'same'};
	const answer = await hook.post({action: 'created', comment: {body: own}}, headers);
	expect(answer.status).toBe(200);
	expect(answer.json).toEqual({status: 'ignored', reason: 'own', route: 'hook'});
	expect(hook.last().outcome).toBe('ignored:own');
	expect(hook.last().trace.at(-1)).toEqual({
		step: 'filter',
		verdict: 'stop',
		detail: 'this gateway wrote the comment itself',
	});

	// Filters come first.
	const other = await hook.post({action: 'deleted', comment: {body: own}}, headers);
	expect(other.json['reason']).toBe('filter');
	hook.setRoutes(makeRoute());
	const fresh = await hook.post({action: 'created', comment: {body: 'hm'}}, headers);
	expect(fresh.json['status']).toBe('accepted');
});
