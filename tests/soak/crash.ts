import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import type {Delivery} from '../../source/core/delivery.ts';
import {hasEnded, type Run} from '../../source/core/run.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {startSvc, svc} from '../helpers/svc.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';
import {readEverything} from './everything.ts';
import {installKillingClient, type KillingClient} from './killing-client.ts';
import {createSenders, type Acknowledged, type Senders} from './senders.ts';

/**
 * Where a gateway is killed. `statement`: at the n-th commit that holds a statement like it, before or after the commit; `client`: by the forge
 * client, when it has done its work and before the gateway knows; neither: at a random moment.
 */
export type CrashPoint = {
	readonly name: string;
	readonly statement?: {readonly like: string; readonly when: 'before' | 'after'};
	readonly client?: true;
	/** A stop is asked for first, so that the point lies in the shutdown. */
	readonly stopFirst?: true;
};

const around = (name: string, like: string, more: {readonly stopFirst?: true} = {}) =>
	(['before', 'after'] as const).map((when): CrashPoint => ({
		name: `${when} the commit of ${name}`,
		statement: {like, when},
		...more,
	}));

/** The steps of a delivery, from its journal entry to its end. */
export const crashPoints: readonly CrashPoint[] = [
	...around('an accepted delivery', '^insert into delivery'),
	...around('an event that joins a group', '^update coalesce_group set last_at'),
	...around('a dispatched group', '^update coalesce_group set dispatched_at'),
	...around('a group that a stop flushes', '^update coalesce_group set dispatched_at', {
		stopFirst: true,
	}),
	...around('a lease', '^update run set state = \\?, attempt'),
	...around('an answer', "^update run set state = 'delivering'"),
	...around('the start of a delivery', '^update run set delivery_started = 1'),
	...around('a settled run', '^update run set state = \\?, due_at = null, finished_at'),
	{name: 'after the target has the answer, before the gateway knows', client: true},
];

export type CrashReport = {
	readonly rounds: number;
	/** How often each point was reached; random moments always are. */
	readonly reached: Readonly<Record<string, number>>;
	readonly acknowledged: Readonly<Record<string, number>>;
	/** Runs by where they ended. */
	readonly runs: Readonly<Record<string, number>>;
	/** Broken promises, one line each. Empty when everything holds. */
	readonly broken: readonly string[];
	/** From the start of the process to the first accepted event, milliseconds, each round's. */
	readonly restartMs: readonly number[];
};

const longestRoundMs = 4000;

/**
 * Kills one gateway over and over while senders send to every kind of route, then lets it finish and compares what was answered with what became
 * of it. `points` are taken in turn; `random` (from 0 to 1) decides the rest.
 *
 * @see Decisions 3, "Nothing accepted is lost"
 */
export async function crashRounds({
	rounds,
	points,
	random = Math.random,
	onRound = () => {},
}: {
	readonly rounds: number;
	readonly points: readonly CrashPoint[];
	readonly random?: () => number;
	readonly onRound?: (round: number, point: CrashPoint) => void;
}): Promise<CrashReport> {
	await using model = await startScriptedModel([], {
		otherwise: ({body}) => ({text: body.messages.at(-1).content}),
	});
	await using client = await installKillingClient();
	await using home = await crashHome(model.baseUrl);
	const senders = createSenders(random);
	const reached: Record<string, number> = {};
	const restartMs: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const point = points[round % points.length] ?? {name: 'random'};
		onRound(round, point);
		const outcome = await crashOnce({home, client, senders, random}, point);
		reached[point.name] = (reached[point.name] ?? 0) + (outcome.reached ? 1 : 0);
		restartMs.push(outcome.restartMs);
	}

	await finish(home, {client, senders});
	const {deliveries, runs, groupRuns} = await readEverything(home.file('state.db'));
	const comments = await client.comments();
	return {
		rounds,
		reached,
		acknowledged: countBy(senders.acknowledged, ({status}) => status),
		runs: countBy(runs, ({state}) => state),
		broken: [
			...lost(senders.acknowledged, {deliveries, runs, groupRuns}),
			...twice(deliveries, runs),
			...repeated(comments),
		],
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
		subscriptions: {
			agent: {prompt: 'Event {id}'},
			comment: {
				prompt: 'Event {id}',
				deliver: 'forge_comment',
				deliver_extra: {repo: 'acme/api', pr_number: '7'},
			},
			group: {
				prompt: 'Event {id}',
				coalesce: {key: 'entity', window_seconds: 0.15, max_wait_seconds: 0.5},
			},
			job: {prompt: 'Event {id}', cron_job: 'nightly'},
		},
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
};

