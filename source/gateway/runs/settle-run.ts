import {offlineModelName} from '../../agent/offline-model.ts';
import {sleep} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import type {TranscriptEntry} from '../../core/run.ts';
import {loginCommand} from '../../core/shell-words.ts';
import {limits} from '../../core/state.ts';
import {escapeLine, escapeBlock} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {Receipt} from '../../delivery/deliverer.ts';
import {DeliveryError} from '../../platforms/delivery-error.ts';
import {defaultTarget, reachesPeople} from '../../platforms/platforms.ts';
import type {Lease, Runs, Settlement} from '../../store/port.ts';
import type {Work} from './work-run.ts';

/** A lease, and what is needed to record the progress of its run. */
export type WorkInHand = Pick<World, 'clock' | 'emit' | 'log' | 'redact'> & {
	readonly runs: Runs;
	readonly lease: Lease;
	/** Aborts when the run is cancelled, or its lease is lost. */
	readonly signal: AbortSignal;
};

/** How much of an entry's text faces get while the run goes on; the journal has all of it. Of a model's text, as much as was streamed. */
const maxShownLength = ({kind}: TranscriptEntry): number =>
	kind === 'text' ? limits.saidCharacters : 8000;

/** Ends a failed attempt: as cancelled, to be retried after `waitMs`, or for good. */
export async function settleFailure(
	work: WorkInHand,
	error: unknown,
	{
		waitMs,
		last,
	}: {
		readonly waitMs: number | undefined;
		readonly last: 'failed' | 'interrupted' | 'uncertain' | 'dead';
	},
): Promise<void> {
	const {runs, lease, signal, clock, log, redact} = work;
	if (signal.aborted) {
		await settleAborted(work);
		return;
	}

	const text = escapeLine(redact(messageOf(error)), 1000);
	const retrying = waitMs !== undefined;
	const settlement: Settlement = retrying
		? {state: 'retry', at: clock.now() + waitMs, error: text}
		: {state: last, error: text};
	recordEntry(work, {at: clock.now(), kind: retrying ? 'retry' : 'error', text});
	const {id, route, job} = lease.run;
	const fields = {run: id, route, job: job?.name, error: text};
	if (retrying) {
		log.warn(`The run failed and is tried again in ${Math.round(waitMs / 1000)} s`, fields);
	} else {
		log.error('The run failed', fields);
	}

	await persistently(work, async () => runs.settle(lease, settlement));
}

/** Frees the worker until a person has logged in to one of `servers`, for `mostMs` at most. */
export async function settleAwaiting(
	work: WorkInHand,
	{servers, mostMs}: {readonly servers: readonly string[]; readonly mostMs: number},
): Promise<void> {
	const {runs, lease, signal, clock, log} = work;
	const {id, profile, route, job} = lease.run;
	// A run that has waited before, even for another server, already has this note.
	if (lease.loginWaitMs === undefined) {
		const names = servers.map(name => `"${name}"`).join(', ');
		const commands = servers.map(name => loginCommand({name, profile})).join(', ');
		const text = `Waits for a login to tool server${servers.length === 1 ? '' : 's'} ${names}, ${Math.ceil(mostMs / 1000)} s at most: ${commands}`;
		recordEntry(work, {at: clock.now(), kind: 'note', text});
		log.warn(text, {run: id, route, job: job?.name});
	}

	if (!signal.aborted) {
		await persistently(work, async () =>
			runs.settle(lease, {state: 'awaits-logins', servers, mostMs}),
		);
	}

	// The run was cancelled before or just as it began to wait.
	if (signal.aborted && signal.reason === 'cancelled') {
		await runs.cancel(id);
	}
}

/** Delay between two attempts to write a known result, milliseconds. */
const writeAgainMs = 1000;

/**
 * Retries writing to the journal while it is unavailable: a known result must not become uncertain because the disk was full for a moment. The lease is renewed meanwhile;
 * `signal` ends the attempts.
 */
