import {getEventListeners} from 'node:events';
import {expect, test} from 'vitest';
import type {ApprovalRule} from '../../source/core/approval.ts';
import {toolPlace} from '../../source/core/tool.ts';
import {
	createMemoryKeeper,
	createTestQueue,
	makeAsked,
	makeCall,
	settleTurn,
	startMs,
} from './queue-fixture.ts';

const once = {choice: 'allow', scope: 'once', typedName: 'create_issue'} as const;
const by = 'cli (alice)';

const rule = (overrides: Partial<ApprovalRule> = {}): ApprovalRule => {
	const {profile, from, tool, definition} = makeAsked();
	return {
		profile,
		...toolPlace(from),
		tool,
		definition,
		id: 3,
		scope: 'always',
		createdAt: startMs - 1000,
		createdBy: by,
		expiresAt: startMs + 1000,
		uses: 2,
		...overrides,
	};
};

test('a request that ends leaves no timer and no listener, however it ends', async () => {
	const queue = createTestQueue();
	const {signal} = new AbortController();
	const {id} = await queue.ask(makeCall({signal}));
	await queue.approvals.settle(id, once, by);
	queue.memory.failing.add = true;
	await queue.approvals.request(makeCall({signal}));
	// The one that reminds of what waits.
	expect(queue.clock.timersLeft).toBe(1);
	expect(getEventListeners(signal, 'abort')).toEqual([]);

	await queue.approvals[Symbol.asyncDispose]();
	expect(queue.clock.timersLeft).toBe(0);
});

test('a wall clock that is set moves no deadline', async () => {
	await using queue = createTestQueue();
	const {verdict} = await queue.ask(makeCall());
	queue.clock.setWall(-3_600_000);
	const {id} = await queue.ask(makeCall());
	queue.clock.setWall(3_600_000);
	queue.approvals.extend(id);
	queue.clock.advance(300_000);

	expect((await verdict).reason).toContain('approval_timeout');
	expect(queue.approvals.waiting().map(one => one.id)).toEqual([id]);
});

test('a call whose run is given up while the yes of a rule is written down is not made', async () => {
	await using queue = createTestQueue({rules: [rule()]});
	const run = new AbortController();
	const verdict = queue.approvals.request(makeCall({signal: run.signal}));
	run.abort();

	expect(await verdict).toMatchObject({allowed: false});
});

test('a run that ends before its request has a number is denied, and nobody is asked', async () => {
	await using queue = createTestQueue();
	const verdict = queue.approvals.request(makeCall());
	queue.approvals.runEnded(184);

	expect((await verdict).reason).toContain('approval_cancelled');
	expect(queue.events.map(({type}) => type)).not.toContain('approval-requested');
});

test('a rule counts each call that it allows, those that waited for it too', async () => {
	await using queue = createTestQueue();
	const first = await queue.ask(makeCall());
	const second = await queue.ask(makeCall());
	await queue.approvals.settle(first.id, {...once, scope: 'run'}, by);
	await second.verdict;
	await queue.approvals.request(makeCall());

	expect(queue.approvals.rules()).toMatchObject([{uses: 2}]);
});

test('rules that have expired are forgotten when the next one is made', async () => {
	const memory = createMemoryKeeper();
	memory.rules.set(3, rule());
	await using queue = createTestQueue({memory, rules: [rule()]});
	queue.clock.advance(1000);
	const {id} = await queue.ask(makeCall());
	await queue.approvals.settle(id, {...once, scope: 'run'}, by);
	await settleTurn();

	expect([...memory.rules.keys()]).toEqual([1]);
});
