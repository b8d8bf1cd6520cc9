import {resolve} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {pathToFileURL} from 'node:url';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {startSvc, svc} from '../helpers/svc.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';
import {readEverything, type Everything} from './everything.ts';
import {installKillingClient, type KillingClient} from './killing-client.ts';
import {promisedStart, routeKinds, type Acknowledged, type Outcome} from './kinds.ts';
import {createSenders, type Senders} from './senders.ts';

/**
 * Where a gateway is killed. `statement`: at the n-th commit that holds a statement like it, before or after the commit; `client`: by the forge
 * client, when it has done its work and before the gateway knows; neither: at a random moment.
 */
export type CrashPoint = {
	readonly name: string;
	readonly statement?: {
		readonly like: string;
		readonly when: 'before' | 'after';
		/** The kill comes at one of the first that many such commits. */
		readonly among?: number;
	};
	/** How the comment begins. */
	readonly client?: string;
	/** A stop is asked for first, so that the point lies in the shutdown. */
	readonly stopFirst?: true;
};

const around = (
	name: string,
	like: string,
	{among, ...more}: {readonly stopFirst?: true; readonly among?: number} = {},
) =>
	(['before', 'after'] as const).map((when): CrashPoint => ({
		name: `${when} the commit of ${name}`,
		statement: {like, when, ...(among !== undefined && {among})},
		...more,
	}));

/** The steps of a delivery, from its journal entry to its end, each with the points around it. */
export const crashSteps: ReadonlyArray<readonly CrashPoint[]> = [
	around('an accepted delivery', '^insert into delivery'),
	around('a fired job', '^insert into job \\(profile, id, basis', {among: 2}),
	around('an event that joins a group', '^update coalesce_group set last_at'),
	around('a dispatched group', '^update coalesce_group set dispatched_at'),
	around('a group that a stop flushes', '^update coalesce_group set dispatched_at', {
		stopFirst: true,
	}),
	around('a lease', '^update run set state = \\?, attempt'),
	around('an answer', "^update run set state = 'delivering'"),
	around('the start of a delivery', '^update run set delivery_attempt = '),
	around(
		'a settled run',
		'^update run set state = \\?, due_at = null, awaits_logins = null, finished_at',
	),
	[{name: 'after the target has the answer, before the gateway knows', client: 'Event'}],
	[{name: 'after the target has a direct delivery, before the gateway knows', client: 'Direct'}],
];

export const crashPoints: readonly CrashPoint[] = crashSteps.flat();

export type CrashReport = {
	readonly rounds: number;
	/** How often each point was reached; random moments always are. */
	readonly reached: Readonly<Record<string, number>>;
	/** Promises by the kind of route. */
	readonly acknowledged: Readonly<Record<string, number>>;
	/** Starts of events above the rate of their route that were promised, and those of them that have come. */
	readonly paced: {readonly promised: number; readonly started: number};
	/** Starts of a gateway that opened the store; one that does not ends everything. */
	readonly opened: number;
	/** Runs by where they ended. */
	readonly runs: Readonly<Record<string, number>>;
	/** Broken promises, one line each. Empty when everything holds. */
	readonly broken: readonly string[];
	/** From the start of the process to the first accepted event, milliseconds, each round's. */
	readonly restartMs: readonly number[];
};

/** A round ends when its point is reached; this is for a busy machine. */
const maxRoundMs = 10_000;

/**
 * Kills one gateway over and over while senders send to every kind of route, then lets it finish and compares what was answered with what became
 * of it. `points` are taken in turn; `random` (from 0 to 1) decides the rest.
 *
 * @see manual/receiver.md#order-of-decisions
 */
