import {setTimeout as sleep} from 'node:timers/promises';
import {Client} from 'pg';
import {postEvent} from './rig.ts';

const clients = 6;
/** A run may wait for its lease to run out, and its member to be gone. */
const maxRestMs = 150_000;

export type Found = {
	/** Events that were answered 202, and repetitions that were answered as duplicates. */
	readonly accepted: number;
	readonly duplicates: number;
	/** Answers 503, and requests without an answer: sent again until they were taken. */
	readonly refused: number;
	readonly unanswered: number;
	/** Runs by how they ended, and messages that arrived. */
	readonly runs: Readonly<Record<string, number>>;
	readonly arrived: number;
	/** Broken promises, one line each. */
	readonly wrong: readonly string[];
};

/** Senders as code hosts are: what was not answered 202 or 200 is sent again with its identifier; some of what was is sent again all the same. */
export function createSenders(
	url: string,
	{random, pauseMs}: {readonly random: () => number; readonly pauseMs: number},
) {
	const accepted = new Set<string>();
	const counts = {duplicates: 0, refused: 0, unanswered: 0};
	const wrong: string[] = [];
	let last = 0;
	let isOver = false;

	const post = async (id: string) => {
		const {status} = await postEvent(url, {route: 'agent', id});
		return status;
	};

	const deliver = async (id: string) => {
		for (;;) {
			const status = await post(id);
			if (status === 202 || status === 200) {
				accepted.add(id);
				return;
			}

			if (status === 0 || status === 502) {
				counts.unanswered += 1;
			} else if (status === 503) {
				counts.refused += 1;
			} else {
				wrong.push(`${id} was answered ${status}`);
			}

			await sleep(100 + random() * 200);
		}
	};

	const client = async () => {
		// oxlint-disable-next-line no-unmodified-loop-condition -- `end` changes it
		while (!isOver) {
			last += 1;
			const id = `event-${last}`;
			await deliver(id);
			const again = `event-${1 + Math.floor(random() * last)}`;
			if (random() < 0.1 && accepted.has(again)) {
				const status = await post(again);
				counts.duplicates += status === 200 ? 1 : 0;
				if (status === 202) {
					wrong.push(`${again} was accepted twice`);
				}
			}

			await sleep(pauseMs);
		}
	};

	const all = Promise.all(Array.from({length: clients}, client));
	return {
		accepted,
		counts,
		wrong,
		async end() {
			isOver = true;
			await all;
		},
	};
}

/** Waits until nothing is left to do, and compares what was promised, what the database says, and what arrived. */
export async function inspect(
	url: string,
	{
		senders: {accepted, counts, wrong},
		texts,
	}: {
		readonly senders: ReturnType<typeof createSenders>;
		/** What has arrived. */
		readonly texts: () => Promise<readonly string[]>;
	},
): Promise<Found> {
	const client = new Client({connectionString: url});
	await client.connect();
	try {
		const until = Date.now() + maxRestMs;
		const left = async () =>
			(
				await client.query<{id: string; state: string}>(
					'select id, state from run where finished_at is null limit 5',
				)
			).rows;
		while ((await left()).length > 0 && Date.now() < until) {
			await sleep(500);
		}

		const rows = (
			await client.query<{name: string; state: string; error: string | null}>(
				`select delivery.delivery_id as name, run.state, run.error from run join delivery on delivery.id = run.delivery`,
			)
		).rows;
		const runsOf = Map.groupBy(rows, ({name}) => name);
		const shown = new Map<string, number>();
		for (const text of await texts()) {
			const [, name] = /message-([a-z\d-]+)-end/.exec(text) ?? [];
			if (name !== undefined) {
				shown.set(name, (shown.get(name) ?? 0) + 1);
			}
		}

		const problemOf = (name: string): string | undefined => {
			const runs = runsOf.get(name) ?? [];
			const arrived = shown.get(name) ?? 0;
			const [run] = runs;
			if (!run || runs.length > 1) {
				return `has ${runs.length} runs`;
			}

			if (arrived > 1) {
				return `arrived ${arrived} times (${run.state})`;
			}

			const isWell =
				(run.state === 'done' && arrived === 1) ||
				run.state === 'uncertain' ||
				run.state === 'interrupted';
			return isWell ? undefined : `is ${run.state} (${run.error ?? ''}), arrived ${arrived} times`;
		};

		const names = new Set([...accepted, ...runsOf.keys()]);
		const states: Record<string, number> = {};
		for (const {state} of rows) {
			states[state] = (states[state] ?? 0) + 1;
		}

		return {
			accepted: accepted.size,
			...counts,
			runs: states,
			arrived: [...shown.values()].reduce((sum, count) => sum + count, 0),
			wrong: [
				...wrong,
				...[...names].flatMap(name => {
					const problem = problemOf(name);
					return problem === undefined ? [] : [`${name} ${problem}`];
				}),
			],
		};
	} finally {
		await client.end();
	}
}
