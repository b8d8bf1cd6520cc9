import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {folderAround, linesByHand} from '../../../source/core/approvals/rule-keys.ts';
import {makeShownTool, makeToolApproval} from '../../helpers/make-approval.ts';

const hostile = [
	'/home/a/no"tes/x',
	'/home/a/n: [x]/y',
	"/home/a/'{}/# c",
	'/home/a/\u001B[2J/x',
	'/home/a/\u202E/x',
	'/home/a/line\nbreak: 1/x',
	'/home/a/tab\t/x',
	'/home/a/\u0085\u2028/x',
	'yes',
	'0x10',
	'~',
	'- a',
	'${NAME}',
];

test('the lines are YAML that says what was asked for, and nothing else, whatever stands in the arguments', () => {
	for (const text of hostile) {
		for (const args of [{path: text}, {[text]: 1}, {[text]: text}]) {
			const lines = linesByHand(makeToolApproval({args, route: 'gh-review'})) ?? [];
			expect(['\u001B', '\u202E'].filter(one => lines.join('\n').includes(one))).toEqual([]);
			expect(lines).toHaveLength(6);
			const {approvals, ...rest} = parse(lines.join('\n'));
			expect(rest).toEqual({});
			expect(approvals.allow).toHaveLength(1);
			expect(Object.keys(approvals.allow[0])).toEqual(['route', 'tool', 'when', 'definition']);
			expect(Object.keys(approvals.allow[0].when)).toHaveLength(1);
		}
	}
});

test('they are for runs that an event started alone, and name a profile that is not the usual one', () => {
	const {route: _, delivery: __, ...ofJob} = makeToolApproval();
	expect(linesByHand(ofJob)).toBeUndefined();
	const tool = makeShownTool({why: 'no sandbox works here: …'});
	expect(linesByHand(makeToolApproval({tool}))).toBeUndefined();
	const lines = linesByHand(
		makeToolApproval({profile: 'work', tool: makeShownTool({name: 'yes'}), args: {n: 1, m: 2}}),
		{n: 1, path: '~/notes/'},
	);
	expect(parse(lines?.join('\n') ?? '')).toEqual({
		approvals: {
			allow: [
				{
					route: 'gh-review',
					profile: 'work',
					tool: 'yes',
					when: {n: 1, path: '~/notes/'},
					definition: '9c1f'.repeat(16),
				},
			],
		},
	});
	expect(folderAround('/etc')).toBeUndefined();
	expect(folderAround('/srv/../etc/x')).toBe('/etc/');
});
