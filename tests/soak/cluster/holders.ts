import {setTimeout as sleep} from 'node:timers/promises';
import type {JsonObject} from '../../../source/core/json.ts';
import type {PostgresServer} from '../../helpers/postgres.ts';
import {startScriptedModel} from '../../helpers/scripted-model.ts';
import {openService} from '../../platforms/service.ts';
import {ask} from './races.ts';
import {memberNames, openRig, postEvent} from './rig.ts';

export type HoldersReport = {
	/** Runs whose holder was stopped while the agent worked, while it delivered, or was killed. */
	readonly stoppedInAgent: number;
	readonly stoppedInDelivery: number;
	readonly killed: number;
	/** From the signal until a run was worked on, or settled, elsewhere. */
	readonly slowestTakeOverMs: number;
	/** How the runs of the lost holders ended. */
	readonly states: Readonly<Record<string, number>>;
	readonly wrong: readonly string[];
};

/** A lease, and what another may take besides. */
const mostTakeOverMs = 35_000;
/** Places of a member, each of which is taken. */
const places = 8;
/** What a gateway that goes on may still do shows within this time, milliseconds. */
const afterWakeMs = 15_000;
const token = '123456:AAE-telegram-token_0123456789';

/** A gate of each name: what waits at it goes on once it is open. */
function createGates() {
	const gates = new Map<string, PromiseWithResolvers<void>>();
	const gate = (name: string) => {
		const known = gates.get(name) ?? Promise.withResolvers<void>();
		gates.set(name, known);
		return known;
	};
	return {
		pass: async (name: string) => gate(name).promise,
		open(names: readonly string[]) {
			for (const name of names) {
				gate(name).resolve();
			}
		},
	};
}

const nameIn = (value: unknown): string => /case-\d+/.exec(JSON.stringify(value))?.[0] ?? '';

/** Three gateways of which each works on as many runs as it may: the first answer of the model to each run, and of the platform to the first part of each answer, wait at a gate. */
async function openHeld(postgres: PostgresServer, database: string) {
	await using stack = new AsyncDisposableStack();
	const url = await postgres.create(database);
	const [toModel, toPlatform] = [createGates(), createGates()];
	const asked: Array<{readonly name: string; readonly at: number}> = [];
	const messages: Array<{readonly name: string; readonly at: number; readonly text: string}> = [];
	const model = stack.use(
		await startScriptedModel([], {
			async otherwise({body}) {
				const name = nameIn(body);
				const isFirst = !asked.some(one => one.name === name);
				asked.push({name, at: Date.now()});
				await (isFirst && toModel.pass(name));
				return {text: Array.from({length: 700}, (_, word) => `${name}.${word}`).join(' ')};
			},
		}),
	);
	const platform = stack.use(
		await openService(async call => {
			if (!call.path.endsWith('/sendMessage')) {
				return {
					status: 200,
					json: {ok: true, result: {id: 7001, is_bot: true, username: 'svc_bot'}},
				};
			}

			const {text, chat_id: chat} = call.body as JsonObject;
			const name = nameIn(text);
			const isFirst = !messages.some(one => one.name === name);
			messages.push({name, at: Date.now(), text: typeof text === 'string' ? text : ''});
			await (isFirst && toPlatform.pass(name));
			return {
				status: 200,
				json: {ok: true, result: {message_id: messages.length, chat: {id: Number(chat)}}},
			};
		}),
	);
	const {members} = stack.use(
		await openRig({
			urlOf: () => url,
			webhook: {
				routes: {
					agent: {prompt: '{id}', deliver: 'telegram', deliver_extra: {chat_id: '{chat}'}},
				},
			},
			sections: {
				model: {provider: 'openai-compatible', base_url: model.baseUrl, name: 'scripted-1'},
				runs: {concurrency: places, max_queued: 10_000},
				platforms: {
					telegram: {
						enabled: true,
						bot_token: token,
						api_base: platform.url,
						per_minute: 6000,
						inbound: false,
					},
				},
			},
		}),
	);
	await Promise.all(members.map(async member => member.start()));
	let posted = 0;
	const post = async (to: number) => {
		posted += 1;
		const name = `case-${posted}`;
		const send = async () =>
			postEvent(members[to % members.length]?.url() ?? '', {
				route: 'agent',
				id: name,
				body: {id: name, chat: String(1000 + posted)},
			});
		let {status} = await send();
		// As senders do: where the machine is busy, the store is not reached in time.
		for (let tries = 0; status === 503 && tries < 10; tries += 1) {
			// oxlint-disable-next-line no-await-in-loop
			await sleep(1000);
			// oxlint-disable-next-line no-await-in-loop
			({status} = await send());
		}

		if (status !== 202) {
			throw new Error(`${name} was answered ${status}`);
		}

		return name;
	};
	for (let count = 0; count < places * members.length; count += 1) {
		// oxlint-disable-next-line no-await-in-loop -- each member takes what comes to it
		await post(count);
	}

	await until(() => asked.length === posted);
	const rows = await ask<{name: string; node: string}>(
		url,
		'select delivery.delivery_id as name, member.node from run join delivery on delivery.id = run.delivery join member on member.owner = run.lease_owner',
	);
	const moved = stack.move();
	return {
		members,
		asked,
		messages,
		toModel,
		toPlatform,
		post,
		heldBy: (node: string) => rows.filter(row => row.node === node).map(({name}) => name),
		rows: async (names: readonly string[]) =>
			(
				await ask<RunRow>(
					url,
					'select delivery.delivery_id as name, state, error, token::integer, finished_at::float as finished from run join delivery on delivery.id = run.delivery order by run.id',
				)
			).filter(({name}) => names.includes(name)),
		[Symbol.asyncDispose]: async () => moved.disposeAsync(),
	};
}

