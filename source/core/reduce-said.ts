import type {GatewayEvent} from './events.ts';
import type {TranscriptEntry} from './run.ts';
import {limits, type GatewayState, type RunSaid} from './state.ts';

/** The end of an answer, as much of it as is kept. */
export function lastOfSaid({at, from, text}: RunSaid): RunSaid {
	const excess = text.length - limits.saidCharacters;
	if (excess <= 0) {
		return {at, from, text};
	}

	// Never the second half of a pair.
	const cut = /[\udc00-\udfff]/.test(text.charAt(excess)) ? excess + 1 : excess;
	return {at, from: from + cut, text: text.slice(cut)};
}

const endings: ReadonlySet<TranscriptEntry['kind']> = new Set(['text', 'retry', 'error']);

/** Whether an entry of the transcript says how an answer ended: it is there whole, or it broke off. */
export const endsAnswer = ({kind}: Pick<TranscriptEntry, 'kind'>): boolean => endings.has(kind);

/** What the model is saying after `events`. What a reader has missed is counted in `from`. */
export const saidAfter = (
	said: GatewayState['said'],
	events: readonly GatewayEvent[],
): GatewayState['said'] => events.reduce(saidAfterOne, said);

function saidAfterOne(said: GatewayState['said'], event: GatewayEvent): GatewayState['said'] {
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

	return event.type === 'run-changed' && event.run.state !== 'running'
		? without(said, event.run.id)
		: said;
}

function without(said: GatewayState['said'], runId: number): GatewayState['said'] {
	if (!said?.[runId]) {
		return said;
	}

	const {[runId]: _ended, ...others} = said;
	return Object.keys(others).length === 0 ? undefined : others;
}
