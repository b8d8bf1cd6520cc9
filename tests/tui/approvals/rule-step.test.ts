import {expect, test} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {
	answerOfRule,
	ruleToShow,
	type RuleChoice,
	withNextChoice,
} from '../../../source/tui/approvals/rule-step.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';

const callWith = (args: JsonObject) =>
	makeToolApproval({
		args,
		lasting: {owner: {kind: 'job', id: 'job_1', name: 'nightly'}, isBound: true},
	});

const nothing: RuleChoice = {args: 'keys', keys: new Map()};

/** What the rule says of `key` after each press, and how it is shown. */
function pressed(args: JsonObject, key: string) {
	const call = callWith(args);
	let choice = nothing;
	return Array.from({length: 3}, () => {
		choice = withNextChoice(call, choice, key);
		const answer = answerOfRule(call, choice);
		return answer && {when: answer.when, shown: ruleToShow(call, answer, 0).when};
	});
}

test('a path is below its folder, then as it is, then anything', () => {
	expect(pressed({path: '/srv/in/a.md'}, 'path')).toEqual([
		{when: {path: '/srv/in/'}, shown: [{key: 'path', below: '/srv/in'}]},
		{when: {path: '/srv/in/a.md'}, shown: [{key: 'path', equals: '/srv/in/a.md'}]},
		undefined,
	]);
});

test('a value that would be read as a folder cannot be compared as it is', () => {
	const below = {when: {path: '/srv/'}, shown: [{key: 'path', below: '/srv'}]};
	expect(pressed({path: '/srv/in/'}, 'path')).toEqual([below, undefined, below]);
	expect(pressed({path: 'in/'}, 'path')).toEqual([undefined, undefined, undefined]);
});

test('a URL is shown as what it is compared as', () => {
	const equals = {when: {url: 'https://x/'}, shown: [{key: 'url', equals: 'https://x/'}]};
	expect(pressed({url: 'https://x/'}, 'url')).toEqual([equals, undefined, equals]);
});
