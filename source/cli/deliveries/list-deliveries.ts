import type {Delivery, DeliveryOutcome} from '../../core/delivery.ts';
import {deliveryVocabulary} from '../../core/filter/delivery-vocabulary.ts';
import {lateMs, numberOfId, numberOfTime} from '../../core/ids.ts';
import type {Run, RunState} from '../../core/run.ts';
import {deliveryNoun, rowOf} from '../../nouns/delivery/delivery.ts';
import type {Context} from '../console/context.ts';
import {printJson} from '../console/print.ts';
import {type Home, openHome} from '../home/open-home.ts';
import {requireFilter, searchHistory} from '../home/search-history.ts';
import {printList} from '../nouns/noun-commands.ts';

/** The flags of `svc deliveries list`. */
export type ListFlags = {
	readonly route?: string;
	readonly outcome?: readonly DeliveryOutcome[];
	readonly dead?: boolean;
	readonly runState?: readonly RunState[];
	/** Milliseconds since 1970. */
	readonly since?: number;
	readonly before?: string;
	/** Words in the syntax of the Traffic filter. */
	readonly filter?: string;
	readonly limit: number;
	readonly json?: boolean;
};

/** States of runs that failed, so that a person has to decide. */
const deadStates: readonly RunState[] = ['failed', 'dead', 'interrupted', 'uncertain'];

/** Lists deliveries, newest first; if selected by their runs' states, with state and reason. */
export async function listDeliveries(
	context: Context,
	{json, outcome: outcomes, dead, runState, filter: words, ...flags}: ListFlags,
): Promise<void> {
	if (words !== undefined) {
		requireFilter(words, deliveryVocabulary);
	}

	await using home = await openHome(context, 'read');
	const runStates = dead ? deadStates : runState;
	const asked = {...flags, ...(outcomes && {outcomes}), ...(runStates && {runStates})};
	const deliveries =
		words === undefined
			? await home.listDeliveries(asked)
			: await searchDeliveries(home, words, asked);
	if (json) {
		printJson(context, deliveries);
		return;
	}

	const {limit: _limit, ...wanted} = asked;
	const columns = [...deliveryNoun.printed.columns, ...(runStates ? ['why'] : [])];
	const optional = [...deliveryNoun.printed.optional, ...(runStates ? ['result'] : [])];
	const noun = {...deliveryNoun, printed: {...deliveryNoun.printed, columns, optional}};
	const runs = runStates && (await runsOf(home, deliveries, {...flags, states: runStates}));
	await printList(context, noun, {
		items: deliveries.map(rowOf),
		known: {...(runs && {runs})},
		isFiltered: words !== undefined || Object.keys(wanted).length > 0,
	});
}

/** The deliveries that match the words and the flags. */
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

	return searchHistory(async cursor => home.searchDeliveries({...cursor, filter: words}), {
		before: below,
		limit,
		downTo: numberOfTime(since - lateMs),
		async keep(found) {
			const wanted = found.filter(
				delivery =>
					(route === undefined || delivery.route === route) &&
					(outcomes === undefined || outcomes.includes(delivery.outcome)) &&
					delivery.receivedAt >= since,
			);
			const runs = states && (await runsOf(home, wanted, {states, route}));
			return runs ? wanted.filter(({runId}) => runId !== undefined && runs.has(runId)) : wanted;
		},
	});
}

/** The largest page that the journal returns. */
const page = 1000;

/** The runs of deliveries by number, if still in these states, for display beside them. Without plans and transcripts. */
async function runsOf(
	home: Home,
	deliveries: readonly Delivery[],
	{states, route}: {readonly states: readonly RunState[]; readonly route?: string | undefined},
): Promise<ReadonlyMap<number, Run>> {
	const ids = new Set(deliveries.flatMap(({runId}) => runId ?? []));
	const runs = await searchHistory(
		async ({before}) => {
			const items = await home.listRuns({
				states,
				limit: page,
				...(before !== undefined && {before}),
				...(route !== undefined && {route}),
			});
			const last = items.length === page ? items.at(-1) : undefined;
			return {items, ...(last && {searchedTo: last.id})};
		},
		{
			before: Math.max(...ids) + 1,
			downTo: Math.min(...ids),
			limit: ids.size,
			keep: async found => found.filter(({id}) => ids.has(id)),
		},
	);
	return new Map(runs.map(run => [run.id, run]));
}