type RunRow = {
	readonly name: string;
	readonly state: string;
	readonly error: string | null;
	readonly token: number;
	readonly finished: number | null;
};

async function until(
	holds: () => boolean | Promise<boolean>,
	{limitMs = 60_000}: {readonly limitMs?: number} = {},
): Promise<boolean> {
	for (const end = Date.now() + limitMs; Date.now() < end;) {
		// oxlint-disable-next-line no-await-in-loop -- one look after the other
		if (await holds()) {
			return true;
		}

		// oxlint-disable-next-line no-await-in-loop
		await sleep(50);
	}

	return false;
}

/** Stops a gateway that waits for its model and one that is in the middle of deliveries, for `stopMs`: another takes over, and neither does anything more of it once it goes on. */
export async function stopHolders(
	postgres: PostgresServer,
	{database, stopMs = 60_000}: {readonly database: string; readonly stopMs?: number},
): Promise<HoldersReport> {
	await using held = await openHeld(postgres, database);
	const {members, asked, messages, toModel, toPlatform, heldBy, rows, post} = held;
	const [thinking, delivering, idle] = memberNames.map(heldBy) as [string[], string[], string[]];
	const wrong: string[] = [];
	toModel.open(delivering);
	await until(() => delivering.every(name => messages.some(one => one.name === name)));
	const stopped = members.slice(0, 2);
	for (const member of stopped) {
		member.signal('SIGSTOP');
	}

	const stoppedAt = Date.now();
	// Of half of them the answers lie there when they wake.
	const [early, late] = [
		(names: readonly string[]) => names.filter((_, place) => place % 2 === 0),
		(names: readonly string[]) => names.filter((_, place) => place % 2 === 1),
	];
	await sleep(500);
	toModel.open([...idle, ...early(thinking)]);
	toPlatform.open([...idle, ...early(delivering)]);
	const lost = [...thinking, ...delivering];
	// What is asked for again has its gates open.
	toPlatform.open(thinking);
	await until(async () => (await rows(lost)).every(({finished}) => finished !== null), {
		limitMs: Math.max(1000, stopMs - 5000),
	});
	await sleep(Math.max(0, stoppedAt + stopMs - Date.now()));
	const before = await rows(lost);
	const wokenAt = Date.now();
	for (const member of stopped) {
		member.signal('SIGCONT');
	}

	await sleep(2000);
	toModel.open(late(thinking));
	toPlatform.open(late(delivering));
	await sleep(afterWakeMs);
	const after = await rows(lost);

	const takeOvers: number[] = [];
	for (const row of after) {
		const {name, state, finished} = row;
		const first = before.find(one => one.name === name);
		if (JSON.stringify(first) !== JSON.stringify(row)) {
			wrong.push(
				`${name} was ${JSON.stringify(first)}, and is ${JSON.stringify(row)} after the wake`,
			);
		}

		const arrived = messages.filter(one => one.name === name);
		const texts = new Set(arrived.map(({text}) => text));
		const isThinking = thinking.includes(name);
		const [, again] = asked.filter(one => one.name === name);
		takeOvers.push((isThinking ? (again?.at ?? Infinity) : (finished ?? Infinity)) - stoppedAt);
		if (arrived.some(({at}) => at >= wokenAt)) {
			wrong.push(`${name} had a message after the wake`);
		}

		if (texts.size !== arrived.length) {
			wrong.push(`${name} had a message twice`);
		}

		if (isThinking ? state !== 'done' || arrived.length < 2 : state !== 'uncertain') {
			wrong.push(`${name} is ${state} with ${arrived.length} messages (${row.error ?? ''})`);
		}
	}

	// Those that were stopped work again.
	for (const [place, {name}] of stopped.entries()) {
		const next = await post(place);
		toModel.open([next]);
		toPlatform.open([next]);
		const isDone = async () => (await rows([next])).some(({state}) => state === 'done');
		if (!(await until(isDone))) {
			wrong.push(`what was given to gateway ${name} after the wake is not done`);
		}
	}

	return {
		stoppedInAgent: thinking.length,
		stoppedInDelivery: delivering.length,
		killed: 0,
		...judge(takeOvers, after),
		wrong: [...wrong, ...tooLate(takeOvers), ...members.flatMap(({faults}) => faults())],
	};
}

