import type {Approval} from '../core/approval.ts';
import {type Clock, every, createTimer} from '../core/clock.ts';
import type {GatewayEvent} from '../core/events.ts';
import type {IdShare} from '../core/ids.ts';
import type {JsonValue} from '../core/json.ts';
import type {Documents} from './document-port.ts';
import type {Limits} from './limits/port.ts';

/** What dead owners had not finished, after it was taken over; oldest first. */
export type TakenOver = {
	/** Runs that are queued again, those that wait for a person, and those whose answer may or may not have arrived. */
	readonly requeued: readonly number[];
	readonly interrupted: readonly number[];
	readonly uncertain: readonly number[];
	/** Requests for approval that waited: they are denied as `shutdown`. */
	readonly denied: readonly Approval[];
};

/** Work that a name stands for, and that only one holder does at a time, whichever gateway it is of. What the store itself does in one transaction needs no lease. */
export type Leases = (name: string) => {
	/** Takes the lease for `leaseMs`; `undefined` while another holder has it. Not durable: a lease outlives its gateway only until it runs out. @throws SvcError `journal_unavailable` */
	take(leaseMs: number): Promise<NamedLease | undefined>;
};

/** The fence: the token of a lease is greater than that of every earlier holder that may still live. */
export type LeaseToken = {readonly name: string; readonly token: number};

export type NamedLease = LeaseToken & {
	/** Prolongs by `leaseMs` from now on. `false`: it is lost, stop. @throws SvcError `journal_unavailable` */
	beat(leaseMs: number): Promise<boolean>;
	/** Lets the next one take it at once; of a lease that is lost, nothing. @throws SvcError `journal_unavailable`: it runs out by itself */
	release(): Promise<void>;
};

const leaseMs = 30_000;

/** A lease that is beaten. */
export type HeldLease = AsyncDisposable & {
	/** Aborts once another holder may have the lease: a beat was refused, or none succeeded in time. */
	readonly lost: AbortSignal;
	/** Whether it is still held, which the store is asked when it may have run out: in a process that was stopped nothing has aborted yet. @throws SvcError `journal_unavailable` */
	isHeld(): Promise<boolean>;
	/** The lease as it was taken last. */
	token(): LeaseToken;
};

/** Takes the lease and beats it until it is disposed of, which releases it and never rejects, or it is lost; `undefined` while another holder has it. @throws SvcError `journal_unavailable` */
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

	/** A lease that has run out, as in a process that was suspended, is still good when no other holder had it since: then no token was given meanwhile. */
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

	// A failed beat is made up for by the next, until the lease has run out.
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
			// What was done counts: a lease that could not be given back runs out.
			await held.release().catch(() => {});
		},
	};
}

/** A change of something that the gateways share. Published after it is on disk; a listener asks the store for the current state. */
export type StoreNote =
	/** By `Runs.cancel`: it may be under way at any gateway. */
	| {readonly kind: 'run-cancelled'; readonly run: number}
	/** Runs that waited for a login, or for a person, are due. */
	| {readonly kind: 'runs-released'}
	/** Runs were queued, at whichever gateway. Only where there may be others, and of many that come soon after each other once. */
	| {readonly kind: 'runs-queued'}
	/** Notes are lost, of this gateway or of others: look at all that they may have been of. */
	| {readonly kind: 'missed'}
	/** Keys were made, changed or dropped: those that are named, or without names any. */
	| {readonly kind: 'keys-changed'; readonly keys: readonly string[]}
	/** What keys used was added to the store, by a gateway that has it not for itself. */
	| {readonly kind: 'keys-used'; readonly keys: readonly string[]}
	/** A request for approval was settled. */
	| {readonly kind: 'approval-settled'; readonly id: number}
	/** Rules of approvals were made, changed or removed. */
	| {readonly kind: 'approval-rules-changed'}
	/** Documents of the kind `of` were written or removed. */
	| {readonly kind: 'documents-changed'; readonly of: string}
	/** What happened at a gateway, for the faces of the others. `seq` counts those notes of `from`, from 1. Without events: there were too many, read again. */
	| {
			readonly kind: 'events';
			readonly from: string;
			readonly node: string;
			readonly seq: number;
			readonly events: readonly GatewayEvent[];
	  }
	/** A gateway asks the owner of a thing (`to`; all gateways when the owner is not known) to do something with it. */
	| {
			readonly kind: 'call';
			readonly id: string;
			readonly from: string;
			readonly to?: string;
			readonly name: string;
			readonly input: JsonValue;
	  }
	/** What came of a call; a refusal has a code and a message. */
	| {
			readonly kind: 'answer';
			readonly id: string;
			readonly to: string;
			readonly result: JsonValue;
			readonly refusal?: {readonly code: string; readonly message: string};
	  }
	/** A route has answered a subject, is held for it, or goes on with it. @see LoopBreaker */
	| {
			readonly kind: 'loop';
			readonly from: string;
			readonly subject: string;
			readonly answer?: number | string;
			readonly held?: string;
	  };

/** Notes of all gateways on the store, this one included. Best effort: a listener that must not miss one polls, too. */
export type StoreNotes = {
	publish(note: StoreNote): void;
	/** Calls `listener`, which must not throw, with each note from now on, until the way out is called. */
	subscribe(listener: (note: StoreNote) => void): () => void;
};

/** A gateway on the store. Times are milliseconds since 1970, by the clock of the store. */
export type Member = {
	/** As in `Shared.owner`. */
	readonly owner: string;
	/** The name that a person gave it. */
	readonly node: string;
	readonly since: number;
	readonly seen: number;
	/** Runs that it has leased now. */
	readonly leases: number;
	/** `gone`: it was not seen for a minute. It is listed for an hour, or until its home opens the store again. */
	readonly state: 'live' | 'gone';
	/** Its own description. */
	readonly data: JsonValue;
};

/** The gateways on one store. A gateway leaves when it closes its store. */
export type Cluster = {
	/** All of them, this one too, those first that have been there for longest. */
	members(): Promise<readonly Member[]>;
	/** Replaces this gateway's description, which the others read. */
	describe(data: JsonValue): Promise<void>;
};

/** What the gateways on one store have in common. An adapter that lets one in at a time answers for that one. */
export type Shared = {
	/** Names this opening as the owner of what it leases and asks; no other opening has the same name. */
	readonly owner: string;
	/**
	 * Durably takes over what dead owners left: those named, or without names all that the adapter knows to be dead. What this opening owns is never among it.
	 * A leased run is `queued` again when only reading tools had started, `interrupted` otherwise; a delivery try that had started becomes `uncertain`, unless it was said to be repeatable.
	 * The third lease that a run loses in one phase (to a crash, or because it was not beaten) ends it as `interrupted`, or `uncertain` once its answer is there; a `retry` counts from zero, and
	 * a store that is closed in order counts nothing. Requests that wait are denied, and rules end that do not outlive the gateway that made them, or have expired.
	 * @throws SvcError `journal_unavailable`
	 */
	takeOver(dead?: {readonly owners: readonly string[]}): Promise<TakenOver>;
	readonly limits: Limits;
	readonly leases: Leases;
	/** Absent where one gateway has the store for itself: then these things stand in files of its home. */
	readonly documents?: Documents;
	/** The store publishes what is written through it; others may publish, too. */
	readonly events: StoreNotes;
	readonly cluster: Cluster;
	/** This gateway's part of the identifiers of a millisecond; absent: it has all of them. For `createIdSource`. */
	readonly share?: () => IdShare;
};
