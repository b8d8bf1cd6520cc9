import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {refusals} from '../../webhook/replies.ts';
import type {Attempt} from './attempts.ts';
import type {ForgeApi} from './forge-api.ts';

/** The result for an event. `status` is 0 if it did not reach the receiver; `error` in the body then says why. */
export type RecoveryResult = {
	readonly event: Attempt;
	readonly answer: {readonly status: number; readonly body: string};
};

/** The source and the destination of events. */
export type RecoveryPlace = {
	readonly api: ForgeApi;
	readonly gateway: Pick<GatewayCommands, 'recoverDelivery'>;
	/** Name of the route. */
	readonly route: string;
	/** The path of the webhook's attempts, below the API's root. */
	readonly path: string;
};

/**
 * Takes events in, one after the other, oldest first. An event whose payload is lost, or that the gateway refuses, does not stop the others. Ends early when the
 * gateway has no room, or stops: repeat the command for the rest.
 *
 * @throws SvcError what would fail for every other event too: `interrupted`, a gateway that is gone, a code host that does not let us in
 */
export async function* takeIn(
	missed: readonly Attempt[],
	place: RecoveryPlace,
): AsyncIterable<RecoveryResult> {
	for (const event of missed) {
		// oxlint-disable-next-line no-await-in-loop -- payloads are large, and their order counts
		const answer = await takeOne(event, place);
		yield {event, answer};
		if (endings.has(answer.body)) {
			return;
		}
	}
}

async function takeOne(
	event: Attempt,
	{api, gateway, route, path}: RecoveryPlace,
): Promise<RecoveryResult['answer']> {
	try {
		const {value} = await api.get(`${path}/${event.id}`);
		const request = fetchedRequest(value, event);
		return await gateway.recoverDelivery(route, {delivery_id: event.guid, ...request});
	} catch (error) {
		if (!(error instanceof SvcError) || isOfAll.has(codeOf(error))) {
			throw error;
		}

		return {status: 0, body: JSON.stringify({error: messageOf(error)})};
	}
}

/** Answers that the gateway would repeat for the next event. */
const endings: ReadonlySet<string> = new Set([refusals.queue.body, refusals.stopping.body]);

/** Failures that affect all events. Further requests after a rate limit might block the user's account. */
const isOfAll: ReadonlySet<string> = new Set([
	'interrupted',
	'gateway_not_running',
	'gateway_silent',
	'webhook_not_listening',
	'forge_client_missing',
	'forge_client_unusable',
	'forge_not_authenticated',
	'forge_rate_limited',
]);

/** The request for the receiver, reconstructed from the API. */
type FetchedRequest = {
	/** Lower-case names. */
	readonly headers: Readonly<Record<string, string>>;
	/** The payload as JSON with its numbers unchanged, or as a form if the sender sends forms. */
	readonly body: string;
};

const formType = 'application/x-www-form-urlencoded';

/**
 * Reconstructs an attempt's request from its detail in the API. The host stores the payload as a value, not the bytes that it signed.
 *
 * @throws SvcError `forge_failed` when the detail has no payload
 */
function fetchedRequest(detail: unknown, {id, guid, event}: Attempt): FetchedRequest {
	const request = isJsonObject(detail) ? detail['request'] : undefined;
	const payload = isJsonObject(request) ? request['payload'] : undefined;
	if (!isJsonObject(request) || payload === undefined || payload === null) {
		throw new SvcError(
			'forge_failed',
			`Cannot recover delivery ${id}: the code host has not kept its payload`,
		);
	}

	const headers: Record<string, string> = {'x-github-event': event};
	const sent = request['headers'];
	for (const [name, value] of Object.entries(isJsonObject(sent) ? sent : {})) {
		if (typeof value === 'string' && !isSignature(name)) {
			headers[name.toLowerCase()] = value;
		}
	}

	const json = JSON.stringify(payload);
	return {
		headers: {...headers, 'x-github-delivery': guid},
		body: headers['content-type']?.startsWith(formType)
			? `payload=${encodeURIComponent(json)}`
			: json,
	};
}

/** Signatures belong to the original bytes, and are not checked. */
const isSignature = (name: string): boolean => /signature|token/i.test(name);
