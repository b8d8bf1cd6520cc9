import type {
	FormApproval,
	ToolApproval,
	ApprovalDecision,
	ApprovalOutcome,
} from '../core/approval.ts';
import type {LastAllowed} from '../core/approvals/keeper.ts';
import {originFacts} from '../core/origin.ts';
import {type AskedTool, shownTool} from '../core/tool.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {AskingRun, CallToApprove, FormToFill} from './approvals.ts';
import {type Deadlines, type Terms, approvalTerms} from './terms.ts';

type Times = Deadlines & {readonly requestedAt: number};

/** The request for a call, as shown to a person. `last`: the last allowed call of the tool. */
export function callDraft(
	call: CallToApprove & {readonly argsBytes: number},
	times: Times,
	last: LastAllowed | undefined,
): Omit<ToolApproval, 'id'> {
	return {
		...undecided(call, times, approvalTerms(call.tool, call.run, last)),
		...(last?.args !== undefined && {lastArgs: last.args}),
	};
}

/** A call that is decided without asking a person, for the history. */
export const unaskedCall = (
	call: CallToApprove & {readonly argsBytes: number},
	times: Times,
): Omit<ToolApproval, 'id'> =>
	undecided(call, times, {scopes: ['once'], mustTypeName: false, changed: call.tool.changed});

const undecided = (
	{tool, args, argsBytes, preview, run, said}: CallToApprove & {readonly argsBytes: number},
	times: Times,
	{scopes, mustTypeName, changed, lasting}: Terms,
): Omit<ToolApproval, 'id'> => ({
	kind: 'tool',
	profile: tool.profile,
	...asker(run),
	...times,
	...(said !== undefined && said !== '' && {said: beginningOf(said)}),
	tool: shownTool(changed ? {...tool, changed} : unchanged(tool)),
	args,
	argsBytes,
	...(preview && {preview}),
	scopes,
	mustTypeName,
	...(lasting && {lasting}),
});

function unchanged(tool: AskedTool): AskedTool {
	const {changes: _, ...rest} = tool;
	return {...rest, changed: false};
}

/** The request for a form. Initial values of masked fields are left out. */
export const formDraft = (form: FormToFill, times: Times): Omit<FormApproval, 'id'> => ({
	kind: 'form',
	profile: form.profile,
	...asker(form.run),
	...times,
	server: form.server,
	host: form.host,
	message: form.message,
	fields: form.fields.map(field => {
		const {initial: _, ...rest} = field;
		return field.masked ? rest : field;
	}),
});

const asker = (run: AskingRun | undefined) =>
	run && {
		run: run.id,
		...originFacts(run.origin),
		...(run.prompt !== undefined && {prompt: beginningOf(run.prompt)}),
	};

const maxContextLength = 600;

/** The beginning of a text, without a torn surrogate pair. */
const beginningOf = (text: string): string => text.slice(0, maxContextLength).toWellFormed();

/** Most requests that may wait at the same time. */
export const maxWaiting = 200;

/** Most bytes (as JSON in UTF-8) of arguments that a person can be asked to approve. */
export const maxArgsBytes = 1024 * 1024;

const maxReasonLength = 500;

/** A denial by the gateway, not by a person; the agent reads the reason. */
export type Denial = {
	readonly outcome: Exclude<ApprovalOutcome, 'allowed'>;
	readonly reason: string;
};

/** All denials by the gateway, except the one at the deadline. */
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

/** The decision to record for a denial by the gateway. */
export const deniedBy = ({outcome, reason}: Denial, at: number): ApprovalDecision => ({
	outcome,
	at,
	by: 'gateway',
	reason,
});

/** The denial of a request after `waitedMs` without an answer. */
export const timedOut = (waitedMs: number, at: number): ApprovalDecision => ({
	outcome: 'timeout',
	at,
	by: 'deadline',
	reason: `approval_timeout: nobody agreed within ${Math.round(waitedMs / 1000)} seconds`,
});

/** A denial by a person, with the reason for the agent. */
export function refusedBy(by: string, at: number, reason = ''): ApprovalDecision {
	const told = escapeLine(reason.trim(), maxReasonLength);
	return {outcome: 'denied', at, by, reason: `approval_denied${told && `: ${told}`}`};
}
