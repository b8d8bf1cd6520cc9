import type {Approval} from '../core/approval.ts';
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
};
