import {createHmac, randomUUID} from 'node:crypto';
import type {Clock} from '../../../core/clock.ts';
import type {JsonObject} from '../../../core/json.ts';
import {routePath} from '../../../core/route-path.ts';
import {demoSecret} from '../servers/demo-config.ts';

/** How a sender says what it sends, and signs it. */
export type Sender = 'github' | 'gitlab' | 'stripe' | 'own';

/** An event that is about to be sent. */
export type Sending = {
	readonly route: string;
	readonly event: string;
	/** Text is sent as it is. */
	readonly payload: JsonObject | string;
	/** `github` when absent. */
	readonly sender?: Sender;
	/** The same twice is a duplicate; one of its own when absent. */
	readonly id?: string;
	/** Signs with this instead of the secret of the route; without anything when it is empty. */
	readonly secret?: string;
};

type Signed = {
	readonly body: string;
	readonly event: string;
	readonly id: string;
	readonly secret: string;
	readonly seconds: number;
};

const hmac = (secret: string, text: string) =>
	createHmac('sha256', secret).update(text).digest('hex');

const headersOf: Readonly<Record<Sender, (signed: Signed) => Readonly<Record<string, string>>>> = {
	github: ({body, event, id, secret}) => ({
		'user-agent': 'GitHub-Hookshot/044aadd',
		'x-github-event': event,
		'x-github-delivery': id,
		...(secret !== '' && {'x-hub-signature-256': `sha256=${hmac(secret, body)}`}),
	}),
	gitlab: ({event, id, secret}) => ({
		'user-agent': 'GitLab/18.5.1',
		'x-gitlab-event': event,
		'x-gitlab-event-uuid': id,
		'x-gitlab-token': secret,
	}),
	stripe: ({body, secret, seconds}) => ({
		'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
		'stripe-signature': `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}`,
	}),
	own: ({body, id, secret, seconds}) => ({
		'user-agent': 'watch/2.4',
		'x-request-id': id,
		'x-webhook-timestamp': String(seconds),
		'x-webhook-signature-v2': hmac(secret, `${seconds}.${body}`),
	}),
};

/** Posts an event to the receiver at `url`, signed by the time of `clock`. Resolves with the status. */
export async function send(
	{route, event, payload, sender = 'github', id = randomUUID(), secret = demoSecret}: Sending,
	{url, clock, signal}: {readonly url: string; readonly clock: Clock; readonly signal: AbortSignal},
): Promise<number> {
	const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
	const seconds = Math.floor(clock.now() / 1000);
	const response = await fetch(`${url}${routePath({name: route, profile: 'default'})}`, {
		method: 'POST',
		body,
		headers: {
			'content-type': 'application/json',
			// The receiver waits for nobody when it closes.
			connection: 'close',
			...headersOf[sender]({body, event, id, secret, seconds}),
		},
		signal,
	});
	await response.text();
	return response.status;
}
