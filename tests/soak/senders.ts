import {Agent, request} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {hubSignature} from '../helpers/post.ts';
import {routeKinds, type Acknowledged} from './kinds.ts';

export type Senders = {
	readonly acknowledged: readonly Acknowledged[];
	/** How often an event was sent. */
	sendsOf(sending: Sending): number;
	/** Sends from several clients at once, each an event every `pauseMs` after an answer, until `isOver`. */
	sendUntil(
		url: string,
		isOver: () => boolean,
	): {
		/** When the first event was accepted, on the clock of `performance`. */
		readonly accepted: Promise<number>;
		/** The clients have stopped. */
		readonly done: Promise<void>;
	};
	/** Sends again what was never answered. */
	resend(url: string): Promise<void>;
};

type Sending = {readonly route: string; readonly deliveryId: string};

const kinds = new Map(routeKinds.map(kind => [kind.route, kind]));
/** Each as often as it weighs. */
const routes = routeKinds.flatMap(({route, weight}) => Array.from({length: weight}, () => route));
const entities = 6;
const clients = 8;

const nameOf = ({route, deliveryId}: Sending) => `${route} ${deliveryId}`;

/** Senders as code hosts are: an event that was not answered is sent again later, with the identifier that it had. */
export function createSenders(
	random: () => number,
	{pauseMs}: {readonly pauseMs: number},
): Senders {
	const acknowledged: Acknowledged[] = [];
	const sends = new Map<string, number>();
	const unanswered: Sending[] = [];
	let count = 0;

	/** An event that was acknowledged, as a sender sends it that did not read the answer. */
	const repeated = (): Sending | undefined => {
		const one = acknowledged[Math.floor(random() * acknowledged.length)];
		return one && kinds.get(one.route)?.isRepeated ? one : undefined;
	};

	const next = (): Sending => {
		// Some of them at once, others much later.
		const again = random() < 0.1 ? unanswered.shift() : random() < 0.05 ? repeated() : undefined;
		count += again ? 0 : 1;
		const route = routes[Math.floor(random() * routes.length)] ?? 'agent';
		return again ?? {route, deliveryId: `event-${count}`};
	};

	const send = async (agent: Agent, url: string, sending: Sending): Promise<boolean> => {
		const name = nameOf(sending);
		sends.set(name, (sends.get(name) ?? 0) + 1);
		const status = await post(agent, `${url}/webhooks/${sending.route}`, sending);
		const isPromise = status !== undefined && status === kinds.get(sending.route)?.promise;
		if (status === undefined) {
			unanswered.push(sending);
		} else if (isPromise) {
			acknowledged.push({...sending, status});
		}

		return isPromise;
	};

	return {
		acknowledged,
		sendsOf: sending => sends.get(nameOf(sending)) ?? 0,
		sendUntil(url, isOver) {
			const {promise: accepted, resolve} = Promise.withResolvers<number>();
			const agent = new Agent({keepAlive: true, maxSockets: clients});
			const client = async () => {
				while (!isOver()) {
					if (await send(agent, url, next())) {
						resolve(performance.now());
					}

					if (pauseMs > 0) {
						await sleep(pauseMs);
					}
				}
			};
			const done = (async () => {
				await Promise.all(Array.from({length: clients}, client));
				agent.destroy();
			})();
			return {accepted, done};
		},
		async resend(url) {
			const agent = new Agent({keepAlive: true, maxSockets: clients});
			const left = unanswered.splice(0).values();
			const client = async () => {
				for (const sending of left) {
					await send(agent, url, sending);
				}
			};
			await Promise.all(Array.from({length: clients}, client));
			agent.destroy();
		},
	};
}

/** The `status` of the answer's body; `undefined` when there was no answer, or one that asks to come again. */
async function post(agent: Agent, url: string, {deliveryId}: Sending): Promise<string | undefined> {
	const number = Number(deliveryId.slice('event-'.length));
	const body = JSON.stringify({id: deliveryId, entity: `entity-${number % entities}`});
	return new Promise(resolve => {
		const outgoing = request(
			url,
			{
				agent,
				method: 'POST',
				timeout: 10_000,
				headers: {
					'content-type': 'application/json',
					'content-length': Buffer.byteLength(body),
					'x-github-event': 'push',
					'x-github-delivery': deliveryId,
					'x-hub-signature-256': hubSignature(body),
				},
			},
			response => {
				let text = '';
				response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
				response.on('end', () => {
					resolve((response.statusCode ?? 0) >= 500 ? undefined : JSON.parse(text).status);
				});
				response.on('error', () => {
					resolve(undefined);
				});
			},
		);
		outgoing.on('timeout', () => outgoing.destroy());
		outgoing.on('error', () => {
			resolve(undefined);
		});
		outgoing.end(body);
	});
}
