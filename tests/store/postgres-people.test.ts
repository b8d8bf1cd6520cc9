// @module-tag slow
import {afterAll, describe, expect, test, vi} from 'vitest';
import type {Admission, KeyDesk, KeyPermit} from '../../source/api/keys/desk.ts';
import {openKeyDesk} from '../../source/api/keys/key-desk.ts';
import type {Approval} from '../../source/core/approval.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createMutex} from '../../source/core/mutex.ts';
import type {DocumentChange} from '../../source/store/document-port.ts';
import type {Store} from '../../source/store/port.ts';
import type {StoreNote} from '../../source/store/shared-port.ts';
import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {createPostgresHomes} from './postgres-home.ts';
import {startMs} from './samples.ts';

const server = hasPostgres ? await startPostgres() : undefined;
afterAll(async () => server?.[Symbol.asyncDispose]());
const createHome = server && createPostgresHomes(server);

/** A test body with three members on one database, and their clock. */
const useThree =
	(body: (members: readonly [Store, Store, Store], clock: FakeClock) => Promise<void>) =>
	async () => {
		if (!createHome) {
			throw new Error('there is no PostgreSQL');
		}

		await using home = await createHome();
		await using stack = new AsyncDisposableStack();
		const clock = createFakeClock(startMs);
		const open = async () => stack.use(await home.openBeside(clock));
		await body([await open(), await open(), await open()], clock);
	};

/** Lets time pass, half a second after the other, each of which tells and reads what is shared. Begun while nothing is under way. */
function timeOf(clock: FakeClock): (ms: number) => Promise<void> {
	const planned = clock.timersLeft;
	return async ms => {
		for (let passed = 0; passed < ms; passed += 500) {
			clock.advance(500);
			// What is done each half second is planned again once it is done.
			await vi.waitFor(
				() => {
					expect(clock.timersLeft).toBeGreaterThanOrEqual(planned);
				},
				{interval: 1},
			);
		}
	};
}

const {id: _, ...newCall} = makeToolApproval();

const decided = (id: number, by: string): Approval => ({
	...newCall,
	id,
	decision: {outcome: 'allowed', at: startMs, by, scope: 'always'},
});

const rule = {
	profile: 'default',
	server: 'github-tools',
	tool: 'create_issue',
	endpoint: 'e1',
	definition: 'd1',
	scope: 'always',
	createdAt: startMs,
	createdBy: 'cli (alice)',
} as const;

const permitOf = (admission: Admission): KeyPermit => {
	if (admission.kind === 'refused') {
		throw new Error(`refused: ${admission.refusal.kind}`);
	}

	return admission.permit;
};

/** Lets an answer grow until it may not; how many tokens it had. */
const growOut = (permit: KeyPermit): number => {
	let tokens = 0;
	while (permit.grow(tokens + 1) === undefined) {
		tokens += 1;
	}

	return tokens;
};

describe.skipIf(!createHome)('members that share what people keep', () => {
	test(
		'of many answers to one request at once, one is kept, with one rule, and each member is told',
		useThree(async members => {
			const notes: StoreNote[] = [];
			members[2].events.subscribe(note => notes.push(note));
			for (let round = 0; round < 10; round += 1) {
				const id = await members[0].approvals.add(newCall);
				const kept = await Promise.all(
					Array.from({length: 12}, async (__, index) =>
						members[index % 3]?.approvals.settle(decided(id, `face ${index}`), rule),
					),
				);
				const [first] = kept;
				expect(new Set(kept.map(one => one?.decision?.by)).size).toBe(1);
				expect(await members[1].approvals.get(id)).toEqual(first);
				expect((await members[1].approvals.rules()).map(one => one.id)).toEqual([
					first?.decision?.rule,
				]);
				await members[0].approvals.removeRules([first?.decision?.rule ?? 0]);
				await expect.poll(() => notes).toContainEqual({kind: 'approval-settled', id});
				expect(notes).toContainEqual({kind: 'approval-rules-changed'});
			}
		}),
	);

	test(
		'the requests and the places of a key are those of all members together',
		useThree(async (members, clock) => {
			const pass = timeOf(clock);
			const takeAll = async (bounds: {rpm?: number; parallel?: number}) => {
				const taken = await Promise.all(
					Array.from({length: 60}, async (__, index) =>
						members[index % 3]?.limits.keys.take('key_one', bounds),
					),
				);
				return taken.flatMap((one, index) => (one?.kind === 'taken' ? [index % 3] : []));
			};

			const ofMinute = await takeAll({rpm: 25});
			expect(ofMinute).toHaveLength(25);
			for (const member of ofMinute) {
				members[member]?.limits.keys.release('key_one', 0);
			}

			await pass(1000);
			expect(await takeAll({parallel: 7})).toHaveLength(7);
			expect(await takeAll({parallel: 8})).toHaveLength(1);
		}),
	);

	test(
		'a member that is gone takes no place and holds no tokens for long; one that is closed at once none',
		useThree(async ([gone, closed, last], clock) => {
			const bounds = {parallel: 2};
			await gone.limits.keys.take('key_one', bounds, () => 70);
			await closed.limits.keys.take('key_one', bounds, () => 20);
			expect(await last.limits.keys.take('key_one', bounds)).toMatchObject({kind: 'parallel'});
			expect(last.limits.keys.held('key_one')).toBe(90);
			await closed[Symbol.asyncDispose]();
			const claim = () => 0;
			expect(await last.limits.keys.take('key_one', bounds, claim)).toEqual({kind: 'taken'});
			expect(last.limits.keys.held('key_one')).toBe(70);
			await gone[Symbol.asyncDispose]();
			await timeOf(clock)(500);
			expect(last.limits.keys.held('key_one')).toBe(0);
		}),
	);

	test(
		'no version of a document is seen after a later one',
		useThree(async members => {
			const seen: DocumentChange[] = [];
			const oneByOne = createMutex();
			const look = async () =>
				oneByOne(async () => {
					const changes = await members[2].documents?.changedSince(seen.at(-1)?.version ?? 0);
					seen.push(...(changes ?? []));
				});

			const writing = Array.from({length: 120}, async (__, index) => {
				await members[index % 3]?.documents?.put({
					kind: 'job',
					profile: 'default',
					name: `job ${index}`,
					data: index,
				});
				await look();
			});
			await Promise.all(writing);
			expect(seen).toHaveLength(120);
			const versions = seen.map(({version}) => version);
			expect(versions).toEqual(versions.toSorted((a, b) => a - b));
		}),
	);
});

