import type {Approval} from '../core/approval.ts';
import {type Clock, every, createTimer} from '../core/clock.ts';
import type {GatewayEvent} from '../core/events.ts';
import type {IdShare} from '../core/ids.ts';
import type {JsonValue} from '../core/json.ts';
import type {Documents} from './document-port.ts';
import type {Limits} from './limits/port.ts';

/** Unfinished work of dead owners, after the takeover; oldest first. */
export type TakenOver = {
	/** Runs that are queued again, those that wait for a person, and those whose answer may or may not have arrived. */
	readonly requeued: readonly number[];
	readonly interrupted: readonly number[];
	readonly uncertain: readonly number[];
	/** Requests for approval that waited: they are denied as `shutdown`. */
	readonly denied: readonly Approval[];
};

/** Named leases for work that only one holder does at a time, across gateways. What the store itself does in one transaction needs none. */
export type Leases = (name: string) => {
	/** Takes the lease for `leaseMs`; `undefined` while another holder has it. Not durable: if its gateway dies, the lease expires. @throws SvcError `journal_unavailable` */
	take(leaseMs: number): Promise<NamedLease | undefined>;
};

/** A fencing token: greater than that of every earlier holder that may still be alive. */
export type LeaseToken = {readonly name: string; readonly token: number};

export type NamedLease = LeaseToken & {
	/** Renews the lease for `leaseMs` from now. `false` when it is lost: stop. @throws SvcError `journal_unavailable` */
	beat(leaseMs: number): Promise<boolean>;
	/** Releases the lease, so that another holder can take it at once; does nothing if it is lost. @throws SvcError `journal_unavailable`: the lease then expires */
	release(): Promise<void>;
};

const leaseMs = 30_000;

/** A lease that is renewed automatically. */
export type HeldLease = AsyncDisposable & {
	/** Aborts once another holder may have the lease: a renewal was refused, or none succeeded in time. */
	readonly lost: AbortSignal;
	/** Whether it is still held; asks the store if it may have expired: in a process that was suspended, `lost` may not have aborted yet. @throws SvcError `journal_unavailable` */
	isHeld(): Promise<boolean>;
	/** The lease as last taken. */
	token(): LeaseToken;
};

/**
 * Takes the lease and renews it until it is lost or disposed of, which releases it and never rejects; `undefined` while another holder has it.
 *
 * @throws SvcError `journal_unavailable`
 */
export async function holdLease(
	lease: ReturnType<Leases>,
	clock: Clock,
): Promise<HeldLease | undefined> {
	let keptAt = clock.monotonic();
	const taken = await lease.take(leaseMs);
	if (!taken) {
		return undefined;
	}

	let held = taken;
	const lost = new AbortController();
	const runsOut = createTimer(clock);
	const plan = () => {
		runsOut.set(Math.max(0, leaseMs - (clock.monotonic() - keptAt)), () => void beat().catch(lose));
	};
	const lose = () => {
		stop();
		runsOut[Symbol.dispose]();
		lost.abort();
	};

	/** Takes an expired lease again, for instance after the process was suspended. It is still good if no token was assigned meanwhile, so nobody else had it. */
	const takeAgain = async () => {
		const next = await lease.take(leaseMs);
		if (next?.token !== held.token + 1) {
			await next?.release().catch(() => {});
			return false;
		}

		held = next;
		return true;
	};

	const beat = async () => {
		const askedAt = clock.monotonic();
		const isKept = (await held.beat(leaseMs)) || (await takeAgain());
		if (!isKept) {
			lose();
		} else if (askedAt > keptAt) {
			keptAt = askedAt;
			plan();
		}

		return isKept;
	};

	// After a failed renewal, the next one covers it, until the lease expires.
	const stop = every(clock, leaseMs / 3, async () => {
		await beat().catch(() => {});
	});
	plan();
	return {
		lost: lost.signal,
		token: () => held,
		isHeld: async () =>
			!lost.signal.aborted && (clock.monotonic() - keptAt < leaseMs || (await beat())),
		async [Symbol.asyncDispose]() {
			stop();
			runsOut[Symbol.dispose]();
			// The work is done: a lease that cannot be released expires.
			await held.release().catch(() => {});
		},
	};
}