export async function crashRounds({
	rounds,
	points,
	pauseMs = 0,
	among = 12,
	random,
	onRound = () => {},
}: {
	readonly rounds: number;
	readonly points: readonly CrashPoint[];
	/** What each of the senders waits after an answer. */
	readonly pauseMs?: number;
	/** A kill at a commit comes at one of the first that many, unless its point says fewer. */
	readonly among?: number;
	readonly random: () => number;
	readonly onRound?: (round: number, point: CrashPoint) => void;
}): Promise<CrashReport> {
	await using model = await startScriptedModel([], {
		otherwise: ({body}) => ({text: body.messages.at(-1).content}),
	});
	await using client = await installKillingClient();
	await using home = await crashHome(model.baseUrl);
	const senders = createSenders(random, {pauseMs});
	const reached: Record<string, number> = {};
	const restartMs: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const point = points[round % points.length] ?? {name: 'random'};
		onRound(round, point);
		const outcome = await crashOnce({home, client, senders, random, among}, point);
		reached[point.name] = (reached[point.name] ?? 0) + (outcome.reached ? 1 : 0);
		restartMs.push(outcome.restartMs);
	}

	const endedAt = await finish(home, {client, senders});
	const outcome = outcomeOf(await readEverything(home.file('state.db')), {
		endedAt,
		comments: await client.comments(),
		sendsOf: one => senders.sendsOf(one),
	});
	const paced = outcome.deliveries.filter(one => one.route === 'paced' && promisedStart(one) > 0);
	return {
		rounds,
		reached,
		acknowledged: countBy(senders.acknowledged, ({route}) => route),
		paced: {
			promised: paced.length,
			started: paced.filter(one =>
				outcome.runsOf(one).some(({startedAt}) => startedAt !== undefined),
			).length,
		},
		opened: rounds + 1,
		runs: countBy([...outcome.runs.values()], ({state}) => state),
		broken: [...broken(senders.acknowledged, outcome), ...twice(outcome)],
		restartMs,
	};
}

const crashHome = async (baseUrl: string) => {
	const home = await gatewayHome({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: baseUrl},
			runs: {concurrency: 8, max_queued: 100_000},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: hookSecret,
					rate_limit: 1_000_000,
				},
			},
		},
		subscriptions: Object.fromEntries(
			routeKinds.map(({route, subscription}) => [route, subscription]),
		),
	});
	const environment = {home: home.path};
	const {code, stderr} = await svc(
		['cron', 'add', '--name', 'nightly', '--schedule', '0 0 1 1 *', '--prompt', 'Report'],
		environment,
	);
	if (code !== 0) {
		throw new Error(`Cannot add the job: ${stderr}`);
	}

	return home;
};

type World = {
	readonly home: TemporaryHome;
	readonly client: KillingClient;
	readonly senders: Senders;
	readonly random: () => number;
	readonly among: number;
};

/** One life of the gateway: up, under load, killed. */
async function crashOnce(
	{home, client, senders, random, among}: World,
	{statement, client: byClient, stopFirst}: CrashPoint,
): Promise<{readonly reached: boolean; readonly restartMs: number}> {
	const startedAt = performance.now();
	await using gateway = startSvc(['gateway', 'run'], {
		home: home.path,
		env: {
			PATH: client.path,
			...(statement && {
				NODE_OPTIONS: `--import ${killAtProgram}`,
				KILL_AT: `${statement.when} ${1 + Math.floor(random() * Math.min(statement.among ?? among, among))} ${statement.like}`,
			}),
		},
	});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	let ended = false;
	const end = (async () => {
		await gateway.finished;
		ended = true;
	})();
	const sending = senders.sendUntil(url, () => ended);
	const restartMs = await Promise.race([
		sending.accepted.then(at => at - startedAt),
		end.then(() => performance.now() - startedAt),
	]);
	if (byClient) {
		await client.killNext(byClient);
	}

	const patience = statement || byClient ? maxRoundMs : 5 + random() * 900;
	if (stopFirst) {
		await Promise.race([end, after(random() * 300)]);
		gateway.kill('SIGTERM');
	}

	await Promise.race([end, after(patience)]);
	const reached = ended || !(statement || byClient);
	gateway.kill('SIGKILL');
	await end;
	await client.spare();
	await sending.done;
	return {reached, restartMs};
}

const killAtProgram = pathToFileURL(resolve('tests/soak/kill-at-program.mjs')).href;

