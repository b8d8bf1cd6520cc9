import type {AgentResult, AgentRunner} from '../../agent/runner.ts';
import type {GrowingAnswer} from '../../conversations/growing-answer.ts';
import {SvcError, codeOf, messageOf} from '../../core/errors.ts';
import {asReplaced} from '../../core/program.ts';
import {type StoredRun, addUsage} from '../../core/run.ts';
import type {World} from '../../core/world.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {Lease, Runs} from '../../store/port.ts';
import type {SessionTurns} from '../conversations/session-turns.ts';
import {createRunWords} from './announce-runs.ts';
import type {Equipment, EquipOptions} from './equip-run.ts';
import type {Prefetched} from './get-diff.ts';
import type {LoopBreaker} from './loop-breaker.ts';
import {
	deliverAnswer,
	recordEntry,
	persistently,
	settleAwaiting,
	settleFailure,
	throwIfJournalFailed,
} from './settle-run.ts';

export type WorkDependencies = Pick<World, 'clock' | 'emit' | 'log' | 'redact'> & {
	readonly runs: Runs;
	/** Announces the state of a run; never rejects. */
	readonly announce: (runId: number) => Promise<void>;
	readonly agent: AgentRunner;
	readonly deliverer: Pick<Deliverer, 'deliver' | 'mayRepeat' | 'problemWith'>;
	/** Equips a run; tells `note` what it waits for. Rejects with the reason of `signal`. */
	readonly equip: (run: StoredRun, options: EquipOptions) => Promise<Equipment>;
	/**
	 * Fetches what the plan wants before the agent starts: texts for the agent, transcript entries, and the files of the checkout. Rejects with `prefetch_failed`, or when
	 * `signal` aborts.
	 */
	readonly prefetch: (
		run: StoredRun,
		options: Pick<Equipment, 'checkout'> & {readonly signal: AbortSignal},
	) => Promise<Prefetched>;
	/** Checks again, now that the waiting run is on disk, whether the awaited servers still need a login; never rejects. */
	readonly awaitsLogins: (profile: string, servers: readonly string[]) => Promise<void>;
	/** Holds runs that may be part of a loop. */
	readonly loops: Pick<LoopBreaker, 'heldBy' | 'answered'>;
	/** Shows the answer of a conversation's turn while it is being written; `undefined` where that is not possible. */
	readonly grow: (run: StoredRun) => GrowingAnswer | undefined;
	/** Turns of conversations on platforms, in their sessions. */
	readonly turns: Pick<SessionTurns, 'begin' | 'keep'>;
	/** Keeps a copy of the answer for people, besides its delivery; never rejects. */
	readonly keepAnswer: (run: StoredRun, answer: string) => Promise<void>;
	readonly settings: () => {
		readonly maxSteps: number;
		readonly timeoutMs: number;
		readonly loginWaitMs: number;
		readonly tries: number;
		readonly deliveryTries: number;
	};
	/** The program's files were replaced: no run can start until it is restarted. */
	readonly onReplaced: () => void;
	/** Whether another attempt of the agent may succeed after `error`. */
	readonly isPassing: (error: unknown) => boolean;
	/** Whether the lease is still held, by the clock; aborts the signal if not. */
	readonly isHeld: () => boolean;
	/** Milliseconds to wait before attempt number `attempt + 1`; `undefined` after the last. */
	readonly backoffMs: (attempt: number, tries: number) => number | undefined;
};

/** The reason of an aborted signal of a run. */
export type StopReason = 'cancelled' | 'stopping' | 'lease-lost';

/** One lease and everything its work needs. */
export type Work = WorkDependencies & {readonly lease: Lease; readonly signal: AbortSignal};

/**
 * Works on one lease until it is settled: the agent, then the delivery of its answer. Never rejects. When `signal` aborts for any reason but `cancelled`, the run stays as
 * it is in the journal: its next owner decides.
 */
export async function workRun(
	dependencies: WorkDependencies,
	lease: Lease,
	signal: AbortSignal,
): Promise<void> {
	const work: Work = {...dependencies, lease, signal};
	try {
		const delivering = lease.phase === 'deliver' ? lease : await workOutAnswer(work);
		if (delivering) {
			await deliverAnswer({...work, lease: delivering});
		}
	} catch (error) {
		// The journal itself failed. The lease will expire and the run be retried.
		work.log.error('Cannot go on with the run: it is tried again when its lease ends', {
			run: lease.run.id,
			error: messageOf(error),
		});
	} finally {
		await work.announce(work.lease.run.id);
	}
}