/** A change of something that gateways share. Published after it is on disk; a listener reads the current state from the store. */
export type StoreNote =
	/** A run was cancelled by `Runs.cancel`: it may be running at any gateway. */
	| {readonly kind: 'run-cancelled'; readonly run: number}
	/** Runs that waited for a login, or for a person, are due. */
	| {readonly kind: 'runs-released'}
	/** Runs were queued at any gateway. Published only if there may be other gateways, and throttled. */
	| {readonly kind: 'runs-queued'}
	/** Notes of this gateway or of others are lost: read everything again that they may have been about. */
	| {readonly kind: 'missed'}
	/** Keys were created, changed or dropped: the named ones; any if the list is empty. */
	| {readonly kind: 'keys-changed'; readonly keys: readonly string[]}
	/** Uses of keys were added to a store that is shared. */
	| {readonly kind: 'keys-used'; readonly keys: readonly string[]}
	/** A request for approval was settled. */
	| {readonly kind: 'approval-settled'; readonly id: number}
	/** Rules of approvals were made, changed or removed. */
	| {readonly kind: 'approval-rules-changed'}
	/** Documents of the kind `of` were written or removed. */
	| {readonly kind: 'documents-changed'; readonly of: string}
	/** Events of a gateway, for the faces of the others. `seq` numbers these notes of `from`, starting at 1. Without events there were too many: read the store again. */
	| {
			readonly kind: 'events';
			readonly from: string;
			readonly node: string;
			readonly seq: number;
			readonly events: readonly GatewayEvent[];
	  }
	/** A gateway asks the owner of a thing (`to`; all gateways if the owner is unknown) to perform an operation. */
	| {
			readonly kind: 'call';
			readonly id: string;
			readonly from: string;
			readonly to?: string;
			readonly name: string;
			readonly input: JsonValue;
	  }
	/** The result of a call; a refusal has a code and a message. */
	| {
			readonly kind: 'answer';
			readonly id: string;
			readonly to: string;
			readonly result: JsonValue;
			readonly refusal?: {readonly code: string; readonly message: string};
	  }
	/** A route has answered a subject (`answer`), is held for it (`held`), or is released. @see LoopBreaker */
	| {
			readonly kind: 'loop';
			readonly from: string;
			readonly subject: string;
			readonly answer?: number | string;
			readonly held?: string;
	  };

/** Notes of all gateways on the store, including this one. Best effort: a listener that must not miss a note also polls. */
export type StoreNotes = {
	publish(note: StoreNote): void;
	/** Calls `listener`, which must not throw, with each note from now on. Returns the unsubscribe function. */
	subscribe(listener: (note: StoreNote) => void): () => void;
};

/** A gateway on the store. Times are milliseconds since 1970, by the clock of the store. */
export type Member = {
	/** As in `Shared.owner`. */
	readonly owner: string;
	/** The name configured by a person. */
	readonly node: string;
	readonly since: number;
	readonly seen: number;
	/** Number of runs that it has leased. */
	readonly leases: number;
	/** `gone`: not seen for a minute. It stays listed for an hour, or until its home opens the store again. */
	readonly state: 'live' | 'gone';
	/** Its own description. */
	readonly data: JsonValue;
};

/** The gateways on one store. A gateway leaves when it closes its store. */
export type Cluster = {
	/** All members including this one, longest-standing first. */
	members(): Promise<readonly Member[]>;
	/** Replaces this gateway's description, which the other members read. */
	describe(data: JsonValue): Promise<void>;
};

/** What gateways on one store have in common. An adapter for one gateway at a time implements it for that one. */
export type Shared = {
	/** Identifies this opening of the store as the owner of its leases and requests; unique. */
	readonly owner: string;
	/**
	 * Durably takes over the unfinished work of dead owners: of those named, or without names of all that the adapter knows to be dead. Never includes what this opening owns.
	 * A leased run is `queued` again if only reading tools had started, otherwise `interrupted`; a delivery attempt that had started becomes `uncertain`, unless it was marked
	 * as repeatable. The third lease that a run loses in one phase (by a crash, or for lack of renewal) ends it as `interrupted`, or `uncertain` once it has an answer; a
	 * `retry` resets the count, and an orderly close of the store counts nothing. Waiting requests are denied, and rules end that do not outlive the gateway that made them, or
	 * have expired.
	 *
	 * @throws SvcError `journal_unavailable`
	 */
	takeOver(dead?: {readonly owners: readonly string[]}): Promise<TakenOver>;
	readonly limits: Limits;
	readonly leases: Leases;
	/** Absent if the store is not shared: these documents are then files of the home. */
	readonly documents?: Documents;
	/** The store publishes what is written through it; others may publish, too. */
	readonly events: StoreNotes;
	readonly cluster: Cluster;
	/** This gateway's share of the identifiers of a millisecond; absent if it has all. For `createIdSource`. */
	readonly share?: () => IdShare;
};
