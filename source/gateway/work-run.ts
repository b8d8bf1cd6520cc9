import {offlineModelName} from '../agent/offline-model.ts';
import type {AgentRequest, AgentResult, AgentRunner} from '../agent/runner.ts';
import {type Clock, sleep} from '../core/clock.ts';
import {SvcError, codeOf, messageOf} from '../core/errors.ts';
import type {Emit} from '../core/events.ts';
import type {Logger} from '../core/log.ts';
import type {Redact} from '../core/redact.ts';
import type {StoredRun, TranscriptEntry} from '../core/run.ts';
import {block, cell} from '../core/untrusted.ts';
import type {Deliverer, Receipt} from '../delivery/deliverer.ts';
import type {Lease, Runs, Settlement} from '../store/port.ts';

/** What a run needs beside its plan, looked up when it starts. */
export type Equipment = Pick<AgentRequest, 'skill' | 'tools'> & {
	/** What a person who reads the run should know of it, clean. */
	readonly notes: readonly string[];
};

export type WorkDependencies = {
	readonly clock: Clock;
	readonly runs: Runs;
	/** Reports where a run stands now; never rejects. */
	readonly announce: (runId: number) => Promise<void>;
	readonly agent: AgentRunner;
	readonly deliverer: Pick<Deliverer, 'deliver' | 'problemWith'>;
	readonly emit: Emit;
	readonly log: Logger;
	readonly redact: Redact;
	/** Rejects with the reason of `signal`. */
	readonly equip: (run: StoredRun, signal: AbortSignal) => Promise<Equipment>;
	/** Keeps an answer for people, beside its delivery; never rejects. */
	readonly keepAnswer: (run: StoredRun, answer: string) => Promise<void>;
	readonly settings: () => {
		readonly maxSteps: number;
		readonly timeoutMs: number;
		readonly tries: number;
		readonly deliveryTries: number;
	};
	/** Whether another agent try may help after `error`. */
	readonly isPassing: (error: unknown) => boolean;
	/** Whether another delivery try may help after `error`. */
	readonly isRetryable: (error: unknown) => boolean;
	/** Milliseconds to wait before try number `attempt + 1`; `undefined` when that was the last. */
	readonly backoffMs: (attempt: number, tries: number) => number | undefined;
};

/** Of an entry's text, what faces see while the run goes on; the journal has all of it. */
const longestShown = 8000;

/** The reason with which a run's signal aborts. */
export type StopReason = 'cancelled' | 'stopping' | 'lease-lost';

/** One lease and everything its work needs. */
type Work = WorkDependencies & {readonly lease: Lease; readonly signal: AbortSignal};

/**
 * Works on one lease until it is settled: the agent, then the delivery of its answer. Never rejects. When `signal` aborts for any
 * reason but `cancelled` the run is left as it is in the journal: its next owner decides.
 */
export async function workRun(
	dependencies: WorkDependencies,
	lease: Lease,
	signal: AbortSignal,
): Promise<void> {
	const work: Work = {...dependencies, lease, signal};
	try {
		const delivering = lease.phase === 'deliver' ? lease : await think(work);
		if (delivering) {
			await handOver({...work, lease: delivering});
		}
	} catch (error) {
		// The journal itself failed. The lease runs out and the run is taken up again.
		work.log.error('Cannot go on with the run: it is tried again when its lease ends', {
			run: lease.run.id,
			error: messageOf(error),
		});
	} finally {
		await work.announce(work.lease.run.id);
	}
}

/** The agent's part. The lease to deliver with, or `undefined` when the run has been settled. */
async function think(work: Work): Promise<Lease | undefined> {
	const {agent, runs, lease, settings, signal} = work;
	const {run} = lease;
	await work.announce(work.lease.run.id);
	const problem = work.deliverer.problemWith(run.plan.target);
	if (problem !== undefined) {
		// Known before anything is spent on an answer that could go nowhere.
		await settleFailure(work, new SvcError('target_unusable', problem), {
			waitMs: undefined,
			last: 'failed',
		});
		return undefined;
	}

	let changedThings = false;
	const {maxSteps, timeoutMs, tries} = settings();
	let result: AgentResult;
	try {
		const {notes, ...equipment} = await work.equip(run, signal);
		for (const text of notes) {
			note(work, {at: work.clock.now(), kind: 'note', text});
		}

		result = await agent.run({
			runId: run.id,
			prompt: run.plan.prompt,
			...equipment,
			...(run.plan.model !== undefined && {model: run.plan.model}),
			maxSteps,
			timeoutMs,
			signal,
			onEntry: entry => {
				note(work, entry);
			},
			beforeSideEffect: async () => {
				changedThings = true;
				if (!(await runs.markSideEffect(lease))) {
					throw new SvcError(
						'run_cancelled',
						`Cannot go on with run ${run.id}: its lease was lost`,
					);
				}
			},
		});
	} catch (error) {
		throwIfJournalFailed(error);
		const again = work.isPassing(error) && !changedThings;
		const waitMs = again ? work.backoffMs(run.attempt, tries) : undefined;
		await settleFailure(work, error, {
			waitMs,
			// What a tool may have changed must not be changed twice without a person.
			last: changedThings && work.isPassing(error) ? 'interrupted' : 'failed',
		});
		return undefined;
	}

	const {answer, toolCalls, model, silent} = result;
	const kept = await persistently(work, async () =>
		runs.answer(lease, {text: answer, toolCalls, model: model.name}),
	);
	if (!kept) {
		return undefined;
	}

	if (silent) {
		await persistently(work, async () => runs.settle(lease, {state: 'silent'}));
		return undefined;
	}

	await work.keepAnswer(run, answer);

	const stored = await runs.get(run.id);
	return stored && {...lease, run: stored, phase: 'deliver'};
}

