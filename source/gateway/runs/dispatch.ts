import {every, createTimer} from '../../core/clock.ts';
import type {RunPlaces} from '../../core/run-queue.ts';
import type {World} from '../../core/world.ts';
import type {Lease, RouteLimit, Runs} from '../../store/port.ts';
import type {StoreNotes} from '../../store/shared-port.ts';
import {createFailureReport} from './announce-runs.ts';
import type {StopReason} from './work-run.ts';

/** How long a run belongs to this process without a sign of life, and where others work on the same journal. */
const ownLeaseMs = 60_000;
const sharedLeaseMs = 30_000;

/** Pause before a beat of a lease that others may take over is tried again, milliseconds. */
const againMs = 1000;

/** How long the drain lets runs finish before it takes them away. */
const drainMs = 3000;

/** Pause after the journal failed to give leases. */
const journalPauseMs = 1000;

/** Shortest wait before the next look, so that a wrong clock cannot make it spin. */
const minPauseMs = 20;

/** Runs that wait for a person and take no place at most; each keeps what its agent has said and read in memory. */
const mostAside = 32;

/**
 * Works on a lease until it is settled; never rejects. `isHeld` knows by the time whether the lease goes on, and aborts `signal` when it does not: a process that was stopped hears what had come for it before its timers
 * run, so what cannot be taken back asks it.
 */
type Working = (lease: Lease, signal: AbortSignal, isHeld: () => boolean) => Promise<void>;

export type Dispatcher = {
	/** Looks for due runs soon. Cheap; called for every accepted delivery. */
	wake(): void;
	/** Aborts a run that is under way here; `false` when it is not. */
	abort(runId: number): boolean;
	/** Works on a lease at once, beside those of the queue: its life, its abort and its end are theirs. Resolves when the work has ended. */
	host(lease: Lease, work: Working): Promise<void>;
	/** Runs under way, hosted ones too. */
	readonly active: number;
	/** The places of the queue now. */
	readonly places: RunPlaces;
	/** Fills the free places once more, lets what is under way finish for three seconds, then leaves the rest to the journal. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** The same for those who do the work. */
export type WorkDispatcher = Dispatcher & {
	/**
	 * The run waits for a person, and gives its place to another until the way back is called. It then goes on at once, also where all places are taken by then. No more than 32 runs give
	 * theirs, and a route's own bound counts them as before.
	 */
	stepAside(runId: number): () => void;
};

/**
 * Gives due runs to workers, at most `concurrency()` at once, and of each route no more than `limits()` says. What is due is the journal's knowledge: this only asks when it was
 * woken, when a worker is free, and when the next waiting run is due.
 */
export function createDispatcher(
	world: Pick<World, 'busy' | 'clock' | 'log'> & {
		readonly runs: Runs;
		/** Of all gateways: a run that is cancelled anywhere is aborted here. */
		readonly events: Pick<StoreNotes, 'subscribe'>;
		readonly work: Working;
	},
	options: {
		/** Others work on the same journal: a lease that has run out may be theirs, also while the journal cannot be asked. */
		readonly isShared?: boolean;
		readonly concurrency: () => number;
		/** Runs of a route that may be under way at once, where that is not as many as there are places. Asked for each look. */
		readonly limits?: () => readonly RouteLimit[];
	},
): WorkDispatcher {
	const {concurrency, limits = () => [], isShared = false} = options;
	const {clock, runs, events, busy, log, work} = world;
	const active = new Map<number, AbortController>();
	const done = new Set<Promise<void>>();
	/** Of each run that waits for a person, for how many answers. */
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
	/** Places that the queue has left. */
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

	/** `leasedAt`: when the lease was asked for, `Clock.monotonic`. */
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
		// What another gateway may take over by then must not go on here, whether the journal can be asked or not.
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
		// A beat that was not answered is tried again soon: a short outage must not cost the lease.
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
			// Before this work is counted off, so that the gap does not count as idle.
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
		wake,
		abort,
		stepAside(runId) {
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
		async host(lease, doWork) {
			hosted += 1;
			await start(lease, async (...given) => {
				try {
					await doWork(...given);
				} finally {
					hosted -= 1;
				}
			});
		},
		get active() {
			return active.size;
		},
		get places() {
			return {taken: taken(), all: concurrency()};
		},
		async [Symbol.asyncDispose]() {
			// What was handed over while everything closed is to begin in the places that are free.
			wake();
			await looked;
			stopping = true;
			timer[Symbol.dispose]();
			// Leases that are just being given are work under way, too.
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
