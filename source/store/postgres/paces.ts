import {randomUUID} from 'node:crypto';
import {integerOf, jsonOf, nullableInteger} from '../columns.ts';
import {nameOfRoute, routeOf} from '../counters.ts';
import {planStart, rateUseOf, type Pace} from '../limits/paces.ts';
import type {Paces} from '../limits/port.ts';
import type {RouteKey} from '../port.ts';
import {columnsOf} from './ask.ts';
import {createBatch} from './batch.ts';
import type {Database, Statements, Transaction} from './database.ts';

/** A promised start; `id` names it in `keep` and `giveBack`. The times of its pace are the database's, milliseconds since 1970. */
type Step = {readonly id: string; readonly pace: Pace; readonly isGivenBack?: true};

/** Promised starts of a route, newest last. The first one is final: it was kept, or taken at once. */
type Steps = readonly Step[];

/** Maximum number of remembered promised starts per route: a dead gateway leaves some that are never kept or given back. */
const maxSteps = 1000;

/** A row dated further ahead was written before the clock was set back, milliseconds. */
const tolerableMs = 60_000;

/** `limit`: starts in a minute, for `enter` and `promise`. */
type Call = RouteKey & {
	readonly kind: 'enter' | 'promise' | 'keep' | 'giveBack';
	readonly id: string;
	readonly limit: number;
};

/** Applies a call to the starts of its route; also returns the pace that it takes, if any. */
function perform(steps: Steps, call: Call, now: number): {steps: Steps; pace?: Pace} {
	const {id} = call;
	if (call.kind === 'keep') {
		const index = steps.findIndex(step => step.id === id);
		return {steps: steps.slice(Math.max(0, index))};
	}

	if (call.kind === 'giveBack') {
		const marked = steps.map(step =>
			step.id === id ? {...step, isGivenBack: true as const} : step,
		);
		const last = marked.findLastIndex(({isGivenBack}) => !isGivenBack);
		return {steps: marked.slice(0, Math.max(1, last + 1))};
	}

	const pace = planStart(steps.at(-1)?.pace, call.limit, now);
	if (call.kind === 'promise') {
		return {steps: [...steps, {id, pace}].slice(-maxSteps), pace};
	}

	return pace.startAt > now ? {steps} : {steps: [{id, pace}], pace};
}

/** The starts promised to waiting runs of these routes, as paces, for routes without other data. */
async function promisedTo(
	{query}: Pick<Statements, 'query'>,
	routes: readonly RouteKey[],
	now: number,
): Promise<ReadonlyMap<string, Steps>> {
	if (routes.length === 0) {
		return new Map();
	}

	const rows = await query(
		`select run.profile, run.route, max(due_at) as start_at from run join unnest($1::text[], $2::text[]) as wanted (profile, route) on run.profile = wanted.profile and run.route = wanted.route
		where due_at > $3 and is_promised = 1 and state = 'queued' and attempt + delivery_attempt = 0 and awaits_logins is null group by run.profile, run.route`,
		[...columnsOf(routes, 'profile', 'route'), now],
	);
	return new Map(
		rows.map(row => {
			const startAt = integerOf(row['start_at']);
			const pace = {windowStartsAt: startAt, used: 1, isPromised: true, startAt};
			return [nameOfRoute(routeOf(row)), [{id: '', pace}]];
		}),
	);
}

/** Locks the rows of the routes; resolves with their steps, and a time that never goes back between two lock holders. */
async function lock(
	{query, now}: Transaction,
	routes: readonly RouteKey[],
): Promise<{readonly now: number; readonly steps: Map<string, Steps>}> {
	const rows = await query(
		`insert into pace (profile, route, at, data) select profile, route, 0, '[]' from unnest($1::text[], $2::text[]) as wanted (profile, route) order by profile, route
		on conflict (profile, route) do update set at = pace.at returning profile, route, at, data`,
		columnsOf(routes, 'profile', 'route'),
	);
	const known = rows.filter(row => isKnown(nullableInteger(row['at']), now));
	const steps = new Map(known.map(row => [nameOfRoute(routeOf(row)), jsonOf<Steps>(row['data'])]));
	const others = routes.filter(route => !steps.has(nameOfRoute(route)));
	return {
		now: Math.max(now, ...known.map(row => integerOf(row['at']))),
		steps: new Map([...steps, ...(await promisedTo({query}, others, now))]),
	};
}

/** `Paces` as rows that are locked during planning. Concurrent calls share one transaction. */
export function createPaces(database: Database): Paces {
	const callAll = async (calls: readonly Call[]) =>
		database.transact(async transaction => {
			const routes = [...new Map(calls.map(call => [nameOfRoute(call), call])).values()];
			const {now, steps: known} = await lock(transaction, routes);
			const answers = calls.map(call => {
				const name = nameOfRoute(call);
				const {steps, pace} = perform(known.get(name) ?? [], call, now);
				known.set(name, steps);
				return pace && {...pace, startAt: pace.startAt - now};
			});
			await transaction.run(
				`update pace set at = $1, data = changed.data from unnest($2::text[], $3::text[], $4::text[]) as changed (profile, route, data)
				where pace.profile = changed.profile and pace.route = changed.route`,
				[
					now,
					...columnsOf(routes, 'profile', 'route'),
					routes.map(route => JSON.stringify(known.get(nameOfRoute(route)) ?? [])),
				],
			);
			return answers;
		});

	const call = createBatch(callAll, {most: 1024, name: database.name});
	return {
		async enter({profile, route}, limit) {
			return (await call({kind: 'enter', profile, route, limit, id: ''}))?.used;
		},
		async used({profile, route}, limit) {
			const now = database.now();
			const [row] = await database.query(
				'select at, data from pace where profile = $1 and route = $2',
				[profile, route],
			);
			const steps = isKnown(nullableInteger(row?.['at']), now)
				? jsonOf<Steps>(row?.['data'])
				: [...(await promisedTo(database, [{profile, route}], now)).values()][0];
			return rateUseOf(steps?.at(-1)?.pace, limit, now);
		},
		async promise({profile, route}, limit) {
			const id = randomUUID();
			const pace = await call({kind: 'promise', profile, route, limit, id});
			return {
				inMs: pace?.startAt ?? 0,
				async keep() {
					await call({kind: 'keep', profile, route, id, limit});
				},
				async giveBack() {
					await call({kind: 'giveBack', profile, route, id, limit});
				},
			};
		},
	};
}

/** Whether a row of this time is current. */
const isKnown = (at: number | null, now: number): boolean =>
	at !== null && at > 0 && at <= now + tolerableMs;
