import type {Delivery} from '../../core/delivery.ts';
import type {Run, RunState} from '../../core/run.ts';
import type {Context} from '../context.ts';
import {openRecords, type Records} from '../gateway-access.ts';
import {printTable} from '../print-table.ts';
import {printableTime, printJson} from '../print.ts';

/** Flags of `svc deliveries list`. */
export type ListFlags = {
	readonly route?: string;
	readonly outcome?: readonly string[];
	readonly dead?: boolean;
	readonly runState?: readonly RunState[];
	/** Milliseconds since 1970. */
	readonly since?: number;
	readonly before?: string;
	readonly limit: number;
	readonly json?: boolean;
};

/** What a run ends as when its event came to nothing and a person has to decide. */
const deadStates: readonly RunState[] = ['failed', 'dead', 'interrupted', 'uncertain'];

/** Lists deliveries, newest first; those that were asked for by the state of their runs with that state and the reason. */
export async function listDeliveries(
	context: Context,
	{json, outcome, dead, runState, ...filter}: ListFlags,
): Promise<void> {
	await using records = await openRecords(context);
	const runStates = dead ? deadStates : runState;
	const deliveries = await records.deliveries.list({
		...filter,
		...(outcome && {outcomes: outcome}),
		...(runStates && {runStates}),
	});
	if (json) {
		printJson(context, deliveries);
		return;
	}

	const runs = runStates ? await runsOf(records, runStates) : new Map<number, Run>();
	await printTable(context, {
		header: ['ID', 'TIME', 'ROUTE', 'EVENT', 'RESULT', 'MS', 'RUN', ...(runStates ? ['WHY'] : [])],
		rows: deliveries.map(delivery => [
			delivery.id,
			printableTime(delivery.receivedAt),
			delivery.route,
			delivery.event,
			`${delivery.status} ${delivery.outcome}`,
			String(Math.round(delivery.durationMs)),
			runText(delivery, runs),
			...(runStates ? [runs.get(delivery.runId ?? 0)?.error ?? ''] : []),
		]),
		empty: runStates
			? 'No such deliveries'
			: 'No deliveries yet: send one with "svc webhook test NAME"',
		whole: ['ID', 'TIME', 'RUN'],
		optional: ['MS', ...(runStates ? ['RESULT'] : [])],
	});
}

function runText({runId, group}: Delivery, runs: ReadonlyMap<number, Run>): string {
	if (runId !== undefined) {
		return `#${runId} ${runs.get(runId)?.state ?? ''}`.trimEnd();
	}

	return group === undefined ? '' : `group ${group}`;
}

/** The newest runs in these states by their numbers: what a listing says beside its deliveries. */
async function runsOf(
	{runs}: Records,
	states: readonly RunState[],
): Promise<ReadonlyMap<number, Run>> {
	const found = await runs.list({states, limit: 1000});
	return new Map(found.map(run => [run.id, run]));
}