/** Runs the agent. Resolves with the lease for the delivery, or `undefined` when the run has been settled. */
async function workOutAnswer(work: Work): Promise<Lease | undefined> {
	const {agent, runs, lease, settings, signal} = work;
	const {run} = lease;
	await work.announce(work.lease.run.id);
	const problem = work.deliverer.problemWith(run.plan.target);
	if (problem !== undefined) {
		// Checked before anything is spent on an answer that could not be delivered.
		await settleFailure(work, new SvcError('target_unusable', problem), {
			waitMs: undefined,
			last: 'failed',
		});
		return undefined;
	}

	const held = work.loops.heldBy(run);
	if (held !== undefined) {
		recordEntry(work, {at: work.clock.now(), kind: 'note', text: held});
		await persistently(work, async () => runs.settle(lease, {state: 'interrupted', error: held}));
		return undefined;
	}

	let changedThings = false;
	const {maxSteps, timeoutMs, tries, loginWaitMs} = settings();
	const before = run.usage;
	using words = createRunWords(work, run.id);
	let result: AgentResult;
	const growing = run.conversation && work.grow(run);
	try {
		const note = (text: string) => recordEntry(work, {at: work.clock.now(), kind: 'note', text});
		await using stack = new AsyncDisposableStack();
		const {notes, logins, checkout, ...equipment} = await work.equip(run, {signal, note, stack});
		const mostMs = logins.length === 0 ? 0 : (lease.loginWaitMs ?? loginWaitMs);
		if (mostMs > 0) {
			await settleAwaiting(work, {servers: logins, mostMs});
			await work.awaitsLogins(run.profile, logins);
			return undefined;
		}

		for (const text of [...notes, ...logins.map(withoutLogin)]) {
			note(text);
		}

		const got =
			run.plan.prefetch && (await work.prefetch(run, {signal, ...(checkout && {checkout})}));
		for (const told of got?.notes ?? []) {
			recordEntry(work, {at: work.clock.now(), kind: 'note', ...told});
		}

		const chat = run.conversation && (await work.turns.begin(run));
		result = await agent.run({
			runId: run.id,
			...(chat && {chat}),
			prompt: run.plan.prompt,
			...(got && got.texts.length > 0 && {fetched: got.texts}),
			...equipment,
			...(run.plan.model !== undefined && {model: run.plan.model}),
			maxSteps,
			timeoutMs,
			signal,
			onText(text, begins) {
				words.say(text, begins);
				growing?.say(text, begins);
			},
			onEntry: entry => {
				words.told(entry);
				recordEntry(work, entry);
			},
			onWork: ({usage, ...done}) => {
				runs.work(lease, {...done, ...(usage && {usage: addUsage(before, usage)})});
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
	} catch (thrown) {
		throwIfJournalFailed(thrown);
		words.told({kind: 'error'});
		growing?.breakOff();
		const error = asReplaced(thrown);
		if (codeOf(error) === 'program_replaced') {
			work.onReplaced();
		}

		const again = work.isPassing(error) && !changedThings;
		const waitMs = again ? work.backoffMs(run.attempt, tries) : undefined;
		await settleFailure(work, error, {
			waitMs,
			// A tool may have changed something: only a person may decide to repeat that.
			last: changedThings && work.isPassing(error) ? 'interrupted' : 'failed',
		});
		return undefined;
	} finally {
		growing?.stop();
		if (changedThings) {
			await work.loops.answered(run);
		}
	}

	const {answer, toolCalls, model, silent} = result;
	const kept = await persistently(work, async () =>
		runs.answer(lease, {text: answer, toolCalls, model: model.name}),
	);
	if (!kept) {
		return undefined;
	}

	const stored = await runs.get(run.id);
	if (silent) {
		if (stored?.conversation) {
			await work.turns.keep(stored);
		}

		await persistently(work, async () => runs.settle(lease, {state: 'silent'}));
		return undefined;
	}

	if (run.job) {
		await work.keepAnswer(run, answer);
	}

	return stored && {...lease, run: stored, phase: 'deliver'};
}

const withoutLogin = (server: string): string =>
	`Goes on without a login to tool server "${server}"`;
