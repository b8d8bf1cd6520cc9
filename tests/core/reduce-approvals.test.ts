import {expect, test} from 'vitest';
import type {Approval, ApprovalOutcome} from '../../source/core/approval.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import {reduce} from '../../source/core/reduce.ts';
import {initialState, limits} from '../../source/core/state.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';

const requested = (approval: Approval): GatewayEvent => ({
	type: 'approval-requested',
	at: 1,
	approval,
});

const settled = (approval: Approval, outcome: ApprovalOutcome = 'denied'): GatewayEvent => ({
	type: 'approval-settled',
	at: 2,
	approval: {...approval, decision: {outcome, at: 2, by: 'cli (alice)'}},
});

const [one, two] = [makeToolApproval({id: 1}), makeToolApproval({id: 2})];

test('what waits stands in order until it is settled, then among what was', () => {
	const waiting = reduce(initialState, [requested(one), requested(two)]);
	expect(waiting.approvals).toEqual([one, two]);

	const after = reduce(waiting, [settled(one)]);
	expect(after.approvals).toEqual([two]);
	expect(after.settledApprovals).toMatchObject([{id: 1, decision: {outcome: 'denied'}}]);
});

test('a moved deadline changes what waits, and nothing that was settled', () => {
	const moved = {...one, deadline: one.deadline + 300_000};
	const extended: GatewayEvent = {type: 'approval-extended', at: 2, approval: moved};

	expect(reduce(initialState, [requested(one), extended]).approvals).toEqual([moved]);
	expect(reduce(initialState, [settled(one), extended])).toMatchObject({approvals: []});
});

test('events of one request may come in any order: what was settled waits no more, and once', () => {
	const state = reduce(initialState, [settled(one), requested(one), settled(one)]);
	expect(state.approvals).toEqual([]);
	expect(state.settledApprovals).toHaveLength(1);
});

test('what a rule allowed was never waiting, and is in the history', () => {
	expect(reduce(initialState, [settled(one, 'allowed')])).toMatchObject({
		approvals: [],
		settledApprovals: [{id: 1}],
	});
});

test('both lists are bounded, the newest stay', () => {
	const many = Array.from({length: 600}, (_, index) => makeToolApproval({id: index + 1}));
	const {approvals} = reduce(initialState, many.map(requested));
	const {settledApprovals} = reduce(
		initialState,
		many.map(approval => settled(approval)),
	);

	expect(approvals).toHaveLength(limits.waitingApprovals);
	expect(settledApprovals).toHaveLength(limits.settledApprovals);
	expect(settledApprovals.at(-1)?.id).toBe(600);
});

test('the history that is restored is what was settled', () => {
	const restored: GatewayEvent = {
		type: 'history-restored',
		at: 1,
		deliveries: [],
		runs: [],
		groups: [],
		approvals: [one, two],
	};
	expect(reduce(initialState, [restored]).settledApprovals).toEqual([one, two]);
	const since = settled(two);
	expect(reduce(initialState, [since, restored]).settledApprovals).toEqual([
		one,
		expect.objectContaining({decision: expect.objectContaining({outcome: 'denied'})}),
	]);
});

test('a slice that no event touched stays the same object', () => {
	const before = reduce(initialState, [requested(one), settled(two)]);
	const after = reduce(before, [{type: 'approval-rules-changed', at: 3, rules: []}]);
	expect(after.approvals).toBe(before.approvals);
	expect(after.settledApprovals).toBe(before.settledApprovals);
	expect(reduce(before, [{type: 'gateway-stopping', at: 3}]).approvalRules).toBe(
		before.approvalRules,
	);
});
