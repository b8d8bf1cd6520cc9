import {createHmac, randomUUID} from 'node:crypto';
import type {Clock} from '../../core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {routePath} from '../../core/route-path.ts';
import recording from './recording.json' with {type: 'json'};
import world from './world.json' with {type: 'json'};

/** The format and signature that a sender uses. */
type Sender = 'github' | 'gitlab' | 'stripe' | 'own';

/** An event to be sent. */
export type DemoEvent = {
	readonly route: string;
	readonly event: string;
	/** Text is sent unchanged. */
	readonly payload: JsonObject | string;
	/** Absent: `github`. */
	readonly sender?: Sender;
	/** An identifier used twice is a duplicate; absent: a unique one. */
	readonly id?: string;
	/** Signs with this secret instead of the route's; empty: does not sign. */
	readonly secret?: string;
};

/** A recorded event: the template `of`, filled with the values of `with`, and overrides. */
export type RecordedEvent = Partial<Pick<DemoEvent, 'id' | 'route' | 'secret'>> & {
	readonly of: string;
	/** Overrides the template's values. Of a list, each round takes the next item. */
	readonly with?: JsonObject;
	readonly times?: number;
};

/** A moment in the recorded day. */
export type Moment = {
	/** Minutes before the present. */
	readonly ago: number;
	readonly sends: readonly DemoEvent[];
	/** A person's answer to the call that one of the events leads to; `open`: it stays waiting; absent: the call times out. */
	readonly answer?: 'allow' | 'deny' | 'open';
};

/** A few related events. */
export type Scene = {
	readonly sends: readonly DemoEvent[];
	/** Its run asks a person. */
	readonly asks?: boolean;
};

type Unfilled<Kind extends Scene> = Omit<Kind, 'sends'> & {
	readonly sends: readonly RecordedEvent[];
};

// TypeScript infers no literals from JSON; a test reads the whole recording.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const {parts, events, day, counters, round} = recording as unknown as {
	readonly parts: JsonObject;
	readonly events: Readonly<Record<string, JsonObject & {readonly with?: JsonObject}>>;
	readonly day: ReadonlyArray<Unfilled<Moment>>;
	/** Each counter's value in the first round, and its increment per round. */
	readonly counters: Readonly<Record<string, readonly [first: number, step: number]>>;
	readonly round: ReadonlyArray<Unfilled<Scene>>;
};

/** Replaces names in braces by `words`: keeping the type if a text is only a name, else as text. */
export function fillTemplate(value: JsonValue, words: JsonObject): JsonValue {
	if (typeof value === 'string') {
		const [, whole = ''] = /^\{(\w+)\}$/.exec(value) ?? [];
		return (
			words[whole] ??
			value.replaceAll(/\{(\w+)\}/g, (found, name: string) => {
				const word = words[name] ?? found;
				return typeof word === 'string' ? word : JSON.stringify(word);
			})
		);
	}

	if (Array.isArray(value)) {
		return value.map(item => fillTemplate(item, words));
	}

	return isJsonObject(value) ? fillAll(value, words) : value;
}

/** Applies `fill` to each of `values`. */
export const fillAll = (values: JsonObject, words: JsonObject): JsonObject =>
	Object.fromEntries(
		Object.entries(values).map(([name, value]) => [name, fillTemplate(value ?? null, words)]),
	);

/** The events to send for a recorded one, in round `rounds`, from 0. */
export function sendingsOf(
	{of, with: own = {}, times = 1, ...different}: RecordedEvent,
	rounds = 0,
): readonly DemoEvent[] {
	const {with: usual = {}, ...template} = events[of] ?? {};
	const counted = Object.entries(counters).map(([name, [first, step]]) => [
		name,
		first + rounds * step,
	]);
	const chosen = Object.entries({...usual, ...own}).map(([name, value]) => [
		name,
		Array.isArray(value) ? value[rounds % value.length] : value,
	]);
	const words = fillAll(Object.fromEntries(chosen), {...parts, ...Object.fromEntries(counted)});
	const filled = fillAll(template, {...parts, ...words});
	// The type of the recording's contents.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	const sending = {...filled, ...different} as unknown as DemoEvent;
	return Array.from({length: times}, () => sending);
}

/** One day with a sample of everything that a receiver sees. */
export const recordedDay: readonly Moment[] = day.map(moment => ({
	...moment,
	sends: moment.sends.flatMap(event => sendingsOf(event)),
}));

/** The demo's traffic after the recorded day: endless, with counters that continue from round to round. */
export function* scenes(): Generator<Scene, never> {
	for (let rounds = 0; ; rounds++) {
		for (const scene of round) {
			yield {...scene, sends: scene.sends.flatMap(event => sendingsOf(event, rounds))};
		}
	}
}

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

/** Posts an event to the receiver at `url`, signed with the time of `clock`. Resolves to the status. */
export async function send(
	{
		route,
		event,
		payload,
		sender = 'github',
		id = randomUUID(),
		secret = world.config.platforms.webhook.secret,
	}: DemoEvent,
	{url, clock, signal}: {readonly url: string; readonly clock: Clock; readonly signal: AbortSignal},
): Promise<number> {
	const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
	const seconds = Math.floor(clock.now() / 1000);
	const response = await fetch(`${url}${routePath({name: route, profile: 'default'})}`, {
		method: 'POST',
		body,
		headers: {
			'content-type': 'application/json',
			// Otherwise the receiver would wait for this idle connection when it closes.
			connection: 'close',
			...headersOf[sender]({body, event, id, secret, seconds}),
		},
		signal,
	});
	await response.text();
	return response.status;
}