export async function persistently(
	{clock, signal}: Pick<WorkInHand, 'clock' | 'signal'>,
	write: () => Promise<boolean>,
): Promise<boolean> {
	for (;;) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- sequential attempts
			return await write();
		} catch (error) {
			if (codeOf(error) !== 'journal_unavailable' || signal.aborted) {
				throw error;
			}
		}

		// oxlint-disable-next-line no-await-in-loop -- a pause between two attempts
		await sleep(clock, writeAgainMs, signal);
	}
}

/** Settles a run that a person cancelled; after any other abort the run is left to its next owner. */
export async function settleAborted(
	given: Pick<WorkInHand, 'runs' | 'lease' | 'signal'>,
): Promise<void> {
	const {runs, lease, signal} = given;
	if (signal.aborted && signal.reason === 'cancelled') {
		await runs.settle(lease, {state: 'cancelled'});
	}
}

/** Stores a transcript entry and emits it. */
export function recordEntry(
	{runs, emit, lease}: Pick<WorkInHand, 'runs' | 'emit' | 'lease'>,
	entry: TranscriptEntry,
): void {
	runs.append(lease, [entry]);
	const shown = {...entry, text: escapeBlock(entry.text, {maxLength: maxShownLength(entry)})};
	emit({type: 'run-progressed', at: entry.at, runId: lease.run.id, entry: shown});
}

/** A try that could not be written down has neither failed nor succeeded: it is not settled, its lease runs out. */
export function throwIfJournalFailed(error: unknown): void {
	if (codeOf(error) === 'journal_unavailable') {
		throw error;
	}
}

/** Delivers the answer of the run, and settles the run. Rejects where the journal failed. */
export async function deliverAnswer(work: Work): Promise<void> {
	const {runs, deliverer, clock, lease, signal, settings} = work;
	const {run} = lease;
	if (run.conversation) {
		await work.turns.keep(run);
	}

	// Aborted before the start mark: a delivery that never started is not uncertain.
	const {target} = run.plan;
	const how = {isRepeatable: deliverer.mayRepeat(target.kind)};
	const mark = async () => persistently(work, async () => runs.markDeliveryStarted(lease, how));
	if (signal.aborted || !(await mark()) || !work.isHeld()) {
		await settleAborted(work);
		return;
	}

	await work.announce(work.lease.run.id);
	let receipt: Receipt;
	try {
		receipt = await deliverer.deliver(
			{
				text: run.fullAnswer ?? '',
				target,
				profile: run.profile,
				route: run.route,
				event: run.event,
				...(run.delivery !== undefined && {delivery: run.delivery}),
				...(run.job && {job: run.job}),
				runId: run.id,
				...(run.plan.again !== undefined && {again: run.plan.again}),
				...(run.startedAt !== undefined && {startedAt: run.startedAt}),
				...(run.plan.key !== undefined && {key: run.plan.key}),
				...(run.plan.mirrorToSession && {mirrors: true}),
				...(run.conversation && {isWhole: true}),
				offline: run.model === offlineModelName,
			},
			signal,
		);
	} catch (error) {
		throwIfJournalFailed(error);
		const {
			retryable,
			isUncertain,
			retryAfterMs = 0,
		} = error instanceof DeliveryError ? error : {retryable: false, isUncertain: false};
		const waitMs = retryable
			? work.backoffMs(run.deliveryAttempt + 1, settings().deliveryTries)
			: undefined;
		await settleFailure(work, error, {
			waitMs: waitMs && Math.max(waitMs, retryAfterMs),
			last: isUncertain ? 'uncertain' : 'dead',
		});
		// What may have arrived may come back as an event, as an answer does.
		if (isUncertain && reachesPeople(target.kind)) {
			await work.loops.answered(run);
		}

		return;
	}

	if (reachesPeople(target.kind) && !receipt.withheld) {
		await work.loops.answered(run);
	}

	recordEntry(work, {at: clock.now(), kind: 'delivery', text: receipt.summary});
	await persistently(work, async () =>
		runs.settle(lease, {state: 'done', ...(receipt.withheld && {target: defaultTarget})}),
	);
}