/** One life of the gateway: up, under load, killed. */
async function crashOnce(
	{home, client, senders, random}: World,
	{statement, client: byClient, stopFirst}: CrashPoint,
): Promise<{readonly reached: boolean; readonly restartMs: number}> {
	const startedAt = performance.now();
	await using gateway = startSvc(['gateway', 'run'], {
		home: home.path,
		env: {
			PATH: client.path,
			...(statement && {
				NODE_OPTIONS: `--import ${killAtProgram}`,
				KILL_AT: `${statement.when} ${1 + Math.floor(random() * 12)} ${statement.like}`,
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
		await client.killNext();
	}

	const patience = statement || byClient ? longestRoundMs : 5 + random() * 900;
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

const killAtProgram = pathToFileURL(resolve('tests/soak/kill-at-program.ts')).href;

const after = async (ms: number) =>
	new Promise<void>(done => {
		setTimeout(done, ms);
	});

/** The last life: what is left is sent again and worked off, then an orderly end. */
async function finish(
	home: TemporaryHome,
	{client, senders}: {readonly client: KillingClient; readonly senders: Senders},
): Promise<void> {
	await using gateway = startSvc(['gateway', 'run'], {home: home.path, env: {PATH: client.path}});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	await senders.resend(url);
	for (let tries = 0; ; tries++) {
		const {stdout} = await svc(['gateway', 'status', '--json'], {home: home.path});
		const {runs, groups} = JSON.parse(stdout);
		if (runs.active + runs.queued + groups === 0) {
			break;
		}

		if (tries > 300) {
			throw new Error(`The gateway does not come to rest: ${stdout}`);
		}

		await after(200);
	}

	gateway.kill('SIGTERM');
	const {code, stderr} = await gateway.finished;
	if (code !== 0) {
		throw new Error(`The last gateway ended with ${code}: ${stderr.slice(-2000)}`);
	}
}

/** What was acknowledged and has no run that ended. */
const lost = (
	acknowledged: readonly Acknowledged[],
	{
		deliveries,
		runs,
		groupRuns,
	}: {
		readonly deliveries: readonly Delivery[];
		readonly runs: readonly Run[];
		readonly groupRuns: ReadonlyMap<number, number>;
	},
): readonly string[] => {
	const kept = Map.groupBy(deliveries.filter(isHandled), nameOf);
	const states = new Map(runs.map(({id, state}) => [id, state]));
	const runOf = ({runId, group}: Delivery) => (group === undefined ? runId : groupRuns.get(group));
	return acknowledged
		.filter(
			one =>
				!(kept.get(nameOf(one)) ?? []).some(delivery => {
					const state = states.get(runOf(delivery) ?? -1);
					return state !== undefined && hasEnded(state);
				}),
		)
		.map(one => `${nameOf(one)} was answered ${one.status} and has no run that ended`);
};

const isHandled = ({outcome}: Delivery) => outcome === 'accepted' || outcome === 'coalesced';

const nameOf = ({route, deliveryId}: {readonly route: string; readonly deliveryId: string}) =>
	`${route} ${deliveryId}`;

/** Identifiers with more than one run that was done. */
const twice = (deliveries: readonly Delivery[], runs: readonly Run[]): readonly string[] => {
	const names = new Map(deliveries.map(delivery => [delivery.id, nameOf(delivery)]));
	const done = runs.filter(({state}) => state === 'done');
	const counts = countBy(done, ({delivery = '', id}) => names.get(delivery) ?? `run ${id}`);
	return Object.entries(counts)
		.filter(([, count]) => count > 1)
		.map(([name, count]) => `${name} was done ${count} times`);
};

const repeated = (comments: readonly string[]): readonly string[] =>
	Object.entries(countBy(comments, comment => comment))
		.filter(([, count]) => count > 1)
		.map(([comment, count]) => `"${comment}" was posted ${count} times`);

const countBy = <One>(list: readonly One[], nameIt: (one: One) => string) => {
	const counts: Record<string, number> = {};
	for (const one of list) {
		counts[nameIt(one)] = (counts[nameIt(one)] ?? 0) + 1;
	}

	return counts;
};
