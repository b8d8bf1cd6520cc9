import {expect, test} from 'vitest';
import {SvcError} from '../../../source/core/errors.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {DeliveryError} from '../../../source/platforms/delivery-error.ts';
import type {FakeClock} from '../../helpers/fake-clock.ts';
import {fireRun, sampleJob, samplePlan, startMs} from '../../store/samples.ts';
import {answer, openWork, unreachable} from './work-fixture.ts';

const statesOf = (events: readonly GatewayEvent[]) =>
	events.flatMap(event => (event.type === 'run-changed' ? [event.run.state] : []));

test('an answer that was withheld from its target says where it is', async () => {
	await using fixture = await openWork({
		deliver: async () => ({summary: 'gateway log instead', withheld: true}),
	});
	await fixture.accept({target: {kind: 'forge_comment', extra: {}}});
	expect(await fixture.work()).toMatchObject({
		state: 'done',
		target: 'log',
		plan: {target: {kind: 'forge_comment'}},
	});
});

test('"the rendered prompt is the user message, unchanged" and the answer goes to its target', async () => {
	await using work = await openWork();
	await work.accept({prompt: 'Look at {this}'});
	expect(await work.work()).toMatchObject({state: 'done', fullAnswer: 'Looks good'});
	expect(work.requests).toMatchObject([{runId: 1, prompt: 'Look at {this}', maxSteps: 5}]);
	expect(work.messages).toMatchObject([{text: 'Looks good', target: samplePlan.target, runId: 1}]);
	expect(statesOf(work.events)).toEqual(['running', 'delivering', 'done']);
});

test('"agent answers that are exactly [SILENT] are not delivered"', async () => {
	await using work = await openWork({agent: async () => answer('[SILENT]')});
	await work.accept();
	expect((await work.work())?.state).toBe('silent');
	expect(work.messages).toEqual([]);
});

test('a failure that may pass is tried again until the tries are used up, then the run has failed', async () => {
	await using work = await openWork({
		agent: async () => {
			throw unreachable();
		},
	});
	await work.accept();
	expect(await work.work()).toMatchObject({state: 'queued', nextAttemptAt: startMs + 1000});
	work.clock.advance(1000);
	expect(await work.work()).toMatchObject({state: 'queued', nextAttemptAt: startMs + 3000});
	work.clock.advance(2000);
	expect(await work.work()).toMatchObject({state: 'failed', error: 'Cannot reach the model'});
	expect(work.requests).toHaveLength(3);
});

test('a failure that will not pass is not tried again, and holds no secret', async () => {
	await using work = await openWork({
		agent: async () => {
			throw new SvcError('model_refused', 'Cannot use key hunter2\u001B[31m');
		},
	});
	await work.accept();
	const run = await work.work();
	expect(run).toMatchObject({state: 'failed', attempt: 1});
	expect(run?.error).toContain('[redacted]');
	expect(run?.error).not.toContain('\u001B');
	expect(JSON.stringify(run?.transcript)).not.toContain('hunter2');
});

test('"a delivery that fails is retried, then dead": the agent does not run again', async () => {
	await using work = await openWork({
		deliver: async () => {
			throw new DeliveryError('delivery_busy', 'Cannot post now');
		},
	});
	await work.accept();
	expect(await work.work()).toMatchObject({state: 'delivering', nextAttemptAt: startMs + 1000});
	work.clock.advance(1000);
	expect(await work.work()).toMatchObject({state: 'dead', error: 'Cannot post now'});
	expect(work.requests).toHaveLength(1);
	expect(work.messages.map(({text}) => text)).toEqual(['Looks good', 'Looks good']);
});

test('a target that refuses for good is not asked twice', async () => {
	await using work = await openWork({
		deliver: async () => {
			throw new SvcError('forge_forbidden', 'Cannot post here');
		},
	});
	await work.accept();
	expect((await work.work())?.state).toBe('dead');
	expect(work.messages).toHaveLength(1);
});

test('a run that a person cancels while the agent works is cancelled', async () => {
	await using work = await openWork({
		agent: async ({signal}) => {
			work.controller.abort('cancelled');
			signal.throwIfAborted();
			return answer('late');
		},
	});
	await work.accept();
	expect((await work.work())?.state).toBe('cancelled');
	expect(work.messages).toEqual([]);
	expect(statesOf(work.events).at(-1)).toBe('cancelled');
});

test('a run that is stopped by the drain stays as it is for the next start', async () => {
	await using work = await openWork({
		agent: async ({signal}) => {
			work.controller.abort('stopping');
			signal.throwIfAborted();
			return answer('late');
		},
	});
	await work.accept();
	expect(await work.work()).toMatchObject({state: 'running', transcript: []});
});

test('a worker that lost its lease delivers nothing', async () => {
	await using work = await openWork({
		agent: async () => {
			// Somebody else has cancelled the run meanwhile: the lease is stale.
			await work.store.runs.cancel(1);
			return answer('late');
		},
	});
	await work.accept();
	expect((await work.work())?.state).toBe('cancelled');
	expect(work.messages).toEqual([]);
});

