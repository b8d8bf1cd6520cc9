import {describe, expect, test} from 'vitest';
import type {Approval, ToolApproval} from '../../source/core/approval.ts';
import {isDecidedBy, type NewRule} from '../../source/core/approvals/keeper.ts';
import type {Store} from '../../source/store/port.ts';
import {makeShownTool, makeFormApproval, makeToolApproval} from '../helpers/make-approval.ts';
import type {Use} from './contract.ts';
import {startMs} from './samples.ts';

const {id: _, ...newCall} = makeToolApproval();
const tool = {profile: 'default', server: 'github-tools', tool: 'create_issue'};

const allowed = (approval: Approval, at = startMs): Approval => ({
	...approval,
	decision: {outcome: 'allowed', at, by: 'cli (alice)', scope: 'once'},
});

const rule = (overrides: Partial<NewRule> = {}): NewRule => ({
	...tool,
	endpoint: 'e1',
	definition: 'd1',
	scope: 'always',
	createdAt: startMs,
	createdBy: 'cli (alice)',
	expiresAt: startMs + 1_000_000,
	...overrides,
});

/** A call that waits. */
const ask = async (store: Store, overrides: Partial<ToolApproval> = {}): Promise<ToolApproval> => {
	const call = {...newCall, ...overrides};
	return {...call, id: await store.approvals.add(call)};
};