/** Kills a gateway that waits for its model: the others take over what it had. */
export async function killHolder(
	postgres: PostgresServer,
	{database}: {readonly database: string},
): Promise<HoldersReport> {
	await using held = await openHeld(postgres, database);
	const {members, asked, messages, toModel, toPlatform, heldBy, rows} = held;
	const [lost = [], ...kept] = memberNames.map(heldBy);
	const [first] = members;
	await first?.end('SIGKILL');
	const killedAt = Date.now();
	toModel.open(kept.flat());
	toPlatform.open([...lost, ...kept.flat()]);
	const all = [...lost, ...kept.flat()];
	await until(async () => (await rows(all)).every(({finished}) => finished !== null));
	await first?.start();
	const after = await rows(all);
	const takeOvers = lost.map(
		name => (asked.filter(one => one.name === name)[1]?.at ?? Infinity) - killedAt,
	);
	const wrong = after.flatMap(({name, state, error}) => {
		const arrived = messages.filter(one => one.name === name).map(({text}) => text);
		return state === 'done' && new Set(arrived).size === arrived.length && arrived.length > 1
			? []
			: [`${name} is ${state} with ${arrived.length} messages (${error ?? ''})`];
	});
	return {
		stoppedInAgent: 0,
		stoppedInDelivery: 0,
		killed: lost.length,
		...judge(
			takeOvers,
			after.filter(({name}) => lost.includes(name)),
		),
		wrong: [...wrong, ...tooLate(takeOvers), ...members.flatMap(({faults}) => faults())],
	};
}

const tooLate = (takeOvers: readonly number[]): readonly string[] =>
	takeOvers.filter(ms => ms > mostTakeOverMs).map(ms => `a run was taken over after ${ms} ms`);

function judge(takeOvers: readonly number[], rows: readonly RunRow[]) {
	const states: Record<string, number> = {};
	for (const {state} of rows) {
		states[state] = (states[state] ?? 0) + 1;
	}

	return {slowestTakeOverMs: Math.max(0, ...takeOvers), states};
}