const budget = 16_000;

describe.skipIf(!createHome)('the budget of a key over three members', () => {
	const openDesks = async (members: readonly Store[], clock: FakeClock) => {
		const stack = new AsyncDisposableStack();
		const desks: KeyDesk[] = [];
		for (const {keys, limits, events} of members) {
			desks.push(
				stack.use(await openKeyDesk({clock, keys, limits: limits.keys, events, log: silentLogger})),
			);
		}

		const [desk] = desks;
		const made = await desk?.create(
			{
				name: 'team',
				kind: 'live',
				endpoints: ['chat'],
				models: ['*'],
				agents: true,
				budget: {tokens: budget, per: 'day'},
			},
			'svc',
		);
		const id = made?.key.id ?? '';
		await expect.poll(() => desks.every(one => one.list().length === 1)).toBe(true);
		return {
			id,
			desks,
			pass: timeOf(clock),
			async [Symbol.asyncDispose]() {
				await stack.disposeAsync();
			},
		};
	};

	test(
		'"what requests hold from their beginning" never exceeds it, however many come at once',
		useThree(async (members, clock) => {
			await using opened = await openDesks(members, clock);
			const admissions = await Promise.all(
				Array.from({length: 30}, async (__, index) =>
					opened.desks[index % 3]?.admit(opened.id, {input: 999, most: 1, isWhole: true}),
				),
			);
			expect(admissions.filter(one => one?.kind === 'admitted')).toHaveLength(16);
			const refused = admissions.find(one => one?.kind === 'refused');
			expect(refused?.refusal).toMatchObject({kind: 'budget', most: budget});
		}),
	);

	test(
		'what answers used at one member is used at the others, too, and never counts less meanwhile',
		useThree(async (members, clock) => {
			await using opened = await openDesks(members, clock);
			const {pass} = opened;
			const [one, other] = opened.desks;
			const permit = permitOf(
				(await one?.admit(opened.id, {input: 14_999, most: 1, isWhole: true})) as Admission,
			);
			permit.settle({inputTokens: 9000, outputTokens: 1000});
			permit[Symbol.dispose]();
			const ask = async () => other?.admit(opened.id, {input: 9000, isWhole: true});
			expect(await ask()).toMatchObject({refusal: {used: 0, held: 15_000}});
			const usedAt = () => other?.list()[0]?.usage.day.inputTokens;
			for (let passed = 0; passed < 8; passed += 1) {
				await pass(500);
				expect((await ask())?.kind).toBe('refused');
			}

			await expect.poll(usedAt).toBe(9000);
			await pass(2000);
			expect(await ask()).toMatchObject({refusal: {used: 10_000, held: 0}});
			expect(other?.list()[0]?.usage.all.requests).toBe(1);
		}),
	);

	test(
		'answers that grow at three members exceed it by what they use in a second at most, and without a word of each other by what was left, once for each other member',
		useThree(async (members, clock) => {
			await using opened = await openDesks(members, clock);
			const {pass} = opened;
			const admitAll = async () => {
				const permits: KeyPermit[] = [];
				for (const desk of opened.desks) {
					permits.push(permitOf(await desk.admit(opened.id, {input: 99, isWhole: false})));
				}

				return permits;
			};

			const growing = await admitAll();
			let spoken = 99;
			while (growing.every(permit => permit.grow(spoken + 50) === undefined)) {
				spoken += 50;
				await pass(1000);
			}

			// Three slices are held at the end that another member could have used.
			expect(3 * spoken - budget).toBeLessThanOrEqual(3 * 50);
			expect(3 * spoken).toBeGreaterThan(budget * 0.9);
			for (const permit of growing) {
				permit.settle({inputTokens: 0, outputTokens: 0});
				permit[Symbol.dispose]();
			}

			await pass(1000);
			const blind = await admitAll();
			const used = blind.map(permit => growOut(permit)).reduce((sum, tokens) => sum + tokens);
			expect(used).toBeGreaterThan(budget);
			expect(used).toBeLessThanOrEqual(3 * budget);
		}),
	);
});
