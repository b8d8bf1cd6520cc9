import {every, createTimer} from '../../core/clock.ts';
import type {RunPlaces} from '../../core/run-queue.ts';
import type {World} from '../../core/world.ts';
import type {Lease, RouteLimit, Runs} from '../../store/port.ts';
import type {StoreNotes} from '../../store/shared-port.ts';
import {createFailureReport} from './announce-runs.ts';
import type {StopReason} from './work-run.ts';

/** How long a lease lasts without renewal, milliseconds: on a store of this process alone, and on a shared one. */
const ownLeaseMs = 60_000;
const sharedLeaseMs = 30_000;

/** Delay before a failed renewal of a lease on a shared store is retried, milliseconds. */
const againMs = 1000;

/** How long the drain lets runs finish before it aborts them, milliseconds. */
const drainMs = 3000;

/** Delay after the journal failed to give leases, milliseconds. */
const journalPauseMs = 1000;

/** Shortest delay before the next look, so that a wrong clock cannot cause a busy loop, milliseconds. */
const minPauseMs = 20;

/** Maximum number of runs that wait for a person without occupying a worker; each keeps its conversation in memory. */
const mostAside = 32;

/**
 * Works on a lease until it is settled; never rejects. `isHeld` checks by the clock whether the lease is still held, and aborts `signal` if not. Call it before side
 * effects: in a process that was suspended, other events may come before the lease's timer.
 */
type Working = (lease: Lease, signal: AbortSignal, isHeld: () => boolean) => Promise<void>;

export type Dispatcher = Omit<ReturnType<typeof createDispatcher>, 'stepAside'>;

/**
 * Gives due runs to workers, at most `concurrency()` at once, and of each route no more than `limits()` allows. The journal knows which runs are due: it is asked when the
 * dispatcher is woken, when a worker becomes free, and when the next waiting run is due.
 */
