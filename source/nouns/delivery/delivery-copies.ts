import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import {defaultPort} from '../../core/hosts.ts';
import {codeHostPayload} from '../../core/payload.ts';
import {routePath} from '../../core/route-path.ts';
import {quotedWord} from '../../core/shell-words.ts';
import type {DeliveryRow, GatewayState} from '../../core/state.ts';
import type {Copy} from '../noun.ts';
import {decisionLines, resultWord} from './delivery-word.ts';

/** The texts of a delivery to copy; most are only in the journal. */
export function deliveryCopies({delivery}: DeliveryRow, {webhook}: GatewayState): readonly Copy[] {
	const copy = (key: string, label: string, of: (stored: StoredDelivery) => string): Copy => ({
		key,
		label,
		async text(port) {
			const stored = await port.getDelivery(delivery.id);
			return stored && of(stored);
		},
	});
	return [
		copy('b', 'body', bodyText),
		copy('h', 'headers, secrets masked', headersText),
		copy('c', 'curl line, signature as $SIG', stored => curlText(stored, receiverUrl({webhook}))),
		copy('i', 'delivery id', ({id}) => id),
		copy('d', 'decision trace', decisionText),
		copy('j', 'JSON line', jsonText),
		copy('s', '`svc webhook subscribe` line for such events', subscribeText),
	];
}

/** The receiver's address without a final slash. */
export const receiverUrl = ({webhook}: Pick<GatewayState, 'webhook'>): string =>
	webhook.state === 'listening'
		? (/^https?:\/\/[^/]+/.exec(webhook.url)?.[0] ?? webhook.url)
		: `http://127.0.0.1:${defaultPort}`;

/** The body as received. */
export const bodyText = ({body}: StoredDelivery): string =>
	body ? new TextDecoder().decode(body) : '';

/** The readable payload: the one that a code host put into a form, else the body. */
export const payloadText = (delivery: StoredDelivery): string =>
	codeHostPayload(delivery) ?? bodyText(delivery);

/** The stored headers, one per line; never including secrets. */
export const headersText = (delivery: StoredDelivery): string =>
	Object.entries(delivery.headers)
		.map(([name, value]) => `${name}: ${value}`)
		.join('\n');

/** Headers that curl sets itself, or that belong to the connection. */
const ownHeader =
	/^(?:accept|accept-encoding|connection|content-length|host|transfer-encoding|user-agent)$/;

/**
 * A curl command that repeats the delivery. The signature is the shell variable `$SIG`: the secret never leaves the gateway. `base`: the receiver's address
 * without a final slash.
 */
export function curlText(delivery: StoredDelivery, base: string): string {
	const headers = Object.entries(delivery.headers)
		.filter(([name]) => !ownHeader.test(name))
		.map(([name, value]) => `-H ${quotedWord(`${name}: ${value}`)}`);
	return [
		'curl',
		'-X POST',
		quotedWord(base + routePath({profile: delivery.profile, name: delivery.route})),
		...headers,
		'-H "X-Webhook-Signature: $SIG"',
		`--data-binary ${quotedWord(bodyText(delivery))}`,
	].join(' ');
}

const usualPrompt = 'Event {event_type}: {__raw__}';

/** The name and definition of a route for events of the same type. */
export function routeFor({event}: Pick<Delivery, 'event'>) {
	const slug = event
		.toLowerCase()
		.replaceAll(/[^a-z0-9_-]+/g, '-')
		.replaceAll(/^[-_]+|[-_]+$/g, '')
		.slice(0, 64);
	const isNamed = event !== '-' && event !== 'unknown';
	return {
		name: slug === '' || !isNamed ? 'new-route' : slug,
		definition: {...(isNamed && {events: [event]}), prompt: usualPrompt},
	};
}

/** A command that adds that route; it prints what to configure at the sender. */
export function subscribeText(delivery: Pick<Delivery, 'event'>): string {
	const {name, definition} = routeFor(delivery);
	return [
		`svc webhook subscribe ${name}`,
		...(definition.events ?? []).map(event => `--events ${quotedWord(event)}`),
		`--prompt ${quotedWord(definition.prompt)}`,
	].join(' ');
}

/** The decision trace, one step per line, below a line that names the delivery. */
export const decisionText = (delivery: Delivery): string =>
	[
		`${delivery.id} ${delivery.route} ${delivery.event} ${resultWord(delivery)}`,
		...decisionLines(delivery).map(({mark, step, detail}) => `${mark} ${step.padEnd(9)} ${detail}`),
	].join('\n');

/** The delivery without its body as one line of JSON. */
export function jsonText(delivery: StoredDelivery): string {
	const {body: _body, ...rest} = delivery;
	return JSON.stringify(rest);
}
