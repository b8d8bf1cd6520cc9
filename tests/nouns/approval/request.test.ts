import {expect, test} from 'vitest';
import {askerFacts, toolFacts} from '../../../source/nouns/approval/request.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeDelivery} from '../../helpers/make.ts';

test('who asks: what was got before the agent started stands before what its prompt quotes', () => {
	const factsOf = (detail: string) =>
		askerFacts(
			makeToolApproval({}),
			makeDelivery({trace: [{step: 'prompt', verdict: 'pass', detail}]}),
		).map(fact => ('value' in fact ? fact.value : ''));

	expect(
		factsOf(
			'52 characters, read: number, title; prefetch: diff, checkout of acme/api#7 at 1a2b3c4',
		),
	).toContain(
		'it has the diff and checkout of acme/api#7 at 1a2b3c4; its prompt read number, title',
	);
	expect(factsOf('52 characters, read: number')).toContain('its prompt read number');
});

test('the sandbox that the server of a tool is in is told, and that of no other server', () => {
	const approval = makeToolApproval();
	const {server: name = '', profile} = approval.tool;
	const told = (servers: NonNullable<Parameters<typeof toolFacts>[1]>) =>
		toolFacts(approval, servers).filter(fact => 'name' in fact && fact.name === 'sandbox');

	const sandbox = 'read /opt/mcp; hosts docs.example';
	expect(told([{name, profile, sandbox}])).toEqual([{name: 'sandbox', value: sandbox}]);
	expect(told([{name, profile}])).toEqual([]);
	expect(told([{name, profile: 'other', sandbox}])).toEqual([]);
});
