import type {Route} from '../../config/route.ts';
import type {StoredDelivery} from '../../core/delivery.ts';
import type {JsonValue} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {explainMismatch} from '../../webhook/filter.ts';
import type {CompiledRoute} from '../../webhook/find-route.ts';
import {isConnectivityCheck, eventOf} from '../../webhook/identity.ts';
import {parseBody} from '../../webhook/request-content.ts';
import {rawDump, renderTemplate} from '../../webhook/template.ts';

/** How an event ends, in the words of `Delivery.outcome`. `body`: it is not what its content type says. */
export type SimulatedOutcome =
	| 'accepted'
	| 'coalesced'
	| 'delivered'
	| 'duplicate'
	| 'ignored:event'
	| 'ignored:filter'
	| 'body';

/** What the settings of a route make of one stored event. */
export type Judgement = {
	readonly fate: SimulatedOutcome;
	/** What decided, one safe line; empty when there is nothing to say. */
	readonly why: string;
	/** The rendered prompt of an event that passes. */
	readonly prompt?: string;
	/** Keys of that prompt that stay as they are written. */
	readonly unresolved?: readonly string[];
	/** The key that gathers it. */
	readonly key?: string;
};

/** The settings of a route, ready to be asked. */
export type SimulatedRoute = {readonly route: Route; readonly compiled: CompiledRoute};

const maxWhyLength = 300;

/** The pipeline from the body on, without its script and without anything that outlives the call. Of the headers only the stored ones are there. */
export function judge(
	{headers, body = new Uint8Array()}: StoredDelivery,
	{route, compiled}: SimulatedRoute,
): Judgement {
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
): Judgement {
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
