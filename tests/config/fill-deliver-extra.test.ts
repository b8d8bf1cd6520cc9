import {expect, test} from 'vitest';
import {fillDeliverExtra} from '../../source/config/merge-subscription.ts';

const repo = '{repository.full_name}';

test.for([
	['forge_comment', undefined, '{pull_request.number}'],
	['github_comment', undefined, '{pull_request.number}'],
	['forge_comment', [], '{pull_request.number}'],
	['forge_comment', ['pull_request', 'issues'], '{pull_request.number}'],
	['forge_comment', ['issues'], '{issue.number}'],
	['github_comment', ['issues', 'issue_comment'], '{issue.number}'],
] as const)(
	'%s for the events %j posts where the payload says: %s',
	([deliver, events, number]) => {
		const entry = {deliver, ...(events && {events})};

		expect(fillDeliverExtra(entry)).toEqual({
			...entry,
			deliver_extra: {repo, pr_number: number},
		});
	},
);

test('what is written wins over what payloads name, and what is given now over both', () => {
	const entry = {deliver: 'forge_comment', deliver_extra: {repo: 'acme/api', pr_number: 7, x: 1}};

	expect(fillDeliverExtra(entry)).toEqual(entry);
	expect(fillDeliverExtra(entry, {pr_number: '{number}', y: '2'})['deliver_extra']).toEqual({
		repo: 'acme/api',
		pr_number: '{number}',
		x: 1,
		y: '2',
	});
	expect(entry.deliver_extra.pr_number).toBe(7);
});

test.for([{}, {deliver: 'email'}, {deliver: 7}, {deliver: 'log', deliver_extra: 'text'}])(
	'nothing is invented for %j',
	entry => {
		expect(fillDeliverExtra(entry)).toBe(entry);
	},
);

test('other targets take what is given', () => {
	expect(fillDeliverExtra({deliver: 'email'}, {chat_id: 'a@b.c'})).toEqual({
		deliver: 'email',
		deliver_extra: {chat_id: 'a@b.c'},
	});
});
