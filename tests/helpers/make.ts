import type {Delivery} from '../../source/core/delivery.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import type {Group} from '../../source/core/group.ts';
import type {JobView} from '../../source/core/job.ts';
import type {RunSum} from '../../source/core/run-sums.ts';
import type {Run} from '../../source/core/run.ts';
import type {StoredSession} from '../../source/core/session.ts';

let counter = 0;

/** A delivery with plausible values; `overrides` win. */
export const makeDelivery = (overrides: Partial<Delivery> = {}): Delivery => {
	counter++;
	return {
		id: (4_000_000_000_000_000 + counter).toString(36),
		profile: 'default',
		route: 'gh-review',
		event: 'pull_request',
		deliveryId: `delivery-${counter}`,
		idSource: 'x-github-delivery',
		status: 202,
		outcome: 'accepted',
		receivedAt: 1_700_000_000_000 + counter,
		durationMs: 3,
		bodyBytes: 7153,
		flags: 0,
		trace: [],
		...overrides,
	};
};

/** A run with plausible values; `overrides` win. */
export const makeRun = (overrides: Partial<Run> = {}): Run => ({
	id: 1,
	delivery: 'abc123',
	profile: 'default',
	route: 'gh-review',
	event: 'pull_request',
	target: 'log',
	state: 'queued',
	attempt: 0,
	deliveryAttempt: 0,
	createdAt: 1_700_000_000_000,
	toolCalls: 0,
	...overrides,
});

/** The sum of runs that have ended well and used nothing. */
export const makeSum = (overrides: Partial<RunSum> = {}): RunSum => ({
	runs: 1,
	open: 0,
	done: 1,
	silent: 0,
	failed: 0,
	cancelled: 0,
	interrupted: 0,
	uncertain: 0,
	dead: 0,
	dropped: 0,
	success: 1,
	inputTokens: 0,
	outputTokens: 0,
	costs: [],
	unpriced: 0,
	uncounted: 0,
	...overrides,
});

export const received = (delivery: Delivery): GatewayEvent => ({
	type: 'delivery-received',
	at: delivery.receivedAt,
	delivery,
});

export const runChanged = (run: Run): GatewayEvent => ({
	type: 'run-changed',
	at: run.createdAt,
	run,
});

/** A pending group with plausible values; `overrides` win. */
export const makeGroup = (overrides: Partial<Group> = {}): Group => ({
	id: 1,
	profile: 'default',
	route: 'gh-review',
	key: 'acme/api#7',
	state: 'pending',
	firstAt: 1_700_000_000_000,
	lastAt: 1_700_000_000_000,
	quietAt: 1_700_000_030_000,
	capAt: 1_700_000_300_000,
	count: 1,
	latest: 'abc123',
	event: 'pull_request',
	...overrides,
});

/** An active job with plausible values; `overrides` win. */
export const makeJob = (overrides: Partial<JobView> = {}): JobView => ({
	id: 'job_morning0',
	profile: 'default',
	name: 'morning',
	schedule: '0 9 * * 1-5',
	timeZone: 'UTC',
	state: 'active',
	deliver: 'log',
	nextAt: 1_700_000_400_000,
	open: 0,
	...overrides,
});

export const groupChanged = (group: Group): GatewayEvent => ({
	type: 'group-changed',
	at: group.lastAt,
	group,
});

/** A chat session of the person at the terminal; `said` is what each said in turn, the agent in runs from 1 on. */
export function makeSession(
	said: readonly string[],
	values: Partial<StoredSession> = {},
): StoredSession {
	const conversation = said.map((content, index) => ({
		at: index,
		message: {role: index % 2 === 0 ? 'user' : 'assistant', content},
		...(index % 2 === 1 && {run: (index + 1) / 2}),
	}));
	return {
		id: 'ses_1',
		model: 'svc-agent-1',
		title: said[0] ?? '',
		createdAt: 0,
		usedAt: said.length,
		messages: said.length,
		bytes: 100,
		conversation,
		...values,
	};
}