/** What needed a person's yes, and the rules. */
export function describeApprovals(name: string, use: Use): void {
	describe(`${name}: approvals`, () => {
		test(
			'a request is kept while it waits, with its decision once it is settled',
			use(async store => {
				const call = await ask(store);
				expect(await store.approvals.get(call.id)).toEqual(call);
				expect(await store.approvals.settled({limit: 9})).toEqual([]);
				const waiting = [{approval: call, owner: store.owner}];
				expect(await store.approvals.waiting(9)).toEqual(waiting);
				expect(await ask(store)).toMatchObject({id: call.id + 1});
				expect(await store.approvals.waiting(1)).toEqual(waiting);

				const settled = allowed(call);
				expect(await store.approvals.settle(settled)).toEqual(settled);
				expect(await store.approvals.waiting(9)).toMatchObject([{approval: {id: call.id + 1}}]);
				expect(await store.approvals.get(call.id)).toEqual(settled);
				const {id: __, ...newForm} = makeFormApproval();
				const form = {...newForm, id: await store.approvals.add(newForm)};
				await store.approvals.settle(allowed(form));
				expect(await store.approvals.get(form.id)).toEqual(allowed(form));
				const denied = await ask(store);
				await store.approvals.settle({
					...denied,
					decision: {outcome: 'denied', at: startMs, by: 'deadline'},
				});
				expect((await store.approvals.settled({limit: 9})).map(({id}) => id)).toEqual([
					denied.id,
					form.id,
					call.id,
				]);
				expect(await store.approvals.settled({limit: 1})).toHaveLength(1);
				expect(await store.approvals.get(99)).toBeUndefined();
			}),
		);

		test(
			'the first decision wins; a later one is told how it was settled, and makes no rule',
			use(async store => {
				const call = await ask(store);
				const denied: Approval = {
					...call,
					decision: {outcome: 'denied', at: startMs + 1, by: 'cli (bob)'},
				};
				expect(await store.approvals.settle(denied)).toEqual(denied);
				const late = allowed(call);
				const kept = await store.approvals.settle(late, rule());
				expect(kept).toEqual(denied);
				expect(late.decision && isDecidedBy(kept, late.decision)).toBe(false);
				expect(denied.decision && isDecidedBy(kept, denied.decision)).toBe(true);
				expect(await store.approvals.get(call.id)).toEqual(denied);
				expect(await store.approvals.rules()).toEqual([]);
				expect(await store.approvals.lastAllowed(tool)).toBeUndefined();
			}),
		);

		test(
			'those of one profile are found behind newer ones of another',
			use(async store => {
				const theirs = allowed(await ask(store, {profile: 'acme'}));
				await store.approvals.settle(theirs);
				for (const call of [await ask(store), await ask(store)]) {
					// oxlint-disable-next-line no-await-in-loop -- settled in order
					await store.approvals.settle(allowed(call));
				}

				expect(await store.approvals.settled({profile: 'acme', limit: 1})).toEqual([theirs]);
				expect(await store.approvals.settled({profile: 'default', limit: 9})).toHaveLength(2);
			}),
		);

		test(
			'"After kill -9 nothing that waited is allowed": it is denied, and its number is given to nobody else',
			use(async (store, clock, home) => {
				const call = await ask(store);
				const settled = await ask(store);
				await store.approvals.settle(allowed(settled));
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);

				const denied = {
					...call,
					decision: {
						outcome: 'shutdown',
						at: clock.now(),
						by: 'gateway',
						reason: 'approval_shutdown: the gateway ended while it waited',
					},
				};
				expect(reopened.taken.denied).toEqual([denied]);
				expect(await reopened.approvals.settled({limit: 9})).toEqual([allowed(settled), denied]);
				const next = await ask(reopened);
				expect(next.id).toBe(settled.id + 1);
				await reopened.approvals.settle(allowed(next));
				await using again = await (await copy.crash()).open(clock);
				expect(again.taken.denied).toEqual([]);
			}),
		);

		test(
			'"Large arguments: bounded (64 KiB in history)"; those of the call before are not kept',
			use(async store => {
				const args = {text: 'x'.repeat(70_000)};
				const large = await ask(store, {args, argsBytes: 70_011, lastArgs: {text: 'y'}});
				const {lastArgs: __, ...kept} = large;

				expect(await store.approvals.get(large.id)).toEqual({...kept, args: null});
				expect(await store.approvals.settle(allowed(large))).toEqual(
					allowed({...kept, args: null}),
				);
			}),
		);

		test(
			'the last call of a tool that was allowed is remembered, by profile, server and tool',
			use(async (store, clock, home) => {
				expect(await store.approvals.lastAllowed(tool)).toBeUndefined();
				const denied = await ask(store);
				await store.approvals.settle({
					...denied,
					decision: {outcome: 'denied', at: startMs, by: 'x'},
				});
				expect(await store.approvals.lastAllowed(tool)).toBeUndefined();

				await store.approvals.settle(allowed(await ask(store, {args: {n: 1}})));
				const {definition} = makeShownTool();
				expect(await store.approvals.lastAllowed(tool)).toEqual({definition, args: {n: 1}});
				const changed = makeShownTool({definition: 'd2'});
				await store.approvals.add({
					...newCall,
					tool: changed,
					args: {n: 2},
					decision: {outcome: 'allowed', at: startMs, by: 'rule 1', rule: 1},
				});
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.approvals.lastAllowed(tool)).toEqual({
					definition: 'd2',
					args: {n: 2},
				});
				for (const other of [{profile: 'work'}, {server: 'x'}, {tool: 'x'}]) {
					expect(await reopened.approvals.lastAllowed({...tool, ...other})).toBeUndefined();
				}
			}),
		);

		test(
			'an answer and its rule are kept together, and the rule counts its uses',
			use(async store => {
				const call = await ask(store);
				const settled = await store.approvals.settle(allowed(call), rule());
				const made = settled.decision?.rule ?? 0;

				expect(made).toBeGreaterThan(0);
				expect(await store.approvals.get(call.id)).toEqual(settled);
				expect(await store.approvals.rules()).toEqual([{...rule(), id: made, uses: 0}]);
				await store.approvals.add({
					...newCall,
					decision: {outcome: 'allowed', at: startMs, by: `rule ${made}`, rule: made},
				});
				const waited = await ask(store);
				await store.approvals.settle({
					...waited,
					decision: {outcome: 'allowed', at: startMs, by: `rule ${made}`, rule: made},
				});
				expect(await store.approvals.rules()).toMatchObject([{id: made, uses: 2}]);
				await store.approvals.removeRules([made, 99]);
				expect(await store.approvals.rules()).toEqual([]);
				const next = await store.approvals.settle(allowed(await ask(store)), rule());
				expect(next.decision?.rule).toBeGreaterThan(made);
			}),
		);

		test(
			'the rule of a file is kept without an answer, changed when its tool is seen, and counts on; it outlives the process without an end',
			use(async (store, clock, home) => {
				const {expiresAt: __, ...endless} = rule();
				const written = {
					...endless,
					definition: '',
					when: [
						{key: 'mode', equals: null},
						{key: 'path', below: '/srv/in'},
					],
					file: {name: 'mcp__files__write_file', entry: 'e1', place: 'config.yaml:3'},
				};
				const id = await store.approvals.addRule(written);
				await store.approvals.add({
					...newCall,
					decision: {outcome: 'allowed', at: startMs + 5, by: `rule ${id}`, rule: id},
				});
				expect(await store.approvals.rules()).toEqual([
					{...written, id, uses: 1, usedAt: startMs + 5},
				]);

				const bound = {...written, definition: 'd1'};
				await store.approvals.changeRule(id, bound);
				await store.approvals.changeRule(99, bound);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.approvals.rules()).toEqual([
					{...bound, id, uses: 1, usedAt: startMs + 5},
				]);
			}),
		);

		test(
			'"run rules end with the run, process with the gateway", and always when it expires',
			use(async (store, clock, home) => {
				const {expiresAt: __, ...endless} = rule();
				for (const made of [
					rule(),
					{...endless, scope: 'run', run: 184} as const,
					{...endless, scope: 'process'} as const,
					rule({expiresAt: startMs + 1}),
					endless,
				]) {
					// oxlint-disable-next-line no-await-in-loop -- their order is looked at
					await store.approvals.settle(allowed(await ask(store)), made);
				}

				expect(await store.approvals.rules()).toHaveLength(5);
				clock.advance(1);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.approvals.rules()).toEqual([{...rule(), id: 1, uses: 0}]);
			}),
		);

		test(
			'"The newest 5,000 that were settled are kept"',
			use(async store => {
				const decision = {outcome: 'denied', at: startMs, by: 'gateway'} as const;
				const add = async () => store.approvals.add({...newCall, decision});
				const waiting = await ask(store);
				const first = await add();
				await Promise.all(Array.from({length: 5000}, add));

				expect(await store.approvals.get(first)).toBeUndefined();
				expect(await store.approvals.get(first + 1)).toBeDefined();
				expect(await store.approvals.get(waiting.id)).toEqual(waiting);
			}),
		);
	});
}
