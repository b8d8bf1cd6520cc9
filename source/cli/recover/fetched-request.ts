import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import type {Attempt} from './attempts.ts';

/** What the receiver gets of an event that did not reach it. */
export type FetchedRequest = {
	/** Lower-case names. */
	readonly headers: Readonly<Record<string, string>>;
	/** The payload as JSON, its numbers as they were; a form where the sender sends forms. */
	readonly body: string;
};

const formType = 'application/x-www-form-urlencoded';

/**
 * The request behind a try, from the API's detail of it. The host keeps the payload as a value, not the bytes that it signed.
 *
 * @throws SvcError `forge_failed` when the detail has no payload
 */
export function fetchedRequest(detail: unknown, {id, guid, event}: Attempt): FetchedRequest {
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

/** They are of other bytes, and nobody looks at them. */
const isSignature = (name: string): boolean => /signature|token/i.test(name);
