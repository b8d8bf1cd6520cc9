import type {GatewayEvent} from './events.ts';
import {hasEnded, needsDecision, type Run, type RunState} from './run.ts';
import {type GatewayState, limits} from './state.ts';

/** The runs after `events`, by id. Above the limit the oldest of those go first that have ended and need nobody, then the oldest that wait: what is at work stays. */
export function runsAfter(
	runs: GatewayState['runs'],
	events: readonly GatewayEvent[],
): GatewayState['runs'] {
	const changed = new Map<number, Run>();
	let known: ReadonlySet<number> | undefined;
	const isKnown = (id: number) => {
		known ??= new Set(runs.map(run => run.id));
		return known.has(id);
	};

	/** Nothing with a greater number is there: most runs are new, and are not looked for. */
	let newest = runs.at(-1)?.id ?? 0;
	let inOrder = true;
	for (const event of events) {
		for (const run of runsOf(event)) {
			const isNew = run.id > newest;
			inOrder &&= isNew;
			// What a delivery implies, and what was restored, is older than what the run says itself.
			const isOlder = event.type === 'delivery-received' || event.type === 'history-restored';
			if (isNew || !isOlder || !(changed.has(run.id) || isKnown(run.id))) {
				changed.set(run.id, run);
				newest = Math.max(newest, run.id);
			}
		}
	}

	if (changed.size === 0) {
		return runs;
	}

	const next = inOrder
		? [...runs, ...changed.values()]
		: [
				...runs.map(run => changed.get(run.id) ?? run),
				...[...changed.values()].filter(({id}) => !isKnown(id)),
			].toSorted((a, b) => a.id - b.id);
	return next.length > limits.runs ? trim(next) : next;
}

/** The runs that `event` tells of. An accepted delivery implies its queued run. */
function runsOf(event: GatewayEvent): readonly Run[] {
	if (event.type === 'history-restored') {
		return event.runs;
	}

	if (event.type === 'run-changed') {
		return [event.run];
	}

	if (event.type !== 'delivery-received' || event.delivery.runId === undefined) {
		return [];
	}

	const {runId, id, profile, route, event: name, subject, receivedAt} = event.delivery;
	return [
		{
			id: runId,
			delivery: id,
			profile,
			route,
			event: name,
			...(subject !== undefined && {subject}),
			target: '',
			state: 'queued',
			attempt: 0,
			deliveryAttempt: 0,
			createdAt: receivedAt,
			toolCalls: 0,
		},
	];
}

function trim(runs: readonly Run[]): readonly Run[] {
	const mayGo: ReadonlyArray<(state: RunState) => boolean> = [
		state => hasEnded(state) && !needsDecision({state}),
		state => state === 'queued',
	];
	let kept = runs;
	for (const goes of mayGo) {
		let excess = kept.length - limits.runs;
		kept = kept.filter(({state}) => {
			if (excess <= 0 || !goes(state)) {
				return true;
			}

			excess--;
			return false;
		});
	}

	return kept.slice(-limits.runs);
}

/** The last transcript entries of the runs that are under way; an ended run's are in the journal. */
export function progressAfter(
	progress: GatewayState['progress'],
	events: readonly GatewayEvent[],
): GatewayState['progress'] {
	let next = progress;
	for (const event of events) {
		if (event.type === 'run-progressed') {
			const entries = [...(next[event.runId] ?? []), event.entry].slice(-limits.progressEntries);
			next = {...next, [event.runId]: entries};
		} else if (event.type === 'run-changed' && hasEnded(event.run.state) && next[event.run.id]) {
			const {[event.run.id]: _ended, ...others} = next;
			next = others;
		}
	}

	return next;
}
