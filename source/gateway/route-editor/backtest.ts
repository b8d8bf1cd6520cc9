import {setImmediate as turn} from 'node:timers/promises';
import type {Route} from '../../config/route.ts';
import type {Clock} from '../../core/clock.ts';
import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import type {RouteBacktest} from '../../core/route-editor.ts';
import type {Journal} from '../../store/port.ts';
import {eventOf} from '../../webhook/identity.ts';
import {parseBody} from '../../webhook/request-content.ts';
import {compare} from '../simulate/compare.ts';
import {
	judgeEvent,
	type RouteJudgement,
	type SimulatedRoute,
	listStored,
} from '../simulate/judge.ts';
import {outcomesOf, type Totals} from '../simulate/outcomes.ts';

/** Deliveries with larger bodies are skipped: parsing one would block the gateway for too long. */
const maxBodyBytes = 1024 * 1024;
const maxBytes = 64 * 1024 * 1024;
const maxMs = 5000;

/** How long it works before yielding to other tasks, milliseconds. */
const sliceMs = 8;

const maxChanges = 50;
const maxUnresolved = 20;

export type BacktestPlan = {
	/** The route as served now; absent when it is not served. */
	readonly today: SimulatedRoute | undefined;
	readonly edited: SimulatedRoute;
	/** Each filter of the draft by itself, at most 20. */
	readonly filters: readonly SimulatedRoute[];
	/** The route whose deliveries are used. */
	readonly traffic: Pick<Route, 'name' | 'profile'>;
	/** Maximum number of deliveries, 1 to 1,000. */
	readonly last: number;
};

/** What is kept of a delivery after its body has been judged. */
type Judged = {
	readonly event: Delivery;
	readonly today: RouteJudgement | undefined;
	readonly edited: RouteJudgement;
	/** Length in characters. */
	readonly promptLength: number | undefined;
	readonly isReworded: boolean;
	/** For each filter, whether the delivery passes it alone. */
	readonly passes: readonly boolean[];
};

/** Judges stored deliveries with other settings, one body at a time and in slices of 8 ms: at most 64 MiB and 5 s. Scripts do not run. */
export async function backtest(
	{journal, clock}: {readonly journal: Pick<Journal, 'get' | 'list'>; readonly clock: Clock},
	{today, edited, filters, traffic, last}: BacktestPlan,
): Promise<Omit<RouteBacktest, 'notes'>> {
	const listed = await listStored(journal, {route: traffic, last});
	const judged: Judged[] = [];
	const startedAt = clock.monotonic();
	let sliceAt = startedAt;
	let bytes = 0;
	for (const event of listed) {
		if (event.bodyBytes > maxBodyBytes || bytes + event.bodyBytes > maxBytes) {
			continue;
		}

		const now = clock.monotonic();
		if (now - startedAt > maxMs) {
			break;
		}

		if (now - sliceAt > sliceMs) {
			// oxlint-disable-next-line no-await-in-loop -- yields to other tasks
			await turn();
			sliceAt = clock.monotonic();
		}

		// oxlint-disable-next-line no-await-in-loop -- bodies are large: one at a time
		const stored = await journal.get(event.id);
		if (stored?.body) {
			bytes += event.bodyBytes;
			const before = today && judgeEvent(stored, today);
			const after = judgeEvent(stored, edited);
			judged.push({
				passes: filtersPassed(stored, filters),
				event,
				today: withoutPrompt(before),
				edited: withoutPrompt(after),
				promptLength: after.prompt?.length,
				isReworded:
					before?.prompt !== undefined &&
					after.prompt !== undefined &&
					before.prompt !== after.prompt,
			});
		}
	}

	const all = judged.toReversed().toSorted((a, b) => a.event.receivedAt - b.event.receivedAt);
	return {
		deliveries: all.length,
		leftOut: listed.length - all.length,
		...resultOf(all, {today, edited}),
		filterPasses: filters.map((_, index) => all.filter(({passes}) => passes[index]).length),
	};
}

/** Judges by the payload and event as the draft reads them. */
function filtersPassed(
	{headers, body = new Uint8Array()}: StoredDelivery,
	filters: readonly SimulatedRoute[],
): readonly boolean[] {
	const parsed = parseBody(Buffer.from(body), headers);
	return filters.map(({route, compiled}) => {
		const event = parsed.ok ? eventOf(route, {headers, payload: parsed.payload}).name : '';
		return parsed.ok && compiled.matches({payload: parsed.payload, event, headers}) === undefined;
	});
}

function withoutPrompt<Maybe extends RouteJudgement | undefined>(judgement: Maybe): Maybe {
	return judgement && {...judgement, prompt: undefined};
}

function resultOf(
	all: readonly Judged[],
	{today, edited}: Pick<BacktestPlan, 'today' | 'edited'>,
): Partial<RouteBacktest> {
	const [oldest] = all;
	const events = all.map(({event}) => event);
	const after = outcomesOf(
		events,
		all.map(one => one.edited),
		edited.route,
	);
	const before =
		today &&
		outcomesOf(
			events,
			all.flatMap(one => one.today ?? []),
			today.route,
		);
	const changes = before ? compare(events, before, after).changes : undefined;
	const lengths = all.flatMap(({promptLength = -1}) => (promptLength < 0 ? [] : [promptLength]));
	return {
		...(oldest && {since: oldest.event.receivedAt}),
		...(before && {today: countsOf(before.totals)}),
		edited: countsOf(after.totals),
		...(lengths.length > 0 && {medianPrompt: medianOf(lengths)}),
		unresolved: [...new Set(all.flatMap(one => one.edited.unresolved ?? []))].slice(
			0,
			maxUnresolved,
		),
		...(changes && {
			changes: changes.slice(-maxChanges).toReversed(),
			changed: changes.length,
			promptsChanged: all.filter(({isReworded}) => isReworded).length,
		}),
	};
}

const countsOf = ({accepted, coalesced, delivered, runs}: Totals) => ({
	passed: accepted + coalesced + delivered,
	runs,
});

function medianOf(lengths: readonly number[]): number {
	const sorted = lengths.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
