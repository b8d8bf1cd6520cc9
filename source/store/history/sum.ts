import type {RunSum, SumsBy} from '../../core/run-sums.ts';
import {endedStates, hasEnded, type RunState, sumOfCounts, type Usage} from '../../core/run.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {
	integerOf,
	nullableInteger,
	nullableText,
	readJson,
	textOf,
	wordOf,
	type Row,
} from '../columns.ts';
import type {StoredSums, SumQuestion} from './port.ts';
import type {UnderWay} from './under-way.ts';

/** Rows of a stretch. */
const stretchRows = 2000;

/** Maximum number of runs summed: a few seconds of steps, and eight megabytes of durations. */
const mostRuns = 1_000_000;

/** Maximum number of names summed separately: those of the newest runs. */
const mostNames = 1000;

const maxNameLength = 200;

/** SQL of a name: `own` identifies it, `called` is its display name. For a turn of a chat, the column `job_name` contains the name of its key. */
const names: Readonly<
	Record<SumsBy, {readonly own: string; readonly called?: string; readonly isOfProfile?: true}>
> = {
	route: {own: `nullif(route, '-')`, isOfProfile: true},
	key: {own: 'case when delivery is null and job is null then job_name end'},
	model: {own: 'model'},
	job: {own: 'job', called: 'job_name', isOfProfile: true},
};

/**
 * Sums the runs created since a time, newest first, until none are left, a whole stretch is older, or `mostRuns` were examined. Run numbers are in the order of time,
 * unless the clock was set back.
 */
export function createSums({by, from, profile}: SumQuestion): UnderWay<StoredSums> {
	const tally = createTally(by);
	const {own, called = null} = names[by];
	let at = Number.MAX_SAFE_INTEGER;
	let looked = 0;
	let oldest = Infinity;
	return {
		sql: `select id, created_at, profile, state, attempt, started_at, finished_at, usage, ${own} as own, ${called} as called
			from run where id < ? order by id desc limit ${stretchRows}`,
		bindings: () => [at],
		take(stretch) {
			let [rows, newer] = [0, 0];
			for (const row of stretch) {
				rows += 1;
				at = integerOf(row['id']);
				const createdAt = integerOf(row['created_at']);
				const isNewer = createdAt >= from;
				newer += isNewer ? 1 : 0;
				oldest = Math.min(oldest, createdAt);
				if (isNewer && (profile === undefined || row['profile'] === profile)) {
					tally.add(row);
				}
			}

			looked += rows;
			const isLast = rows < stretchRows || newer === 0;
			return isLast || looked >= mostRuns
				? {since: isLast ? from : Math.max(from, oldest), ...tally.sums()}
				: undefined;
		},
		pause: () => undefined,
	};
}

type Counts = {-readonly [State in (typeof endedStates)[number] | 'open']: number};

/** The sums of one name so far. */
type Part = {
	readonly named: Pick<RunSum, 'profile' | SumsBy>;
	readonly counts: Counts;
	runs: number;
	inputTokens: number;
	outputTokens: number;
	readonly costs: Map<string, number>;
	unpriced: number;
	uncounted: number;
	readonly durations: number[];
};

function createTally(by: SumsBy) {
	/** The sums by the raw name in the rows, and by the cleaned name. */
	const byRow = new Map<string, Part>();
	const byName = new Map<string, Part>();
	let leftOut = 0;

	const partOf = (row: Row): Part | undefined => {
		const own = nullableText(row['own']);
		const profile = names[by].isOfProfile ? textOf(row['profile']) : undefined;
		const raw = JSON.stringify([profile, own]);
		const found = byRow.get(raw);
		if (found || byRow.size >= mostNames) {
			return found;
		}

		const name = own === null ? null : escapeLine(own, maxNameLength);
		const key = JSON.stringify([profile, name]);
		const part = byName.get(key) ?? {
			named: {
				...(profile !== undefined && {profile}),
				[by]:
					by === 'job' && name !== null
						? {id: name, name: escapeLine(textOf(row['called']), maxNameLength)}
						: name,
			},
			counts: noCounts(),
			runs: 0,
			inputTokens: 0,
			outputTokens: 0,
			costs: new Map(),
			unpriced: 0,
			uncounted: 0,
			durations: [],
		};
		byRow.set(raw, part);
		byName.set(key, part);
		return part;
	};

	return {
		add(row: Row) {
			const part = partOf(row);
			if (!part) {
				leftOut += 1;
				return;
			}

			const state = wordOf<RunState>(row['state']);
			const ended = endedStates.find(one => one === state);
			part.runs += 1;
			part.counts[ended ?? 'open'] += 1;
			addUse(part, nullableText(row['usage']), hasEnded(state) && integerOf(row['attempt']) > 0);
			const [startedAt, finishedAt] = [row['started_at'], row['finished_at']].map(nullableInteger);
			if (ended && typeof startedAt === 'number' && typeof finishedAt === 'number') {
				part.durations.push(Math.max(0, finishedAt - startedAt));
			}
		},
		sums: () => ({
			leftOut,
			rows: [...byName.values()].map(sumOf).toSorted((one, other) => other.runs - one.runs),
		}),
	};
}

const noCounts = (): Counts =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of each
	Object.fromEntries(['open', ...endedStates].map(state => [state, 0])) as Counts;

function addUse(part: Part, kept: string | null, isTried: boolean): void {
	const usage = readJson<Usage | null>(kept);
	if (!usage) {
		part.uncounted += isTried ? 1 : 0;
		return;
	}

	const {inputTokens, outputTokens, cost} = usage;
	part.inputTokens = sumOfCounts(part.inputTokens, inputTokens);
	part.outputTokens = sumOfCounts(part.outputTokens, outputTokens);
	if (cost) {
		part.costs.set(cost.currency, (part.costs.get(cost.currency) ?? 0) + cost.amount);
	} else {
		part.unpriced += 1;
	}
}

function sumOf({named, counts, costs, durations, ...sums}: Part): RunSum {
	const {done, silent, open, cancelled} = counts;
	const decided = sums.runs - open - cancelled;
	const sorted = Float64Array.from(durations).toSorted();
	const middle = (sorted.length - 1) / 2;
	const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
	const longestMs = sorted.at(-1);
	return {
		...named,
		...sums,
		...counts,
		...(decided > 0 && {success: (done + silent) / decided}),
		costs: [...costs].map(([currency, amount]) => ({currency, amount})),
		...(low !== undefined && high !== undefined && {medianMs: (low + high) / 2}),
		...(longestMs !== undefined && {longestMs}),
	};
}
