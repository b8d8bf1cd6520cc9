import {expect, test} from 'vitest';
import type {Row} from '../../source/store/columns.ts';
import {createLaneChoice, type LanesAtOnce} from '../../source/store/lanes.ts';
import {randomOf, runSeed} from '../helpers/random.ts';

const random = randomOf(runSeed);
const below = (most: number) => Math.trunc(random() * most);

const names = [
	...['a', 'b', 'c', 'd'].map(route => JSON.stringify(['default', route, null])),
	JSON.stringify(['default', '-', 'job_a']),
	JSON.stringify(['default', 'a', 'job_b']),
	...['telegram:1', 'telegram:1/2', 'telegram:1/3'].map(chat =>
		JSON.stringify(['default', chat, null]),
	),
];

/** Runs of each lane, by the time at which they are due; some lie ahead of 100. */
const drawLanes = (): ReadonlyMap<string, readonly Row[]> => {
	let id = 0;
	return new Map(
		names
			.filter(() => random() < 0.8)
			.map(name => [
				name,
				Array.from({length: 1 + below(6)}, () => {
					id += 1;
					return {id, due_at: below(120)};
				}).toSorted((a, b) => a.due_at - b.due_at || a.id - b.id),
			]),
	);
};

test('who reads a lane only when more of it is wanted leases the same runs as one who knows all of them', () => {
	for (let round = 0; round < 200; round += 1) {
		const lanes = drawLanes();
		const leased = names.map(name => ({name, leased: below(2)}));
		const turns = new Map(names.map(name => [name, below(9)]));
		const limits = [{profile: 'default', route: 'a', most: below(4)}];
		const choose = (known: number) => {
			const at: LanesAtOnce = {
				waiting: [...lanes].map(([name, rows]) => ({
					name,
					heads: rows.slice(0, known),
					hasMore: rows.length > known,
					turn: turns.get(name) ?? 0,
				})),
				leased,
				lastTurn: 9,
			};
			const choice = createLaneChoice(at, {
				limits,
				waitMs: row => Math.max(0, Number(row['due_at']) - 100),
			});
			const taken: Array<readonly [lane: string, id: unknown, turn: number]> = [];
			let looks = 0;
			for (;;) {
				const unknown = choice.unknown();
				for (const lane of unknown) {
					const ids = new Set(taken.map(([, id]) => id));
					choice.learn(
						lane,
						(lanes.get(lane) ?? []).filter(row => !ids.has(row['id'])),
					);
				}

				looks += unknown.length;
				const next = unknown.length > 0 ? undefined : choice.take();
				if (next) {
					taken.push([next.lane, next.head['id'], next.turn]);
				} else if (unknown.length === 0) {
					return {taken, looks, next: choice.next()};
				}
			}
		};

		const {looks, ...lazily} = choose(1);
		expect({...lazily, looks: 0}, `round ${round}`).toEqual(choose(99));
		// Each lane is read once more at most.
		expect(looks).toBeLessThanOrEqual(lanes.size);
	}
});

test('a turn that is older than the newest 10,000 counts as none', () => {
	const lane = (route: string, turn: number, id: number) => ({
		name: JSON.stringify(['default', route, null]),
		heads: [{id, due_at: 0}],
		turn,
	});
	const choice = createLaneChoice(
		{waiting: [lane('old', 1, 2), lane('none', 0, 1)], leased: [], lastTurn: 10_001},
		{waitMs: () => 0},
	);
	expect(choice.take()?.head['id']).toBe(1);
	expect(choice.take()).toMatchObject({turn: 10_003, head: {id: 2}});
	expect(choice.take()).toBeUndefined();
});
