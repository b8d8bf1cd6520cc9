import {sleep} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import type {TranscriptEntry} from '../../core/run.ts';
import {loginCommand} from '../../core/shell-words.ts';
import {limits} from '../../core/state.ts';
import {escapeLine, escapeBlock} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {Lease, Runs, Settlement} from '../../store/port.ts';

/** A lease, and what it takes to write down how its run goes. */
export type WorkInHand = Pick<World, 'clock' | 'emit' | 'log' | 'redact'> & {
	readonly runs: Runs;
	readonly lease: Lease;
	/** Aborted when the run is cancelled, or not ours any more. */
	readonly signal: AbortSignal;
};

/** Of an entry's text, what faces see while the run goes on; the journal has all of it. Of what a model says as much as was seen when it came. */
const maxShownLength = ({kind}: TranscriptEntry): number =>
	kind === 'text' ? limits.saidCharacters : 8000;

/** Ends a failed try: as cancelled, for another try after `waitMs`, or for good. */
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

/** Gives the place back until a person has logged in to one of `servers`, for `mostMs` at most. */
export async function settleAwaiting(
	work: WorkInHand,
	{servers, mostMs}: {readonly servers: readonly string[]; readonly mostMs: number},
): Promise<void> {
	const {runs, lease, signal, clock, log} = work;
	const {id, profile, route, job} = lease.run;
	// A run that has waited before, also for another server, has said so.
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

	// Cancelled before it waited, or just as it began to.
	if (signal.aborted && signal.reason === 'cancelled') {
		await runs.cancel(id);
	}
}

/** Pause between two tries to write down what is known. */
const writeAgainMs = 1000;

/**
 * Writes to the journal, again and again while it fails: what came out is known and must not become uncertain because the disk was full for a moment.
 * The lease is beaten meanwhile; `signal` ends it.
 */
export async function persistently(
	{clock, signal}: Pick<WorkInHand, 'clock' | 'signal'>,
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
export async function settleAborted(
	given: Pick<WorkInHand, 'runs' | 'lease' | 'signal'>,
): Promise<void> {
	const {runs, lease, signal} = given;
	if (signal.aborted && signal.reason === 'cancelled') {
		await runs.settle(lease, {state: 'cancelled'});
	}
}

/** Writes an entry of the transcript down, and shows it. */
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