test('a worker that was stopped while it noted that it delivers has sent nothing when it goes on too late', async () => {
	await using work = await openWork({isHeld: () => false});
	await work.accept();
	await work.work();
	expect(work.messages).toEqual([]);
	expect(await work.store.runs.get(1)).toMatchObject({state: 'delivering'});
});

test('a tool that may change things is not started once the lease is lost', async () => {
	await using work = await openWork({
		agent: async ({beforeSideEffect}) => {
			await work.store.runs.cancel(1);
			await beforeSideEffect();
			return answer('late');
		},
	});
	await work.accept();
	expect((await work.work())?.state).toBe('cancelled');
	expect(work.messages).toEqual([]);
});

const journalFails = async () =>
	Promise.reject(new SvcError('journal_unavailable', 'Cannot write to the journal: disk full'));

test.for(['markSideEffect'] as const)(
	'a journal that fails at "%s" fails no run: it is taken up again when its lease has run out',
	async name => {
		let isBroken = true;
		await using work = await openWork({
			runs: () => (isBroken ? {[name]: journalFails} : {}),
			agent: async ({beforeSideEffect}) => {
				await beforeSideEffect();
				return answer('Looks good');
			},
		});
		await work.accept();
		expect(await work.work()).toMatchObject({state: 'running', attempt: 1});
		expect(work.messages).toEqual([]);
		isBroken = false;
		work.clock.advance(60_000);
		expect(await work.store.runs.nextDue()).toBe(startMs + 60_000);
	},
);

/** Moves the clock on while `work` waits for it. */
async function passTime(clock: FakeClock, work: Promise<unknown>): Promise<void> {
	const state = {isDone: false};
	void work.finally(() => {
		state.isDone = true;
	});
	for (let seconds = 0; seconds < 100 && !state.isDone; seconds++) {
		await new Promise(resolve => {
			setImmediate(resolve);
		});
		clock.advance(1000);
	}
}

test.for(['answer', 'markDeliveryStarted', 'settle'] as const)(
	'what came out is known: "%s" is written again until the journal takes it, and nothing is posted twice',
	async name => {
		let failures = 3;
		await using work = await openWork({
			runs: store => ({
				async [name](...args: [never, never]) {
					failures--;
					return failures >= 0 ? journalFails() : store.runs[name](...args);
				},
			}),
		});
		await work.accept();
		const working = work.work();
		await passTime(work.clock, working);

		expect(await working).toMatchObject({state: 'done', attempt: 1, deliveryAttempt: 1});
		expect(work.requests).toHaveLength(1);
		expect(work.messages).toHaveLength(1);
	},
);

test('an answer that was delivered and could not be settled before the end is not posted again by itself', async () => {
	await using work = await openWork({
		runs: () => ({
			async settle() {
				work.controller.abort('stopping');
				return journalFails();
			},
		}),
	});
	await work.accept();
	expect(await work.work()).toMatchObject({state: 'delivering'});
	work.clock.advance(60_000);
	await work.store.runs.lease(1, 1000);
	expect(await work.store.runs.get(1)).toMatchObject({state: 'uncertain'});
	expect(work.messages).toHaveLength(1);
});

test.for([
	['delivery_uncertain', 'uncertain', [1]],
	['target_invalid', 'dead', []],
] as const)(
	'of answers that fail, those that may have arrived count towards a loop: %s',
	async ([code, state, counted]) => {
		await using work = await openWork({
			async deliver() {
				throw new DeliveryError(code, 'Cannot deliver');
			},
		});
		await work.accept({target: {kind: 'forge_comment', extra: {}}});
		expect(await work.work()).toMatchObject({state});
		expect(work.answered).toEqual(counted);
	},
);

test('what happens is in the transcript and told while it happens', async () => {
	await using work = await openWork({
		agent: async ({onEntry}) => {
			onEntry({at: startMs, kind: 'text', text: 'Thinking\u001B[2J'});
			return answer('Looks good');
		},
	});
	await work.accept();
	const run = await work.work();
	expect(run?.transcript.map(({kind}) => kind)).toEqual(['text', 'delivery']);
	const told = work.events.flatMap(event => (event.type === 'run-progressed' ? [event.entry] : []));
	expect(told.map(({kind}) => kind)).toEqual(['text', 'delivery']);
	expect(told[0]?.text).not.toContain('\u001B');
});

test('"unless a tool without readOnlyHint had started": a failure that may pass then waits for a person', async () => {
	await using work = await openWork({
		agent: async request => {
			await request.beforeSideEffect();
			throw unreachable();
		},
	});
	await work.accept();

	expect(await work.work()).toMatchObject({state: 'interrupted', error: 'Cannot reach the model'});
});

