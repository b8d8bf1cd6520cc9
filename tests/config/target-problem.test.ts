import {expect, test} from 'vitest';
import {targetProblem} from '../../source/config/target-problem.ts';

test.for([
	[undefined, undefined],
	[null, null],
	['log', {anything: 1}],
	['email', undefined],
	['telegram', undefined],
	['forge_comment', {repo: 'a/b', pr_number: 7}],
	['github_comment', {repo: '{repository.full_name}', pr_number: '{number}'}],
] as const)('results can go to %s with %j', ([deliver, extra]) => {
	expect(targetProblem(deliver, extra)).toBeUndefined();
});

const forge = (missing: string) =>
	`delivers to "forge_comment" without ${missing}: set what names the repository and the pull request`;

test.for([
	['forge_comment', undefined, forge('deliver_extra.repo and deliver_extra.pr_number')],
	[
		'forge_comment',
		{repo: ' ', pr_number: true},
		forge('deliver_extra.repo and deliver_extra.pr_number'),
	],
	['forge_comment', {repo: 'a/b'}, forge('deliver_extra.pr_number')],
	['slak', undefined, 'delivers to no known target: did you mean "slack"'],
	[
		'',
		undefined,
		'delivers to no known target: "deliver" must be log, forge_comment or the name of a platform',
	],
	[
		7,
		undefined,
		'delivers to no known target: "deliver" must be log, forge_comment or the name of a platform',
	],
	['log', [], 'has a "deliver_extra" that is not a mapping'],
	['log', 'x', 'has a "deliver_extra" that is not a mapping'],
] as const)('results cannot go to %s with %j: %s', ([deliver, extra, reason]) => {
	expect(targetProblem(deliver, extra)?.reason).toBe(reason);
});
