import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {rulesFor} from '../../source/approvals/rules.ts';
import type {Approval, ApprovalRule} from '../../source/core/approval.ts';
import {codeOf} from '../../source/core/errors.ts';
import {type Origin, originOf} from '../../source/core/origin.ts';
import {toolFrom, type Verdict} from '../../source/core/tool.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {createTestQueue, makeAsked, makeAskingRun, makeCall, settleTurn} from './queue-fixture.ts';

type Step =
	| {
			readonly do: 'request';
			readonly call: number;
			readonly run: number;
			readonly tool: number;
			readonly definition: number;
	  }
	| {
			readonly do: 'allow';
			readonly which: number;
			readonly scope: 'once' | 'run' | 'process' | 'always';
	  }
	| {readonly do: 'deny'; readonly which: number}
	| {readonly do: 'wait'; readonly ms: number}
	| {readonly do: 'abort'; readonly run: number}
	| {readonly do: 'end'; readonly run: number}
	| {readonly do: 'change'; readonly tool: number; readonly definition: number}
	| {readonly do: 'gone'}
	| {readonly do: 'revoke'; readonly which: number}
	| {readonly do: 'fail'; readonly what: 'add' | 'settle' | 'rule'; readonly fails: boolean}
	| {readonly do: 'turn'};

const small = fc.nat({max: 2});
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant('request' as const),
			call: small,
			run: small,
			tool: small,
			definition: small,
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant('allow' as const),
			which: small,
			scope: fc.constantFrom(
				'once' as const,
				'run' as const,
				'process' as const,
				'always' as const,
			),
		}),
	},
	fc.record({do: fc.constant('deny' as const), which: small}),
	fc.record({do: fc.constant('wait' as const), ms: fc.constantFrom(1000, 300_000)}),
	fc.record({do: fc.constant('abort' as const), run: small}),
	fc.record({do: fc.constant('end' as const), run: small}),
	fc.record({do: fc.constant('change' as const), tool: small, definition: small}),
	fc.record({do: fc.constant('gone' as const)}),
	fc.record({do: fc.constant('revoke' as const), which: small}),
	fc.record({
		do: fc.constant('fail' as const),
		what: fc.constantFrom('add' as const, 'settle' as const, 'rule' as const),
		fails: fc.boolean(),
	}),
	{weight: 4, arbitrary: fc.record({do: fc.constant('turn' as const)})},
);

const origins: readonly Origin[] = [
	{kind: 'delivery', route: 'gh-review', delivery: 'abc123'},
	{kind: 'job', job: {id: 'job_1', name: 'nightly'}},
	{kind: 'person'},
];

const decisionsOf = (settled: readonly Approval[], id: number) =>
	settled.filter(approval => approval.id === id);