test('a failure for good stays a failure, also after such a tool', async () => {
	await using work = await openWork({
		agent: async request => {
			await request.beforeSideEffect();
			throw new SvcError('step_limit', 'Too many steps');
		},
	});
	await work.accept();

	expect(await work.work()).toMatchObject({state: 'failed', error: 'Too many steps'});
});

test('a target that cannot be delivered to is known before the agent is asked', async () => {
	await using work = await openWork({problem: 'platform "email" is not enabled'});
	await work.accept();

	expect(await work.work()).toMatchObject({
		state: 'failed',
		error: 'platform "email" is not enabled',
	});
	expect(work.requests).toEqual([]);
	expect(work.messages).toEqual([]);
});

test('a stop just before the hand-over leaves the answer to be delivered by the next start', async () => {
	await using work = await openWork({
		agent: async () => {
			work.controller.abort('stopping');
			return answer('Looks good');
		},
	});
	await work.accept();

	expect(await work.work()).toMatchObject({state: 'delivering', deliveryAttempt: 0});
	expect(work.messages).toEqual([]);
});

test("a job's run names its job where its answer goes, and knows no delivery", async () => {
	await using work = await openWork();
	await fireRun(work.store, {plan: {...samplePlan, model: 'gpt-9'}});
	expect(await work.work()).toMatchObject({state: 'done', route: '-'});
	const {id, name} = sampleJob;
	expect(work.messages).toMatchObject([{job: {id, name}, route: '-', event: 'person'}]);
	expect(work.messages[0]).not.toHaveProperty('delivery');
	expect(work.requests).toMatchObject([{model: 'gpt-9'}]);
	expect(work.kept).toEqual([[1, 'Looks good']]);
});

test('an answer is kept even though it cannot be delivered, one that is silent is not', async () => {
	await using failing = await openWork({
		deliver: async () => {
			throw new SvcError('smtp_rejected', 'Cannot post: the target is gone');
		},
	});
	await fireRun(failing.store);
	expect(await failing.work()).toMatchObject({state: 'dead'});
	expect(failing.kept).toEqual([[1, 'Looks good']]);

	await using silent = await openWork({agent: async () => answer('[SILENT]')});
	await fireRun(silent.store);
	await silent.work();
	expect(silent.kept).toEqual([]);
});

test('the tokens of all tries of a run are counted, also of those that failed', async () => {
	await using work = await openWork({
		async agent({onWork}) {
			onWork({model: 'gpt-test', toolCalls: 1, usage: {inputTokens: 10, outputTokens: 5}});
			if (work.requests.length === 1) {
				throw unreachable();
			}

			onWork({model: 'gpt-test', toolCalls: 2, usage: {inputTokens: 30, outputTokens: 6}});
			return answer('Looks good');
		},
	});
	const id = await work.accept();
	await work.work();
	expect(await work.store.runs.view(id)).toMatchObject({
		state: 'queued',
		model: 'gpt-test',
		usage: {inputTokens: 10, outputTokens: 5},
	});
	work.clock.advance(60_000);
	await work.work();

	expect(await work.store.runs.view(id)).toMatchObject({
		state: 'done',
		usage: {inputTokens: 40, outputTokens: 11},
	});
});

test('a run that must await a login gives its place back before the agent is asked, and says once what it waits for', async () => {
	await using work = await openWork({logins: ['linear', 'my crm']});
	await work.accept({toolsets: ['mcp-linear', 'mcp-my crm']});
	const text =
		'Waits for a login to tool servers "linear", "my crm", 1 s at most: svc mcp login linear, svc mcp login \'my crm\'';
	const run = await work.work();
	expect(run).toMatchObject({state: 'queued', attempt: 0, awaitsLogins: ['linear', 'my crm']});
	expect(work.awaited, 'a login that came just now is not missed').toEqual([
		'default linear my crm',
	]);
	expect(work.requests).toEqual([]);

	await work.store.runs.release('all');
	expect(await work.work()).toMatchObject({awaitsLogins: ['linear', 'my crm']});
	await work.store.runs.retry(1);
	const {state, transcript = []} = (await work.work()) ?? {};
	expect(state, 'a person who asks for it wants it to go on').toBe('done');
	expect(transcript.filter(({kind}) => kind === 'note').map(entry => entry.text)).toEqual([
		text,
		'Goes on without a login to tool server "linear"',
		'Goes on without a login to tool server "my crm"',
	]);
});

test.for(['before', 'while'] as const)(
	'a run that is cancelled %s it begins to await a login is cancelled',
	async moment => {
		await using work = await openWork({
			logins: ['linear'],
			runs: store => ({
				async settle(lease, settlement) {
					const settled = await store.runs.settle(lease, settlement);
					work.controller.abort('cancelled');
					return settled;
				},
			}),
		});
		if (moment === 'before') {
			work.controller.abort('cancelled');
		}

		await work.accept();
		const run = await work.work();
		expect(run?.state).toBe('cancelled');
		expect(run?.awaitsLogins).toBeUndefined();
	},
);
