import type {Delivery, DeliveryOutcome} from '../../core/delivery.ts';
import {deliveryVocabulary} from '../../core/filter/delivery-vocabulary.ts';
import {lateMs, numberOfId, numberOfTime} from '../../core/ids.ts';
import type {Run, RunState} from '../../core/run.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {printTable} from '../console/print-table.ts';
import {printJson} from '../console/print.ts';
import {type Home, openHome} from '../home/open-home.ts';
import {requireFilter, searchHistory} from '../home/search-history.ts';

/** Flags of `svc deliveries list`. */
export type ListFlags = {
	readonly route?: string;
	readonly outcome?: readonly DeliveryOutcome[];
	readonly dead?: boolean;
	readonly runState?: readonly RunState[];
	/** Milliseconds since 1970. */
	readonly since?: number;
	readonly before?: string;
	/** Words as the filter of Traffic takes them. */
	readonly filter?: string;
	readonly limit: number;
	readonly json?: boolean;
};

/** What a run ends as when its event came to nothing and a person has to decide. */
const deadStates: readonly RunState[] = ['failed', 'dead', 'interrupted', 'uncertain'];

/** Lists deliveries, newest first; those that were asked for by the state of their runs with that state and the reason. */
export async function listDeliveries(
	context: Context,
	{json, outcome, dead, runState, filter: words, ...filter}: ListFlags,
): Promise<void> {
	if (words !== undefined) {
		requireFilter(words, deliveryVocabulary);
	}

	await using home = await openHome(context, 'read');
	const runStates = dead ? deadStates : runState;
	const asked = {
		...filter,
		...(outcome && {outcomes: outcome}),
		...(runStates && {runStates}),
	};
	const deliveries =
		words === undefined
			? await home.listDeliveries(asked)
			: await searchDeliveries(home, words, asked);
	if (json) {
		printJson(context, deliveries);
		return;
	}

	const {limit: _limit, ...wanted} = asked;
	const isFiltered = words !== undefined || Object.keys(wanted).length > 0;
	const runs = runStates
		? await runsOf(home, {
				states: runStates,
				ids: new Set(deliveries.flatMap(({runId}) => runId ?? [])),
				route: filter.route,
			})
		: new Map<number, Run>();
	await printTable(context, {
		header: [
			'ID',
			'TIME',
			'ROUTE',
			'EVENT',
			'SUBJECT',
			'RESULT',
			'MS',
			'RUN',
			...(runStates ? ['WHY'] : []),
		],
		rows: deliveries.map(delivery => [
			delivery.id,
			printableTime(delivery.receivedAt),
			delivery.route,
			delivery.event,
			delivery.subject ?? '',
			`${delivery.status} ${delivery.outcome}`,
			String(Math.round(delivery.durationMs)),
			runText(delivery, runs),
			...(runStates ? [runs.get(delivery.runId ?? 0)?.error ?? ''] : []),
		]),
		empty: isFiltered
			? 'No such deliveries'
			: 'No deliveries yet: send one with "svc webhook test NAME"',
		whole: ['ID', 'TIME', 'RUN'],
		optional: ['MS', 'EVENT', ...(runStates ? ['RESULT'] : [])],
	});
}

/** Those that pass the words and what the flags ask for. */
async function searchDeliveries(
	home: Home,
	words: string,
	{
		route,
		outcomes,
		runStates: states,
		since = 0,
		before,
		limit,
	}: Parameters<Home['listDeliveries']>[0],
): Promise<readonly Delivery[]> {
	const below = before === undefined ? undefined : numberOfId(before);
	if (Number.isNaN(below)) {
		return [];
	}

	const isWanted = (delivery: Delivery) =>
		(route === undefined || delivery.route === route) &&
		(outcomes === undefined || outcomes.includes(delivery.outcome)) &&
		delivery.receivedAt >= since;
	return searchHistory(async cursor => home.searchDeliveries({...cursor, filter: words}), {
		before: below,
		limit,
		downTo: numberOfTime(since - lateMs),
		async keep(found) {
			const wanted = found.filter(isWanted);
			if (!states) {
				return wanted;
			}

			const ids = new Set(wanted.flatMap(({runId}) => runId ?? []));
			const runs = await runsOf(home, {states, ids, route});
			return wanted.filter(({runId}) => runId !== undefined && runs.has(runId));
		},
	});
}

function runText({runId, group}: Delivery, runs: ReadonlyMap<number, Run>): string {
	if (runId !== undefined) {
		return `#${runId} ${runs.get(runId)?.state ?? ''}`.trimEnd();
	}

	return group === undefined ? '' : `group ${group}`;
}

/** What the journal answers at once, at most. */
const page = 1000;

/** These runs by their numbers, as far as they are still in these states: what a listing says beside its deliveries. Their plans and transcripts are not read. */
async function runsOf(
	home: Home,
	{
		states,
		ids,
		route,
	}: {
		readonly states: readonly RunState[];
		readonly ids: ReadonlySet<number>;
		readonly route: string | undefined;
	},
): Promise<ReadonlyMap<number, Run>> {
	const found = new Map<number, Run>();
	const oldest = Math.min(...ids);
	let before = Math.max(...ids) + 1;
	while (before > oldest) {
		const filter = {states, before, limit: page, ...(route !== undefined && {route})};
		// oxlint-disable-next-line no-await-in-loop -- a page begins where the last one ended
		const listed = await home.listRuns(filter);
		for (const run of listed.filter(({id}) => ids.has(id))) {
			found.set(run.id, run);
		}

		if (listed.length < page) {
			break;
		}

		before = listed.at(-1)?.id ?? 0;
	}

	return found;
}