export function createDispatcher(
	world: Pick<World, 'busy' | 'clock' | 'log'> & {
		readonly runs: Runs;
		/** Notes of all gateways: a run cancelled at any of them is aborted here. */
		readonly events: Pick<StoreNotes, 'subscribe'>;
		readonly work: Working;
	},
	options: {
		/** Others work on the same journal: they may take over an expired lease, even while the journal is unreachable from here. */
		readonly isShared?: boolean;
		readonly concurrency: () => number;
		/** The routes that limit their concurrent runs. Called for each look. */
		readonly limits?: () => readonly RouteLimit[];
	},
) {
	const {concurrency, limits = () => [], isShared = false} = options;
	const {clock, runs, events, busy, log, work} = world;
	const active = new Map<number, AbortController>();
	const done = new Set<Promise<void>>();
	/** For each run that waits for a person, the number of answers it waits for. */
	const aside = new Map<number, number>();
	let hosted = 0;
	let looking = false;
	let looked = Promise.resolve();
	let lookAgain = false;
	let stopping = false;
	const timer = createTimer(clock);

	const sayFailure = createFailureReport(log);
	const leaseMs = isShared ? sharedLeaseMs : ownLeaseMs;

	const taken = () => active.size - hosted - Math.min(aside.size, mostAside);
	/** Free workers for queued runs. */
	const freePlaces = () => concurrency() - taken();
	const isFree = () => !stopping && freePlaces() > 0;

	const wake = () => {
		if (looking) {
			lookAgain = true;
		} else if (isFree()) {
			looking = true;
			const end = busy.begin();
			looked = look().finally(() => {
				looking = false;
				if (lookAgain) {
					lookAgain = false;
					wake();
				}

				end();
			});
		}
	};

	const look = async () => {
		try {
			const free = freePlaces();
			const routes = limits();
			const askedAt = clock.monotonic();
			for (const lease of await runs.lease(free, leaseMs, routes)) {
				void start(lease, work, askedAt);
			}

			const due = isFree() ? await runs.nextDue(routes) : undefined;
			sayFailure.over();
			if (due !== undefined) {
				timer.set(Math.max(minPauseMs, due - clock.now()), wake);
			}
		} catch (error) {
			sayFailure('Cannot take runs from the journal, trying again', error);
			timer.set(journalPauseMs, wake);
		}
	};

	/** `leasedAt`: when the lease was requested, by `Clock.monotonic`. */
	const start = async (
		lease: Lease,
		doWork: Working,
		leasedAt = clock.monotonic(),
	): Promise<void> => {
		const controller = new AbortController();
		const {id} = lease.run;
		const end = busy.begin();
		active.set(id, controller);
		const lose = () => controller.abort('lease-lost' satisfies StopReason);
		// Aborts the run when its lease expires: another gateway may take it over then, even if the journal is unreachable from here.
		const runsOut = createTimer(clock);
		let heldUntil = Infinity;
		const keep = (askedAt: number) => {
			if (isShared) {
				heldUntil = askedAt + leaseMs;
				runsOut.set(Math.max(0, heldUntil - clock.monotonic()), lose);
			}
		};
		keep(leasedAt);
		const isHeld = () => {
			if (clock.monotonic() >= heldUntil) {
				lose();
			}

			return !controller.signal.aborted;
		};
		let beatAt = leasedAt + leaseMs / 3;
		// A failed renewal is retried soon: a short outage must not cost the lease.
		const stopBeating = every(clock, isShared ? againMs : leaseMs / 3, async () => {
			const askedAt = clock.monotonic();
			if (isShared && askedAt < beatAt) {
				return;
			}

			const kept = await runs.beat(lease, leaseMs).catch(() => undefined);
			if (kept === true) {
				beatAt = askedAt + leaseMs / 3;
				keep(askedAt);
			} else if (kept === false) {
				lose();
			}
		});
		const working = doWork(lease, controller.signal, isHeld).finally(() => {
			stopBeating();
			runsOut[Symbol.dispose]();
			if (active.get(id) === controller) {
				active.delete(id);
				aside.delete(id);
			}

			done.delete(working);
			// Before this work counts as ended, so that the gap does not count as idle.
			wake();
			end();
		});
		done.add(working);
		return working;
	};

	const abort = (runId: number) => {
		const controller = active.get(runId);
		controller?.abort('cancelled' satisfies StopReason);
		return controller !== undefined;
	};

	const unsubscribe = events.subscribe(note => {
		if (note.kind === 'run-cancelled') {
			abort(note.run);
		} else if (note.kind === 'runs-released' || note.kind === 'runs-queued') {
			wake();
		}
	});

	return {
		/** Looks for due runs soon. Cheap; called for every accepted delivery. */
		wake,
		/** Aborts a run that is under way here; `false` when it is not. */
		abort,
		/**
		 * Frees the worker of a run that waits for a person, until the returned function is called; the run then goes on at once, even if all workers are busy. At most 32 runs
		 * free their worker, and they still count towards the limit of their route.
		 */
		stepAside(runId: number): () => void {
			if (!active.has(runId)) {
				return () => {};
			}

			const wait = (by: number) => {
				const answers = (aside.get(runId) ?? 0) + by;
				if (answers > 0) {
					aside.set(runId, answers);
				} else {
					aside.delete(runId);
				}
			};
			let isWaiting = true;
			wait(1);
			wake();
			return () => {
				if (isWaiting && aside.has(runId)) {
					wait(-1);
				}

				isWaiting = false;
			};
		},
		/** Works on a lease at once, outside the workers of the queue, with the same renewal, abort and drain. Resolves when the work has ended. */
		async host(lease: Lease, doWork: Working): Promise<void> {
			hosted += 1;
			await start(lease, async (...given) => {
				try {
					await doWork(...given);
				} finally {
					hosted -= 1;
				}
			});
		},
		/** Number of running runs, including hosted ones. */
		get active(): number {
			return active.size;
		},
		/** The workers for queued runs: how many are busy, and how many there are. */
		get places(): RunPlaces {
			return {taken: taken(), all: concurrency()};
		},
		/** Fills free workers once more, lets runs finish for three seconds, then aborts the rest, which the journal keeps. */
		async [Symbol.asyncDispose]() {
			// Starts runs that were queued while other parts closed.
			wake();
			await looked;
			stopping = true;
			timer[Symbol.dispose]();
			// Waits for leases that are just being given.
			await looked;
			const {promise: late, resolve} = Promise.withResolvers<void>();
			const cancel = clock.after(drainMs, resolve);
			await Promise.race([Promise.all(done), late]);
			cancel();
			for (const controller of active.values()) {
				controller.abort('stopping' satisfies StopReason);
			}

			await Promise.all(done);
			unsubscribe();
		},
	};
}
