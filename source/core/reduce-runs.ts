import type {EventOf} from './events.ts';
import {hasEnded, needsDecision, type Run, type RunState, type TranscriptEntry} from './run.ts';
import {type GatewayState, limits, type RunSaid} from './state.ts';

/** An event with runs. */
export type RunEvent = EventOf<'history-restored' | 'delivery-received' | 'run-changed'>;

/** The runs after `events`, by id. Above the limit drops the oldest: first of ended runs that need no decision, then of queued runs, then of the others. */
export function runsAfter(
	runs: GatewayState['runs'],
	events: readonly RunEvent[],
): GatewayState['runs'] {
	const changed = new Map<number, Run>();
	let known: ReadonlySet<number> | undefined;
	const isKnown = (id: number) => {
		known ??= new Set(runs.map(run => run.id));
		return known.has(id);
	};

	/** The greatest id so far: a run above it is new without a look-up, as most are. */
	let newest = runs.at(-1)?.id ?? 0;
	let inOrder = true;
	for (const event of events) {
		for (const run of runsOf(event)) {
			const isNew = run.id > newest;
			inOrder &&= isNew;
			// A restored run, or one implied by a delivery, never replaces a known run: that is newer.
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

/** The runs in `event`. An accepted delivery implies its queued run. */
function runsOf(event: RunEvent): readonly Run[] {
	if (event.type === 'history-restored') {
		return event.runs;
	}

	if (event.type === 'run-changed') {
		return [event.run];
	}

	if (event.delivery.runId === undefined) {
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

type ProgressEvent = EventOf<'run-progressed' | 'run-said' | 'run-changed'>;

/** The last transcript entries of open runs, after `events`; those of ended runs are only in the journal. */
export function progressAfter(
	progress: GatewayState['progress'],
	events: readonly ProgressEvent[],
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

/** Cuts a streamed answer to its last `limits.saidCharacters`. */
export function lastOfSaid({at, from, text}: RunSaid): RunSaid {
	const excess = text.length - limits.saidCharacters;
	if (excess <= 0) {
		return {at, from, text};
	}

	// Do not begin with the second half of a surrogate pair.
	const cut = /[\udc00-\udfff]/.test(text.charAt(excess)) ? excess + 1 : excess;
	return {at, from: from + cut, text: text.slice(cut)};
}

const endings: ReadonlySet<TranscriptEntry['kind']> = new Set(['text', 'retry', 'error']);

/** Whether a transcript entry ends a streamed answer: the whole text, a retry or an error. */
export const endsAnswer = ({kind}: Pick<TranscriptEntry, 'kind'>): boolean => endings.has(kind);

/** The streamed answers after `events`. `from` includes characters that a reader has missed. */
export const saidAfter = (
	said: GatewayState['said'],
	events: readonly ProgressEvent[],
): GatewayState['said'] => events.reduce(saidAfterOne, said);

function saidAfterOne(said: GatewayState['said'], event: ProgressEvent): GatewayState['said'] {
	if (event.type === 'run-said') {
		const {runId, at, from, text} = event;
		const before = said?.[runId];
		const goesOn = before && before.from + before.text.length === from;
		const next = goesOn ? {at, from: before.from, text: before.text + text} : {at, from, text};
		return {...said, [runId]: lastOfSaid(next)};
	}

	if (event.type === 'run-progressed') {
		return endsAnswer(event.entry) ? without(said, event.runId) : said;
	}

	return event.run.state === 'running' ? said : without(said, event.run.id);
}

function without(said: GatewayState['said'], runId: number): GatewayState['said'] {
	if (!said?.[runId]) {
		return said;
	}

	const {[runId]: _ended, ...others} = said;
	return Object.keys(others).length === 0 ? undefined : others;
}
