import type {ApprovalDecision, ApprovalOutcome} from '../core/approval.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Most requests that wait at once. */
export const maxWaiting = 200;

/** Largest arguments that a person is asked about, bytes of UTF-8 as JSON. */
export const maxArgsBytes = 1024 * 1024;

const maxReasonLength = 500;

/** Why a request ends without a person's word; the agent reads the reason. */
export type Denial = {
	readonly outcome: Exclude<ApprovalOutcome, 'allowed'>;
	readonly reason: string;
};

/** Every way out of a request that is neither a yes nor a person's no. */
export const denials = {
	runEnded: {outcome: 'cancelled', reason: 'approval_cancelled: the run has ended'},
	aborted: {outcome: 'cancelled', reason: 'approval_cancelled: the call was given up'},
	shutdown: {outcome: 'shutdown', reason: 'approval_shutdown: the gateway is stopping'},
	gone: {outcome: 'void', reason: 'approval_void: the tool server is gone'},
	changed: {
		outcome: 'void',
		reason: 'approval_void: the tool is not the one that this run started with any more',
	},
	full: {
		outcome: 'full',
		reason: `approval_queue_full: ${maxWaiting} requests wait for a person already`,
	},
	tooLarge: {
		outcome: 'denied',
		reason: `approval_too_large: arguments above 1 MiB, or nested more than 128 levels deep, are put to nobody`,
	},
	unrecorded: {
		outcome: 'denied',
		reason: 'approval_unrecorded: the request could not be written to the journal',
	},
} as const satisfies Readonly<Record<string, Denial>>;

/** A denial as it is recorded. */
export const deniedBy = ({outcome, reason}: Denial, at: number): ApprovalDecision => ({
	outcome,
	at,
	by: 'gateway',
	reason,
});

/** The denial of a request that waited for `waitedMs` in vain. */
export const timedOut = (waitedMs: number, at: number): ApprovalDecision => ({
	outcome: 'timeout',
	at,
	by: 'deadline',
	reason: `approval_timeout: nobody agreed within ${Math.round(waitedMs / 1000)} seconds`,
});

/** A person's no, with what the agent is told of it. */
export function refusedBy(by: string, at: number, reason = ''): ApprovalDecision {
	const told = escapeLine(reason.trim(), maxReasonLength);
	return {outcome: 'denied', at, by, reason: `approval_denied${told && `: ${told}`}`};
}