test('whatever happens in whatever order, no call is allowed without an explicit yes or a rule that holds, and each request is settled once', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, {maxLength: 40}), async steps => {
			const queue = createTestQueue();
			const {approvals, clock, memory} = queue;
			const controllers = origins.map(() => new AbortController());
			const asked: Array<{readonly key: string; readonly verdict: Promise<Verdict>}> = [];
			/** By number: what a person said yes to, in the words of the answer. */
			const yeses = new Set<number>();
			/** What `settle` took though it was not offered, and the codes with which it took nothing. */
			const accepted: unknown[] = [];
			const refused: string[] = [];
			/** Every rule that ever held, with the calls that it may allow. */
			const rules = new Map<number, ApprovalRule>();

			for (const one of steps) {
				switch (one.do) {
					case 'request': {
						const call = makeCall({
							tool: makeAsked({tool: `tool-${one.tool}`, definition: `d${one.definition}`}),
							callId: `call-${one.call}`,
							run: makeAskingRun({
								id: one.run,
								origin: origins[one.run] ?? {kind: 'person'},
								endsAt: clock.now() + 900_000,
							}),
							signal: (controllers[one.run] ?? new AbortController()).signal,
						});
						asked.push({key: JSON.stringify(one), verdict: approvals.request(call)});
						break;
					}

					case 'allow': {
						const waiting = approvals.waiting()[one.which];
						if (waiting?.kind === 'tool') {
							const typedName = waiting.tool.tool;
							const answer = {choice: 'allow', scope: one.scope, typedName} as const;
							const offered = waiting.scopes.includes(one.scope);
							approvals.settle(waiting.id, answer, 'x').then(
								() => offered || accepted.push(answer),
								(error: unknown) => refused.push(codeOf(error)),
							);
							yeses.add(offered ? waiting.id : 0);
						}

						break;
					}

					case 'deny': {
						const waiting = approvals.waiting()[one.which];
						if (waiting) {
							void approvals.settle(waiting.id, {choice: 'deny'}, 'x');
						}

						break;
					}

					case 'wait':
						clock.advance(one.ms);
						break;

					case 'abort':
						controllers[one.run]?.abort();
						break;

					case 'end':
						approvals.runEnded(one.run);
						controllers[one.run] = new AbortController();
						break;

					case 'change':
						approvals.toolsChanged({
							profile: 'default',
							server: 'github-tools',
							definitions: new Map([[`tool-${one.tool}`, `d${one.definition}`]]),
						});
						break;

					case 'gone':
						approvals.toolsChanged({profile: 'default', server: 'github-tools'});
						break;

					case 'revoke': {
						const rule = approvals.rules()[one.which];
						void (rule && approvals.revoke(rule.id));
						break;
					}

					case 'fail':
						memory.failing[one.what] = one.fails;
						break;

					case 'turn':
						// oxlint-disable-next-line no-await-in-loop -- steps follow each other
						await settleTurn();
						break;
				}

				for (const rule of approvals.rules()) {
					rules.set(rule.id, rule);
				}

				expect(approvals.waiting().length).toBeLessThanOrEqual(200);
			}

			await settleTurn();
			for (const event of queue.events) {
				if (event.type === 'approval-rules-changed') {
					for (const rule of event.rules) {
						rules.set(rule.id, rule);
					}
				}
			}

			await approvals[Symbol.asyncDispose]();
			const verdicts = await Promise.all(asked.map(({verdict}) => verdict));
			const requested = queue.events.flatMap(event =>
				event.type === 'approval-requested' ? [event.approval.id] : [],
			);
			const settled = queue.events.flatMap(event =>
				event.type === 'approval-settled' ? [event.approval] : [],
			);

			// Exactly one settlement each, also in the log.
			for (const id of requested) {
				expect(decisionsOf(settled, id)).toHaveLength(1);
			}

			expect(new Set(settled.map(({id}) => id)).size).toBe(settled.length);
			expect(queue.audited.map(({id}) => id)).toEqual(settled.map(({id}) => id));

			// Every yes is a person's, or that of a rule which fits.
			const unjustified = settled.filter(approval => {
				const {decision, run} = approval;
				if (approval.kind !== 'tool' || decision?.outcome !== 'allowed' || yeses.has(approval.id)) {
					return false;
				}

				const rule = rules.get(decision.rule ?? 0);
				const tool = {...approval.tool, from: toolFrom(approval.tool)};
				const call = {...approval, tool, run: {id: run ?? 0, origin: originOf(approval)}};
				return !rule || rulesFor(call, [rule], decision.at).length === 0;
			});
			expect(unjustified).toEqual([]);
			expect(accepted).toEqual([]);
			expect(refused.filter(code => code !== 'approval_invalid')).toEqual([]);

			// No more yeses were handed out than were recorded, the joined ones aside.
			const allowedCalls = new Set(
				asked.filter((_, index) => verdicts[index]?.allowed).map(({key}) => key),
			);
			const recorded = settled.filter(({decision}) => decision?.outcome === 'allowed');
			expect(allowedCalls.size).toBeLessThanOrEqual(recorded.length);
			expect(approvals.waiting()).toEqual([]);
		}),
		{numRuns: propertyRuns(150)},
	);
});
