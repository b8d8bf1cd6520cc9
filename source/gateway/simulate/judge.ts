import type {Route} from '../../config/route.ts';
import {type Delivery, type StoredDelivery, decidedOutcomes} from '../../core/delivery.ts';
import type {JsonValue} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Journal} from '../../store/port.ts';
import type {CompiledRoute} from '../../webhook/admission.ts';
import {explainMismatch, filterHeadersOf} from '../../webhook/filter.ts';
import {eventOf, isConnectivityCheck} from '../../webhook/identity.ts';
import {parseBody} from '../../webhook/request-content.ts';
import {rawDump, renderTemplate} from '../../webhook/template.ts';

/** The outcome of an event, as in `Delivery.outcome`. `body`: the body does not match its content type. */
export type SimulatedOutcome =
	| 'accepted'
	| 'coalesced'
	| 'delivered'
	| 'duplicate'
	| 'ignored:event'
	| 'ignored:filter'
	| 'body';

/** What the settings of a route make of one stored event. */
export type RouteJudgement = {
	readonly fate: SimulatedOutcome;
	/** The reason, as one safe line; may be empty. */
	readonly why: string;
	/** The rendered prompt of an event that passes. */
	readonly prompt?: string;
	/** Keys in that prompt that could not be resolved and stay as written. */
	readonly unresolved?: readonly string[];
	/** The key by which the event is grouped. */
	readonly key?: string;
};

/** The settings of a route, compiled. */
export type SimulatedRoute = {readonly route: Route; readonly compiled: CompiledRoute};

const maxWhyLength = 300;

/** The pipeline from the parsing of the body on, without its script and without side effects. Only stored headers are available. */
export function judgeEvent(
	{headers, body = new Uint8Array()}: StoredDelivery,
	{route, compiled}: SimulatedRoute,
): RouteJudgement {
	const parsed = parseBody(Buffer.from(body), headers);
	if (!parsed.ok) {
		return {fate: 'body', why: parsed.error};
	}

	const {payload} = parsed;
	const type = eventOf(route, {headers, payload});
	const isWanted = compiled.events ? compiled.events.has(type.name) : !isConnectivityCheck(type);
	if (!isWanted) {
		return {fate: 'ignored:event', why: clean(`${type.name} is not in events`)};
	}

	const mismatch = compiled.matches({payload, event: type.name, headers});
	return mismatch
		? {fate: 'ignored:filter', why: clean(explainMismatch(mismatch))}
		: pass({route, compiled}, {payload, event: type.name});
}

function pass(
	{route, compiled}: SimulatedRoute,
	context: {readonly payload: JsonValue; readonly event: string},
): RouteJudgement {
	const {text: prompt, unresolved} = compiled.prompt
		? renderTemplate(compiled.prompt, context)
		: {text: rawDump(context.payload), unresolved: []};
	if (route.deliverOnly) {
		return {fate: 'delivered', why: '', prompt, unresolved};
	}

	const key = compiled.groupKey?.(context);
	if (!key) {
		return {fate: 'accepted', why: '', prompt, unresolved};
	}

	return key.ok
		? {fate: 'coalesced', why: clean(`key ${key.text}`), prompt, unresolved, key: key.text}
		: {
				fate: 'accepted',
				why: clean(`key missing: ${key.missing.join(' ')}`),
				prompt,
				unresolved,
			};
}

const clean = (text: string): string => escapeLine(text, maxWhyLength);

/** What these settings need that stored events lack, one sentence each. `headers`: those of the events, to find missing ones. */
export const notesOn = (
	routes: readonly Route[],
	headers: ReadonlyArray<Readonly<Record<string, string>>> = [],
): readonly string[] => [...new Set(sentences(routes, headers))];

const sentences = (
	routes: readonly Route[],
	headers: ReadonlyArray<Readonly<Record<string, string>>>,
): readonly string[] => [
	...routes.flatMap(({enabled}) =>
		enabled
			? []
			: [
					'the route is paused: events that would start something are answered 503 and kept; this is what they become once it is resumed',
				],
	),
	...routes.flatMap(({script}) =>
		script === undefined
			? []
			: [`the script ${script} is not run: what it ignores or changes does not show`],
	),
	...filterHeadersOf(routes.flatMap(({filters}) => filters)).flatMap(header => {
		const without = headers.filter(stored => !Object.hasOwn(stored, header)).length;
		return without === 0
			? []
			: [
					`the header ${header} is not stored with ${without} of ${headers.length} events: filters find it missing there`,
				];
	}),
];

/** Maximum size of bodies that a simulation holds in memory, bytes. */
const maxBytes = 256 * 1024 * 1024;

/** The newest stored events that senders sent to a route (no replays), oldest first, and the number left out: those without a stored body, and those beyond 256 MiB. */
export async function storedEvents(
	journal: Pick<Journal, 'get' | 'list'>,
	{route, last}: {readonly route: Pick<Route, 'name' | 'profile'>; readonly last: number},
): Promise<{readonly events: readonly StoredDelivery[]; readonly leftOut: number}> {
	const own = await listStored(journal, {route, last});
	const events: StoredDelivery[] = [];
	let bytes = 0;
	for (const {id, bodyBytes} of own) {
		bytes += bodyBytes;
		if (bytes > maxBytes) {
			break;
		}

		// oxlint-disable-next-line no-await-in-loop -- bodies are large: one at a time
		const stored = await journal.get(id);
		if (stored?.body) {
			events.push(stored);
		}
	}

	return {
		// Of two events of one millisecond, the one that is listed later came first.
		events: events.toReversed().toSorted((a, b) => a.receivedAt - b.receivedAt),
		leftOut: own.length - events.length,
	};
}

/** The newest deliveries that a sender sent to a route (no replays), newest first, without their bodies. */
export async function listStored(
	journal: Pick<Journal, 'list'>,
	{route, last}: {readonly route: Pick<Route, 'name' | 'profile'>; readonly last: number},
): Promise<readonly Delivery[]> {
	const {name, profile} = route;
	const listed = await journal.list({route: name, profile, outcomes: decidedOutcomes, limit: last});
	return listed.filter(({replayOf}) => replayOf === undefined);
}
