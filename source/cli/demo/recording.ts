import {createHmac, randomUUID} from 'node:crypto';
import type {Clock} from '../../core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {routePath} from '../../core/route-path.ts';
import recording from './recording.json' with {type: 'json'};
import world from './world.json' with {type: 'json'};

/** How a sender says what it sends, and signs it. */
type Sender = 'github' | 'gitlab' | 'stripe' | 'own';

/** An event that is about to be sent. */
export type DemoEvent = {
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

/** An event of the recording: a template `of` it, filled in `with` values, and what is different from it. */
export type RecordedEvent = Partial<Pick<DemoEvent, 'id' | 'route' | 'secret'>> & {
	readonly of: string;
	/** In place of the template's own values. Of a list, each round takes the next one. */
	readonly with?: JsonObject;
	readonly times?: number;
};

/** Something that happens in the recorded day. */
export type Moment = {
	/** How long before the present, minutes. */
	readonly ago: number;
	readonly sends: readonly DemoEvent[];
	/** What a person says to the call that one of these asks for, which may be left `open`; without it the call times out. */
	readonly answer?: 'allow' | 'deny' | 'open';
};

/** A few events that belong together. */
export type Scene = {
	readonly sends: readonly DemoEvent[];
	/** Its run asks a person. */
	readonly asks?: boolean;
};

type Unfilled<Kind extends Scene> = Omit<Kind, 'sends'> & {
	readonly sends: readonly RecordedEvent[];
};

// The types of JSON have no literals; a test reads the whole recording.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const {parts, events, day, counters, round} = recording as unknown as {
	readonly parts: JsonObject;
	readonly events: Readonly<Record<string, JsonObject & {readonly with?: JsonObject}>>;
	readonly day: ReadonlyArray<Unfilled<Moment>>;
	/** What each counter is in the first round, and how much it grows from round to round. */
	readonly counters: Readonly<Record<string, readonly [first: number, step: number]>>;
	readonly round: ReadonlyArray<Unfilled<Scene>>;
};

/** Puts `words` in place of their names in braces: as they are where a text is nothing but one, else as text. */
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

/** `fill` of each of `values`. */
export const fillAll = (values: JsonObject, words: JsonObject): JsonObject =>
	Object.fromEntries(
		Object.entries(values).map(([name, value]) => [name, fillTemplate(value ?? null, words)]),
	);

/** The events that are sent for one of the recording, in round `rounds`, from 0 on. */
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
	// As the recording has it.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	const sending = {...filled, ...different} as unknown as DemoEvent;
	return Array.from({length: times}, () => sending);
}

/** A little of everything that a receiver sees in a day. */
export const recordedDay: readonly Moment[] = day.map(moment => ({
	...moment,
	sends: moment.sends.flatMap(event => sendingsOf(event)),
}));

/** The traffic of the demo after its recorded day: without an end, with numbers that go on from round to round. */
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

/** Posts an event to the receiver at `url`, signed by the time of `clock`. Resolves with the status. */
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
			// The receiver waits for no idle connection when it closes.
			connection: 'close',
			...headersOf[sender]({body, event, id, secret, seconds}),
		},
		signal,
	});
	await response.text();
	return response.status;
}
