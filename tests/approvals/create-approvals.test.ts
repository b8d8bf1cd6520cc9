import {describe, expect, test} from 'vitest';
import type {ApprovalRule} from '../../source/core/approval.ts';
import {
	createMemoryKeeper,
	createTestQueue,
	makeAsked,
	makeAskingRun,
	makeCall,
	makeForm,
	settleTurn,
	startMs,
} from './queue-fixture.ts';

const once = {choice: 'allow', scope: 'once', typedName: 'create_issue'} as const;
const forRun = {...once, scope: 'run'} as const;
const by = 'cli (alice)';

/** A queue that has seen the tool before, so that more than its run is offered. */
const knownQueue = (options: Parameters<typeof createTestQueue>[0] = {}) => {
	const queue = createTestQueue(options);
	queue.memory.allowBefore(makeAsked(), {title: 'before'});
	return queue;
};

const attended = makeAskingRun({origin: {kind: 'person'}});

describe('a call that needs a yes', () => {
	test('waits for a person, is shown, and runs once they allow it', async () => {
		await using queue = createTestQueue();
		const {verdict, id} = await queue.ask(makeCall());

		expect(queue.state().approvals).toMatchObject([
			{id, kind: 'tool', run: 184, route: 'gh-review', delivery: 'abc123', mustTypeName: true},
		]);
		expect(await queue.approvals.settle(id, once, by)).toMatchObject({
			settled: true,
			approval: {decision: {outcome: 'allowed', scope: 'once', by}},
		});
		expect(await verdict).toEqual({allowed: true, reason: `allowed by ${by}`});
		expect(queue.state()).toMatchObject({approvals: [], settledApprovals: [{id}]});
		expect(queue.allowed).toMatchObject([{tool: 'create_issue', definition: 'd1'}]);
		expect(queue.audited).toHaveLength(1);
	});

	test('is denied by a person with what they say, cleaned and bounded', async () => {
		await using queue = createTestQueue();
		const {verdict, id} = await queue.ask(makeCall());
		await queue.approvals.settle(
			id,
			{choice: 'deny', reason: `not\u001b[2J${'x'.repeat(900)}`},
			by,
		);

		const {allowed, reason} = await verdict;
		expect(allowed).toBe(false);
		expect(reason).toMatch(/^approval_denied: not␛\[2Jx+…$/);
		expect(reason.length).toBeLessThan(600);
	});

	test('"on timeout the call is denied with approval_timeout for the agent"', async () => {
		await using queue = createTestQueue();
		const {verdict, id} = await queue.ask(makeCall());
		queue.clock.advance(299_999);
		expect(queue.approvals.waiting()).toHaveLength(1);
		queue.clock.advance(1);

		expect(await verdict).toEqual({
			allowed: false,
			reason: 'approval_timeout: nobody agreed within 300 seconds',
		});
		expect(await queue.approvals.settle(id, once, by)).toMatchObject({
			settled: false,
			approval: {decision: {outcome: 'timeout', by: 'deadline'}},
		});
	});

	test('is denied when its run is given up, when that ends, and at the end of the gateway', async () => {
		await using queue = createTestQueue();
		const controller = new AbortController();
		const given = await queue.ask(makeCall({signal: controller.signal}));
		controller.abort();
		const ended = await queue.ask(makeCall());
		queue.approvals.runEnded(184);
		const last = await queue.ask(makeCall({run: makeAskingRun({id: 185})}));
		await queue.approvals[Symbol.asyncDispose]();
		const late = await queue.approvals.request(makeCall());

		const verdicts = await Promise.all([given.verdict, ended.verdict, last.verdict]);
		expect([...verdicts, late].map(({allowed, reason}) => [allowed, reason.split(':')[0]])).toEqual(
			[
				[false, 'approval_cancelled'],
				[false, 'approval_cancelled'],
				[false, 'approval_shutdown'],
				[false, 'approval_shutdown'],
			],
		);
		expect(queue.state().settledApprovals.map(({decision}) => decision?.outcome)).toEqual([
			'cancelled',
			'cancelled',
			'shutdown',
			'shutdown',
		]);
	});

	test('that is given up because the gateway stops was stopped by that', async () => {
		await using queue = createTestQueue({isStopping: () => true});
		const controller = new AbortController();
		const {verdict} = await queue.ask(makeCall({signal: controller.signal}));
		controller.abort();

		expect((await verdict).reason).toMatch(/^approval_shutdown/);
	});

	test('whose run was given up before is asked about by nobody', async () => {
		await using queue = createTestQueue();
		const verdict = await queue.approvals.request(makeCall({signal: AbortSignal.abort()}));

		expect(verdict.allowed).toBe(false);
		expect(queue.events.some(({type}) => type === 'approval-requested')).toBe(false);
	});

	test('is denied when the request cannot be written down', async () => {
		await using queue = createTestQueue();
		queue.memory.failing.add = true;
		const verdict = await queue.approvals.request(makeCall());

		expect(verdict).toEqual({
			allowed: false,
			reason: 'approval_unrecorded: the request could not be written to the journal',
		});
		expect(queue.events.filter(({type}) => type.startsWith('approval-'))).toEqual([]);
	});

	test('above 200 that wait is denied at once, and all others wait on', async () => {
		await using queue = createTestQueue();
		for (let count = 0; count < 200; count += 1) {
			void queue.approvals.request(makeCall());
		}

		const verdict = await queue.approvals.request(makeCall());
		await settleTurn();

		expect(verdict.reason).toMatch(/^approval_queue_full/);
		expect(queue.approvals.waiting()).toHaveLength(200);
		expect(await queue.approvals.elicit(makeForm())).toEqual({action: 'cancel'});
	});

	test('with arguments that nobody could check is denied, and they are not shown', async () => {
		await using queue = createTestQueue();
		let deep: readonly unknown[] = [];
		for (let level = 0; level < 5000; level += 1) {
			deep = [deep];
		}

		const large = await queue.approvals.request(makeCall({args: 'x'.repeat(1024 * 1024)}));
		const nested = await queue.approvals.request(makeCall({args: deep as never}));

		for (const {allowed, reason} of [large, nested]) {
			expect({allowed, reason}).toEqual({
				allowed: false,
				reason: expect.stringMatching(/^approval_too_large/),
			});
		}

		expect(queue.state().settledApprovals).toMatchObject([{args: null}, {args: null}]);
	});
});

describe('answers', () => {
	test('"First answer wins": the second is told how it was settled', async () => {
		await using queue = createTestQueue();
		const {verdict, id} = await queue.ask(makeCall());
		const [first, second] = await Promise.all([
			queue.approvals.settle(id, {choice: 'deny'}, 'tui (bob)'),
			queue.approvals.settle(id, once, by),
		]);

		expect(first.settled).toBe(true);
		expect(second).toMatchObject({
			settled: false,
			approval: {decision: {outcome: 'denied', by: 'tui (bob)'}},
		});
		expect((await verdict).allowed).toBe(false);
		expect(queue.audited).toHaveLength(1);
	});

	test('to what never was are told so', async () => {
		await using queue = createTestQueue();
		expect(await queue.approvals.settle(99, once, by)).toEqual({settled: false});
	});

	test.for([
		{what: 'a scope that is not offered', answer: {...once, scope: 'always'}, says: 'not offered'},
		{what: 'no name', answer: {choice: 'allow', scope: 'once'}, says: 'must be typed'},
		{what: 'another name', answer: {...once, typedName: 'Create_issue'}, says: 'must be typed'},
		{what: 'a filled-in form', answer: {choice: 'submit', content: {}}, says: 'it is a call'},
		{what: 'an argument that is not there', answer: {...forRun, args: ['x']}, says: 'no argument'},
		{what: 'no argument at all', answer: {...forRun, args: []}, says: '1 to 20'},
	] as const)(
		'"approval_invalid": $what is refused, and the call waits on',
		async ({answer, says}) => {
			await using queue = createTestQueue();
			const {id} = await queue.ask(makeCall());

			await expect(queue.approvals.settle(id, answer, by)).rejects.toMatchObject({
				code: 'approval_invalid',
				message: expect.stringContaining(says),
			});
			expect(queue.approvals.waiting()).toHaveLength(1);
		},
	);

	test('"w extends": the deadline moves, at most to the end of the run, and everybody is told', async () => {
		await using queue = createTestQueue();
		const {verdict, id} = await queue.ask(makeCall());

		expect(queue.approvals.extend(id)?.deadline).toBe(startMs + 600_000);
		queue.clock.advance(599_999);
		expect(queue.approvals.extend(id)?.deadline).toBe(startMs + 895_000);
		expect(queue.state().approvals).toMatchObject([{id, deadline: startMs + 895_000}]);
		queue.clock.advance(300_001);
		expect(await verdict).toEqual({
			allowed: false,
			reason: 'approval_timeout: nobody agreed within 895 seconds',
		});
		expect(queue.approvals.extend(id)).toBeUndefined();
	});
});

describe('one call', () => {
	test('is asked about once: the same call joins the request, and later the verdict', async () => {
		await using queue = createTestQueue();
		const call = makeCall();
		const {verdict, id} = await queue.ask(call);
		const joined = queue.approvals.request({...call});
		await settleTurn();
		expect(queue.approvals.waiting()).toHaveLength(1);

		await queue.approvals.settle(id, once, by);
		expect(await joined).toEqual(await verdict);
		expect((await queue.approvals.request({...call})).allowed).toBe(true);
		expect(queue.audited).toHaveLength(1);
	});

	test.for([
		{what: 'other arguments', other: {args: {title: 'Something else'}}},
		{what: 'another tool', other: {tool: makeAsked({tool: 'delete_repo'})}},
		{what: 'another definition', other: {tool: makeAsked({definition: 'd2'})}},
		{what: 'another run', other: {run: makeAskingRun({id: 185})}},
	])('with $what is another call, whatever its identifier', async ({other}) => {
		await using queue = createTestQueue();
		const call = makeCall();
		const {id} = await queue.ask(call);
		await queue.approvals.settle(id, once, by);

		await queue.ask({...call, ...other});
		expect(queue.approvals.waiting()).toHaveLength(1);
	});

	test('is forgotten with its run', async () => {
		await using queue = createTestQueue();
		const call = makeCall();
		const {id} = await queue.ask(call);
		await queue.approvals.settle(id, once, by);
		queue.approvals.runEnded(184);

		await queue.ask(call);
		expect(queue.approvals.waiting()).toHaveLength(1);
	});
});

test('a call that comes when its run was given up already is not what the next try of the run is told', async () => {
	await using queue = createTestQueue();
	const call = makeCall();
	queue.approvals.runEnded(184);
	const late = await queue.approvals.request({...call, signal: AbortSignal.abort()});
	expect(late).toMatchObject({allowed: false});

	await queue.ask(call);
	expect(queue.approvals.waiting()).toHaveLength(1);
});

describe('a rule', () => {
	test('is kept before the call may run, and answers the next call', async () => {
		await using queue = createTestQueue();
		const {verdict, id} = await queue.ask(makeCall());
		await queue.approvals.settle(id, forRun, by);

		expect(await verdict).toEqual({allowed: true, reason: `allowed by ${by}`, rule: 1});
		expect(queue.memory.rules.get(1)).toMatchObject({scope: 'run', run: 184, createdBy: by});
		expect(await queue.approvals.request(makeCall())).toEqual({
			allowed: true,
			reason: 'allowed by rule 1',
			rule: 1,
		});
		expect(queue.state().approvalRules).toMatchObject([{id: 1, uses: 1}]);
		expect(queue.state().settledApprovals.at(-1)?.decision).toMatchObject({
			outcome: 'allowed',
			by: 'rule 1',
			rule: 1,
		});
	});

	test('does not allow what has no sandbox: every call asks, and no answer makes a rule for it', async () => {
		await using queue = createTestQueue();
		const inside = makeAsked({from: {kind: 'built-in'}, tool: 'terminal', name: 'terminal'});
		const outside = {...inside, why: 'no sandbox works here: bubblewrap is not on PATH'};
		const first = await queue.ask(makeCall({tool: inside}));
		const open = await queue.ask(makeCall({tool: outside}));
		await queue.approvals.settle(first.id, {...forRun, typedName: 'terminal'}, by);
		expect((await queue.approvals.request(makeCall({tool: inside}))).rule).toBe(1);

		const later = await queue.ask(makeCall({tool: outside}));
		expect(queue.approvals.waiting().map(({id}) => id)).toEqual([open.id, later.id]);
		for (const scope of ['run', 'process', 'always'] as const) {
			// oxlint-disable-next-line no-await-in-loop -- each is refused
			await expect(
				queue.approvals.settle(later.id, {choice: 'allow', scope, typedName: 'terminal'}, by),
			).rejects.toMatchObject({code: 'approval_invalid'});
		}
	});

	test('"when it cannot be stored the call is allowed once and that is said"', async () => {
		await using queue = createTestQueue();
		queue.memory.failing.rule = true;
		const {verdict, id} = await queue.ask(makeCall());

		expect(await queue.approvals.settle(id, forRun, by)).toMatchObject({
			settled: true,
			approval: {decision: {outcome: 'allowed', scope: 'once'}},
		});
		expect(await verdict).toEqual({allowed: true, reason: `allowed by ${by}`});
		expect(queue.approvals.rules()).toEqual([]);
		expect(queue.logs.filter(({level}) => level === 'error')).toMatchObject([
			{message: 'Allowed once: the approval rule cannot be kept'},
		]);
		await queue.ask(makeCall());
		expect(queue.approvals.waiting()).toHaveLength(1);
	});

	test('that an answer makes also covers what waits already', async () => {
		await using queue = createTestQueue();
		const first = await queue.ask(makeCall());
		const second = await queue.ask(makeCall({args: {title: 'other'}}));
		const elsewhere = await queue.ask(makeCall({run: makeAskingRun({id: 185})}));
		await queue.approvals.settle(first.id, forRun, by);

		expect((await second.verdict).reason).toBe('allowed by rule 1');
		expect(queue.approvals.waiting().map(({id}) => id)).toEqual([elsewhere.id]);
	});

	test('"run rules end with the run"', async () => {
		await using queue = createTestQueue();
		const {id} = await queue.ask(makeCall());
		await queue.approvals.settle(id, forRun, by);
		queue.approvals.runEnded(184);
		await settleTurn();

		expect(queue.approvals.rules()).toEqual([]);
		expect(queue.memory.rules.size).toBe(0);
		await queue.ask(makeCall());
		expect(queue.approvals.waiting()).toHaveLength(1);
	});

	test('of a run that ends while it is being kept does not stay, and the call is denied', async () => {
		await using queue = createTestQueue();
		const {verdict, id} = await queue.ask(makeCall());
		const settled = queue.approvals.settle(id, forRun, by);
		queue.approvals.runEnded(184);
		await settled;

		expect((await verdict).allowed).toBe(false);
		await settleTurn();
		expect(queue.approvals.rules()).toEqual([]);
		expect(queue.memory.rules.size).toBe(0);
	});

	test('"revocable": it ends at once, also when the disk fails', async () => {
		const memory = createMemoryKeeper();
		await using queue = knownQueue({memory});
		const {id} = await queue.ask(makeCall({run: attended}));
		await queue.approvals.settle(id, {...once, scope: 'process'}, by);
		memory.failing.removeRules = true;

		await expect(queue.approvals.revoke(1)).rejects.toThrow('disk full');
		expect(queue.approvals.rules()).toEqual([]);
		expect(await queue.approvals.revoke(1)).toBe(false);
		await queue.ask(makeCall({run: attended}));
		expect(queue.approvals.waiting()).toHaveLength(1);
	});

	test('that was kept before holds from the start, until it expires', async () => {
		const kept: ApprovalRule = {
			id: 3,
			profile: 'default',
			server: 'github-tools',
			tool: 'create_issue',
			endpoint: 'e1',
			definition: 'd1',
			scope: 'always',
			createdAt: startMs - 1000,
			createdBy: by,
			expiresAt: startMs + 1000,
			uses: 2,
		};
		await using queue = createTestQueue({rules: [kept]});
		expect((await queue.approvals.request(makeCall())).reason).toBe('allowed by rule 3');
		queue.clock.advance(1000);
		await queue.ask(makeCall());
		expect(queue.approvals.waiting()).toHaveLength(1);
		expect(queue.approvals.rules()).toEqual([]);
	});
});

describe('a tool that changes', () => {
	const change = {profile: 'default', server: 'github-tools'};
	const changedTo = (definition: string) => ({
		...change,
		definitions: new Map([['create_issue', definition]]),
	});

	test('voids what waits for it and its rules, asks again and says that it changed', async () => {
		await using queue = knownQueue();
		const kept = await queue.ask(makeCall({run: attended}));
		await queue.approvals.settle(kept.id, {...once, scope: 'process'}, by);
		const waiting = await queue.ask(makeCall({tool: makeAsked({server: 'other'})}));
		queue.approvals.toolsChanged(changedTo('d2'));

		expect(queue.approvals.rules()).toEqual([]);
		expect(queue.approvals.waiting()).toMatchObject([{id: waiting.id}]);
		await queue.ask(makeCall({tool: makeAsked({definition: 'd2'}), run: attended}));
		expect(queue.approvals.waiting().at(-1)).toMatchObject({
			tool: {changed: true},
			mustTypeName: true,
			scopes: ['once', 'run'],
			lastArgs: {title: 'Flaky test'},
		});
	});

	test('denies what waits, and what a run that started before still asks for', async () => {
		await using queue = createTestQueue();
		const {verdict} = await queue.ask(makeCall());
		queue.approvals.toolsChanged(changedTo('d2'));

		expect((await verdict).reason).toMatch(/^approval_void/);
		expect((await queue.approvals.request(makeCall())).reason).toMatch(/^approval_void/);
		expect(queue.state().settledApprovals.map(({decision}) => decision?.outcome)).toEqual([
			'void',
			'void',
		]);
	});

	test('of a server that is somewhere else now is denied, and its rules are void, though the tool looks the same', async () => {
		await using queue = knownQueue();
		const kept = await queue.ask(makeCall({run: attended}));
		await queue.approvals.settle(kept.id, {...once, scope: 'process'}, by);
		const {verdict} = await queue.ask(makeCall({tool: makeAsked({endpoint: 'e2'})}));
		queue.approvals.toolsChanged({...changedTo('d1'), endpoint: 'e3'});

		expect((await verdict).reason).toMatch(/^approval_void/);
		expect(queue.approvals.rules()).toEqual([]);
		expect((await queue.approvals.request(makeCall({callId: 'c9'}))).reason).toMatch(
			/^approval_void/,
		);
	});

	test('whose server goes away is denied, forms of that server too', async () => {
		await using queue = createTestQueue();
		const {verdict} = await queue.ask(makeCall());
		const form = queue.approvals.elicit(makeForm());
		await settleTurn();
		queue.approvals.toolsChanged({...change, profile: 'work'});
		expect(queue.approvals.waiting()).toHaveLength(2);
		queue.approvals.toolsChanged(change);

		expect((await verdict).reason).toBe('approval_void: the tool server is gone');
		expect(await form).toEqual({action: 'cancel'});
	});
});

describe('a request that another gateway has settled in the store before', () => {
	const asSettledBefore = () => {
		const memory = createMemoryKeeper();
		const {keeper} = memory;
		const decision = {outcome: 'shutdown', at: startMs, by: 'gateway'} as const;
		const settle: typeof keeper.settle = async approval => keeper.settle({...approval, decision});
		return createTestQueue({memory: {...memory, keeper: {...keeper, settle}}});
	};

	test('is denied as it was kept, and makes no rule, whatever is answered here', async () => {
		await using queue = asSettledBefore();
		queue.memory.allowBefore(makeAsked(), {title: 'before'});
		const {verdict, id} = await queue.ask(makeCall());
		expect(await queue.approvals.settle(id, forRun, by)).toMatchObject({
			settled: false,
			approval: {decision: {outcome: 'shutdown', by: 'gateway'}},
		});
		expect(await verdict).toMatchObject({allowed: false});
		expect(queue.approvals.rules()).toEqual([]);
		expect(queue.allowed).toEqual([]);
		expect(queue.state().settledApprovals).toMatchObject([{id, decision: {outcome: 'shutdown'}}]);
	});

	test('gives nothing of a form that was filled in here', async () => {
		await using queue = asSettledBefore();
		const form = queue.approvals.elicit(makeForm());
		await settleTurn();
		const id = queue.approvals.waiting()[0]?.id ?? 0;
		const content = {name: 'Alice', pin: '4711'};
		await queue.approvals.settle(id, {choice: 'submit', content}, by);
		expect(await form).toEqual({action: 'cancel'});
	});
});

describe('a form', () => {
	test('goes to whoever asked for it and nowhere else', async () => {
		await using queue = createTestQueue();
		const form = queue.approvals.elicit(makeForm());
		await settleTurn();
		const id = queue.approvals.waiting()[0]?.id ?? 0;
		const content = {name: 'Alice Liddell', pin: '4711-secret'};
		await queue.approvals.settle(id, {choice: 'submit', content}, by);

		expect(await form).toEqual({action: 'accept', content});
		const everything = JSON.stringify([
			queue.events,
			queue.logs,
			queue.audited,
			[...queue.memory.approvals],
		]);
		expect(everything).not.toContain('4711');
		expect(everything).not.toContain('Alice');
	});

	test('shows nobody what a masked field holds at first', async () => {
		await using queue = createTestQueue();
		const {fields} = makeForm();
		void queue.approvals.elicit(
			makeForm({fields: fields.map(field => ({...field, initial: 'hunter2'}))}),
		);
		await settleTurn();

		expect(queue.approvals.waiting()[0]).toMatchObject({
			fields: [{key: 'name', initial: 'hunter2'}, {key: 'pin'}],
		});
		expect(JSON.stringify(queue.events).match(/hunter2/g)).toHaveLength(1);
	});

	test('that a person denies is declined; unanswered it is cancelled', async () => {
		await using queue = createTestQueue();
		const declined = queue.approvals.elicit(makeForm());
		await settleTurn();
		await queue.approvals.settle(queue.approvals.waiting()[0]?.id ?? 0, {choice: 'deny'}, by);
		const late = queue.approvals.elicit(makeForm({timeoutMs: 1000}));
		await settleTurn();
		queue.clock.advance(1000);

		expect(await declined).toEqual({action: 'decline'});
		expect(await late).toEqual({action: 'cancel'});
	});

	test.for([
		{what: 'a yes', answer: once, says: 'it is a form'},
		{
			what: 'a missing field',
			answer: {choice: 'submit', content: {pin: '4711'}},
			says: 'field "Name" must be filled in',
		},
		{
			what: 'a field that is not there',
			answer: {choice: 'submit', content: {name: 'x', pim: '4711'}},
			says: 'no field of a name',
		},
	] as const)('does not take $what, and repeats no value', async ({answer, says}) => {
		await using queue = createTestQueue();
		void queue.approvals.elicit(makeForm());
		await settleTurn();
		const refused = queue.approvals.settle(queue.approvals.waiting()[0]?.id ?? 0, answer, by);

		await expect(refused).rejects.toMatchObject({
			code: 'approval_invalid',
			message: expect.stringContaining(says),
		});
		await expect(refused).rejects.not.toThrow('4711');
		expect(queue.approvals.waiting()).toHaveLength(1);
	});
});

test('"a log warning each minute" while something waits, and none without', async () => {
	await using queue = createTestQueue();
	queue.clock.advance(120_000);
	expect(queue.logs).toEqual([]);
	await queue.ask(makeCall());
	queue.clock.advance(60_000);
	await settleTurn();
	queue.clock.advance(60_000);

	expect(queue.logs.map(({level, message}) => [level, message.split(':')[0]])).toEqual([
		['warn', 'Call of "create_issue" waits for an approval'],
		['warn', 'Calls or forms wait for a person'],
		['warn', 'Calls or forms wait for a person'],
	]);
});

test('the log has a record of each decision: whose, about which tool, of which run', async () => {
	await using queue = createTestQueue();
	const logged = () =>
		queue.logs.flatMap(({level, message, fields}) =>
			/ (?:allowed|denied) by /.test(message) ? [[level, message, fields]] : [],
		);
	const first = await queue.ask(makeCall());
	await queue.approvals.settle(first.id, forRun, by);
	const second = await queue.ask(makeCall({run: makeAskingRun({id: 185})}));
	await queue.approvals.settle(second.id, {choice: 'deny', reason: 'not now'}, by);
	// The rule of the first lets this through: nobody is asked, and nobody has to know.
	await queue.approvals.request(makeCall());
	await queue.ask(makeCall({run: makeAskingRun({id: 186})}));
	queue.clock.advance(3_600_000);
	await settleTurn();

	const facts = {server: 'github-tools'};
	expect(logged()).toMatchObject([
		['note', `Call of "create_issue" allowed by ${by}`, {...facts, run: 184, scope: 'run'}],
		[
			'note',
			`Call of "create_issue" denied by ${by}`,
			{...facts, run: 185, reason: 'approval_denied: not now'},
		],
		['info', expect.stringMatching(/^Call of "create_issue" allowed by rule \d+/), facts],
		['note', 'Call of "create_issue" denied by deadline', {...facts, run: 186}],
	]);
});

test('arguments are shown as they are, and histories have none above 64 KiB', async () => {
	await using queue = createTestQueue();
	const args = {text: 'x'.repeat(70_000), hidden: '\u202e'};
	const {id} = await queue.ask(makeCall({args}));
	expect(queue.approvals.waiting()[0]).toMatchObject({args, argsBytes: 70_026});
	await queue.approvals.settle(id, once, by);

	expect(queue.state().settledApprovals).toMatchObject([{id, args: null, argsBytes: 70_026}]);
	expect(queue.audited).toMatchObject([{id, args}]);
});
