import type {Route} from '../config/route.ts';
import type {JsonObject} from '../core/json.ts';
import {cell} from '../core/untrusted.ts';
import {headerOf} from './headers.ts';
import type {RequestHeaders} from './headers.ts';
import {eventTypeOf} from './identity.ts';
import {parseBody} from './parse-body.ts';
import {renderExtra} from './template.ts';

export type ReplayEffects = {
	readonly route: string;
	/** One line per consequence, cleaned. */
	readonly effects: readonly string[];
	/** Whether anything beyond the log happens. */
	readonly needsConfirmation: boolean;
};

/** What an event would do on `route` if its filters and its script let it pass. Pure. */
export function effectsOf({
	route,
	body,
	headers,
}: {
	readonly route: Route;
	readonly body: Buffer;
	readonly headers: RequestHeaders;
}): ReplayEffects {
	const parsed = parseBody(body, headerOf(headers, 'content-type'));
	const payload = parsed.ok ? parsed.payload : null;
	const event = eventTypeOf(headers, payload).name;
	const extra = renderExtra(route.deliverExtra, {payload, event});

	return {
		route: route.name,
		effects: [
			...(route.script === undefined ? [] : [`runs the script ${route.script}`]),
			...(route.deliverOnly ? [] : ['starts an agent run']),
			describeTarget(route, extra),
		].map(effect => cell(effect, 200).text),
		needsConfirmation: route.deliver !== 'log' || route.script !== undefined,
	};
}

function describeTarget({deliver}: Route, extra: JsonObject): string {
	switch (deliver) {
		case 'log':
			return 'writes the answer to the log';
		case 'forge_comment':
			return `posts a comment to ${textOf(extra['repo'])}#${textOf(extra['pr_number'])}`;
		default:
			return `sends a message to ${deliver} ${textOf(extra['chat_id'] ?? 'home channel')}`;
	}
}

const textOf = (value: unknown) =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