/** The delivery's part; settles the run. */
async function handOver(work: Work): Promise<void> {
	const {runs, deliverer, clock, lease, signal, settings} = work;
	const {run} = lease;
	// Before the mark: what never started is not uncertain.
	if (signal.aborted || !(await runs.markDeliveryStarted(lease))) {
		await settleAborted(work);
		return;
	}

	await work.announce(work.lease.run.id);
	let receipt: Receipt;
	try {
		receipt = await deliverer.deliver(
			{
				text: run.fullAnswer ?? '',
				target: run.plan.target,
				profile: run.profile,
				route: run.route,
				event: run.event,
				...(run.delivery !== undefined && {delivery: run.delivery}),
				...(run.job && {job: run.job}),
				runId: run.id,
				offline: run.model === offlineModelName,
			},
			signal,
		);
	} catch (error) {
		const {deliveryTries} = settings();
		const waitMs = work.isRetryable(error)
			? work.backoffMs(run.deliveryAttempt + 1, deliveryTries)
			: undefined;
		await settleFailure(work, error, {waitMs, last: 'dead'});
		return;
	}

	note(work, {at: clock.now(), kind: 'delivery', text: receipt.summary});
	await persistently(work, async () =>
		runs.settle(lease, {state: 'done', ...(receipt.withheld && {target: 'log'})}),
	);
}

/** A try that could not be written down has neither failed nor succeeded: it is not settled, its lease runs out. */
function throwIfJournalFailed(error: unknown): void {
	if (codeOf(error) === 'journal_unavailable') {
		throw error;
	}
}

/** Ends a failed try: as cancelled, for another try after `waitMs`, or for good. */
async function settleFailure(
	work: Work,
	error: unknown,
	{
		waitMs,
		last,
	}: {
		readonly waitMs: number | undefined;
		readonly last: 'failed' | 'interrupted' | 'dead';
	},
): Promise<void> {
	const {runs, lease, signal, clock, log, redact} = work;
	if (signal.aborted) {
		await settleAborted(work);
		return;
	}

	const text = cell(redact(messageOf(error)), 1000).text;
	const retrying = waitMs !== undefined;
	const settlement: Settlement = retrying
		? {state: 'retry', at: clock.now() + waitMs, error: text}
		: {state: last, error: text};
	note(work, {at: clock.now(), kind: retrying ? 'retry' : 'error', text});
	const {id, route, job} = lease.run;
	const fields = {run: id, route, job: job?.name, error: text};
	if (retrying) {
		log.warn(`The run failed and is tried again in ${Math.round(waitMs / 1000)} s`, fields);
	} else {
		log.error('The run failed', fields);
	}

	await persistently(work, async () => runs.settle(lease, settlement));
}

/** Pause between two tries to write down what is known. */
const writeAgainMs = 1000;

/**
 * Writes to the journal, again and again while it fails: what came out is known and must not become uncertain because the disk was full for a moment.
 * The lease is beaten meanwhile; `signal` ends it.
 */
async function persistently(
	{clock, signal}: Work,
	write: () => Promise<boolean>,
): Promise<boolean> {
	for (;;) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- one try after the other
			return await write();
		} catch (error) {
			if (codeOf(error) !== 'journal_unavailable' || signal.aborted) {
				throw error;
			}
		}

		// oxlint-disable-next-line no-await-in-loop -- a pause between two tries
		await sleep(clock, writeAgainMs, signal);
	}
}

/** A person's cancellation is settled; every other abort leaves the run to its next owner. */
async function settleAborted({runs, lease, signal}: Work): Promise<void> {
	if (signal.aborted && signal.reason === 'cancelled') {
		await runs.settle(lease, {state: 'cancelled'});
	}
}

function note({runs, emit, lease}: Work, entry: TranscriptEntry): void {
	runs.append(lease, [entry]);
	const shown = {...entry, text: block(entry.text, {maxLength: longestShown}).text};
	emit({type: 'run-progressed', at: entry.at, runId: lease.run.id, entry: shown});
}
