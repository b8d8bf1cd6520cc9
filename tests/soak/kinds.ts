import type {Delivery} from '../../source/core/delivery.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {hasEnded, type Run} from '../../source/core/run.ts';
import type {Everything} from './everything.ts';

/** What the receiver promised. */
export type Acknowledged = {
	readonly route: string;
	readonly deliveryId: string;
	/** `status` of the answer. */
	readonly status: string;
};

/** What is left when all gateways have ended. */
export type Outcome = Everything & {
	/** Milliseconds since 1970: when the last gateway was asked to end. */
	readonly endedAt: number;
	/** First lines of what the code host got. */
	readonly comments: readonly string[];
	/** How often an event was sent. */
	readonly sendsOf: (one: {readonly route: string; readonly deliveryId: string}) => number;
	/** What is in the journal of an event. */
	readonly deliveriesOf: (one: {
		readonly route: string;
		readonly deliveryId: string;
	}) => readonly Delivery[];
	/** The runs that an event started by itself. */
	readonly runsOf: (one: {readonly route: string; readonly deliveryId: string}) => readonly Run[];
};

/** One kind of route: what it is, and what an event that it acknowledged must have become. */
export type RouteKind = {
	readonly route: string;
	readonly subscription: JsonObject;
	/** Its share of what is sent. */
	readonly weight: number;
	/** `status` of the answer that promises something. */
	readonly promise: string;
	/** Whether events that it acknowledged are sent again now and then: they must be duplicates. */
	readonly isRepeated: boolean;
	/** What is wrong with what became of an acknowledged event; `undefined` when the promise was kept. */
	problemOf(one: Acknowledged, outcome: Outcome): string | undefined;
};

const toTarget = {
	deliver: 'forge_comment',
	deliver_extra: {repo: 'acme/api', pr_number: '7'},
} as const;

/** Starts in a minute of a route whose overflow waits. */
const pacedLimit = 3;

/** Waits are measured on the monotonic clock, promised and recorded times are the wall clock's, and the two part by milliseconds in minutes. */
const clockSlackMs = 50;

const runProblem = (one: Acknowledged, {runsOf}: Outcome): string | undefined =>
	runsOf(one).some(({state}) => hasEnded(state)) ? undefined : 'has no run that ended';

/** Every kind of route that promises something. */
export const routeKinds: readonly RouteKind[] = [
	{
		route: 'agent',
		subscription: {prompt: 'Event {id}'},
		weight: 2,
		promise: 'accepted',
		isRepeated: true,
		problemOf: runProblem,
	},
	{
		route: 'comment',
		subscription: {prompt: 'Event {id}', ...toTarget},
		weight: 1,
		promise: 'accepted',
		// One whose delivery is uncertain may be sent again by its sender, and is then another comment.
		isRepeated: false,
		problemOf: (one, outcome) =>
			runProblem(one, outcome) ??
			(timesIn(outcome.comments, `Event ${one.deliveryId}`) > 1 ? 'was posted twice' : undefined),
	},
	{
		route: 'group',
		subscription: {
			prompt: 'Event {id}',
			coalesce: {key: 'entity', window_seconds: 0.15, max_wait_seconds: 0.5},
		},
		weight: 3,
		promise: 'coalesced',
		isRepeated: true,
		problemOf(one, {deliveriesOf, groupRuns, runs}) {
			const groups = deliveriesOf(one).flatMap(({group}) => (group === undefined ? [] : [group]));
			const [group, ...others] = groups;
			if (group === undefined || others.length > 0) {
				return `is in ${groups.length} groups`;
			}

			const state = runs.get(groupRuns.get(group) ?? -1)?.state;
			return state !== undefined && hasEnded(state)
				? undefined
				: `is in group ${group}, which has no run that ended`;
		},
	},
	{
		route: 'direct',
		subscription: {prompt: 'Direct {id}', deliver_only: true, ...toTarget},
		weight: 1,
		promise: 'delivered',
		isRepeated: true,
		problemOf(one, {comments, deliveriesOf, sendsOf}) {
			const records = deliveriesOf(one).filter(({outcome}) => outcome === 'delivered').length;
			const posted = timesIn(comments, `Direct ${one.deliveryId}`);
			const sends = sendsOf(one);
			// A gateway that is killed between the target and the journal has not taken the identifier: the sender's next try is delivered.
			return records === 1 && posted >= 1 && posted <= sends
				? undefined
				: `is ${records} times in the journal as delivered and was posted ${posted} times for ${sends} requests`;
		},
	},
	{
		route: 'job',
		subscription: {prompt: 'Event {id}', cron_job: 'nightly'},
		weight: 1,
		promise: 'accepted',
		isRepeated: true,
		problemOf(one, {runsOf}) {
			const runs = runsOf(one);
			const [run, ...others] = runs;
			return others.length === 0 && run?.job?.name === 'nightly' && hasEnded(run.state)
				? undefined
				: `fired the job ${runs.length} times (${runs.map(({job, state}) => `${job?.name} ${state}`).join()})`;
		},
	},
	{
		route: 'paced',
		subscription: {prompt: 'Event {id}', overflow: 'queue', rate_limit: pacedLimit},
		weight: 1,
		promise: 'accepted',
		isRepeated: true,
		problemOf(one, {deliveriesOf, runsOf, endedAt}) {
			const [run, ...others] = runsOf(one);
			if (!run || others.length > 0) {
				return `has ${others.length + (run ? 1 : 0)} runs`;
			}

			const promised = Math.max(0, ...deliveriesOf(one).map(promisedStart));
			if (run.startedAt !== undefined && run.startedAt < promised - clockSlackMs) {
				return `was to start at ${promised} and started at ${run.startedAt}`;
			}

			// What is left waits for its time.
			const waits = run.state === 'queued' && (run.nextAttemptAt ?? 0) > endedAt;
			return hasEnded(run.state) || waits ? undefined : `is ${run.state}, due at ${promised}`;
		},
	},
];

/** The start that the route's pace gave to an event above its rate, milliseconds since 1970; 0 when it was not above it. */
export function promisedStart({trace}: Delivery): number {
	const detail = trace.find(({step}) => step === 'dispatch')?.detail ?? '';
	const [, time] = /queued until (\S+Z)/.exec(detail) ?? [];
	return time === undefined ? 0 : Date.parse(time);
}

const timesIn = (lines: readonly string[], wanted: string): number =>
	lines.filter(line => line === wanted).length;