const after = async (ms: number) =>
	new Promise<void>(done => {
		setTimeout(done, ms);
	});

/** The last life: what is left is sent again and, unless its time has not come, worked off; then an orderly end, whose time is returned. */
async function finish(
	home: TemporaryHome,
	{client, senders}: {readonly client: KillingClient; readonly senders: Senders},
): Promise<number> {
	await using gateway = startSvc(['gateway', 'run'], {home: home.path, env: {PATH: client.path}});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	await senders.resend(url);
	for (let tries = 0; ; tries++) {
		const left = unfinished(home.file('state.db'));
		if (left === 0) {
			break;
		}

		if (tries > 300) {
			throw new Error(`The gateway does not come to rest: ${left} runs and groups are left`);
		}

		await after(200);
	}

	const endedAt = Date.now();
	gateway.kill('SIGTERM');
	const {code, stderr} = await gateway.finished;
	if (code !== 0) {
		throw new Error(`The last gateway ended with ${code}: ${stderr.slice(-2000)}`);
	}

	return endedAt;
}

/** Groups that wait, and runs that have not ended and do not wait for their time. A start that comes within the next seconds is waited for. */
function unfinished(file: string): number {
	using database = new DatabaseSync(file, {readOnly: true});
	const count = (sql: string, ...values: readonly number[]) =>
		Number(database.prepare(sql).get(...values)?.['count']);
	return (
		count('select count(*) as count from coalesce_group where dispatched_at is null') +
		count(
			'select count(*) as count from run where finished_at is null and (due_at is null or due_at < ?)',
			Date.now() + soonMs,
		)
	);
}

/** Longer than an orderly end takes. */
const soonMs = 1000;

type Named = {readonly route: string; readonly deliveryId: string};

const nameOf = ({route, deliveryId}: Named) => `${route} ${deliveryId}`;

const handled: ReadonlySet<string> = new Set(['accepted', 'coalesced', 'delivered']);

function outcomeOf(
	everything: Everything,
	rest: Pick<Outcome, 'endedAt' | 'comments' | 'sendsOf'>,
): Outcome {
	const {deliveries, runs} = everything;
	const kept = Map.groupBy(
		deliveries.filter(({outcome}) => handled.has(outcome)),
		nameOf,
	);
	const deliveriesOf = (one: Named) => kept.get(nameOf(one)) ?? [];
	return {
		...everything,
		...rest,
		deliveriesOf,
		runsOf: one =>
			deliveriesOf(one).flatMap(({runId}) => {
				const run = runId === undefined ? undefined : runs.get(runId);
				return run ? [run] : [];
			}),
	};
}

/** What was acknowledged and did not become what its kind of route promises. */
const broken = (acknowledged: readonly Acknowledged[], outcome: Outcome): readonly string[] =>
	acknowledged.flatMap(one => {
		const kind = routeKinds.find(({route}) => route === one.route);
		const problem = kind ? kind.problemOf(one, outcome) : 'is of no kind';
		return problem === undefined
			? []
			: [`${nameOf(one)} was answered ${one.status} and ${problem}`];
	});

/** Identifiers with more than one run that was done, or more than one direct delivery that was recorded. */
function twice({deliveries, runs}: Outcome): readonly string[] {
	const names = new Map(deliveries.map(delivery => [delivery.id, nameOf(delivery)]));
	const done = [...runs.values()].filter(({state}) => state === 'done');
	const counts = {
		...countBy(done, ({delivery = '', id}) => names.get(delivery) ?? `run ${id}`),
		...countBy(
			deliveries.filter(({outcome}) => outcome === 'delivered'),
			nameOf,
		),
	};
	return Object.entries(counts)
		.filter(([, count]) => count > 1)
		.map(([name, count]) => `${name} was done ${count} times`);
}

const countBy = <One>(list: readonly One[], nameIt: (one: One) => string) => {
	const counts: Record<string, number> = {};
	for (const one of list) {
		counts[nameIt(one)] = (counts[nameIt(one)] ?? 0) + 1;
	}

	return counts;
};
