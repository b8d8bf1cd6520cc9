import type {Approval, ApprovalAnswer, ApprovalDecision, RuleKey} from '../core/approval.ts';
import type {NewApproval, NewRule} from '../core/approvals/keeper.ts';
import {createTimer, type Clock} from '../core/clock.ts';
import type {JsonObject} from '../core/json.ts';
import {deniedBy, refusedBy, timedOut, type Denial} from './drafts.ts';
import {ruleOf, type RuledCall} from './rules.ts';
import {extended, type Deadlines} from './terms.ts';

/** The decision on a request, and what follows from it. */
export type Choice = {
	readonly decision: ApprovalDecision;
	/** The rule that the answer makes. */
	readonly rule?: NewRule;
	/** The content of a form, for the caller only. */
	readonly content?: JsonObject;
};

/** The facts of a request that say whether a change of tools or the end of a run concerns it. */
export type Subject = Deadlines & {
	readonly profile: string;
	/** Absent for a built-in tool. */
	readonly server?: string;
	readonly runId?: number;
	/** Absent for a form. */
	readonly call?: RuledCall;
	readonly signal: AbortSignal;
};

/** One request from start to end. The first decision wins; the deadline counts from the start. */
export type Ticket = Disposable & {
	readonly subject: Subject;
	/** Resolves with the first decision. */
	readonly choice: Promise<Choice>;
	/** Decides the request; `false` when it is already decided. */
	decide(choice: Choice): boolean;
	/** Denies the request. If it is decided and the decision is being stored, the caller gets the denial nevertheless. */
	overrideWithDenial(denial: Denial): void;
	/** The denial that the caller gets instead of the stored decision. */
	overridingDenial(): Denial | undefined;
	/** Sets the request as it was stored, with its number. */
	opened(approval: NewApproval & {readonly id: number}): Approval;
	/** The request as shown; absent before it has a number. */
	shown(): Approval | undefined;
	/** The stored approval; resolves at the end. */
	readonly settled: Promise<Approval>;
	finish(approval: Approval): void;
	/** Extends the deadline; `undefined` when the request is decided, or has no number yet. */
	extend(): Approval | undefined;
	readonly isDecided: boolean;
};

/** Creates a ticket; its deadline counts from now. `onAbort` returns the denial after an abort. */
export function createTicket(
	subject: Subject,
	{clock, onAbort}: {readonly clock: Clock; readonly onAbort: () => Denial},
): Ticket {
	const start = clock.monotonic();
	const requestedAt = clock.now();
	const {promise: choice, resolve: choose} = Promise.withResolvers<Choice>();
	const {promise: settled, resolve: finish} = Promise.withResolvers<Approval>();
	let {deadline} = subject;
	let isDecided = false;
	let isDone = false;
	let override: Denial | undefined;
	let shown: Approval | undefined;
	const timer = createTimer(clock);

	const decide = (decided: Choice): boolean => {
		if (isDecided) {
			return false;
		}

		isDecided = true;
		timer.cancel();
		choose(decided);
		return true;
	};

	const plan = () => {
		// Measured by the monotonic clock: setting the wall clock must not move the deadline.
		const left = deadline - requestedAt - (clock.monotonic() - start);
		timer.set(Math.max(left, 0), () => {
			decide({decision: timedOut(deadline - requestedAt, clock.now())});
		});
	};

	const overrideWithDenial = (denial: Denial) => {
		if (!decide({decision: deniedBy(denial, clock.now())}) && !isDone) {
			override ??= denial;
		}
	};

	const abort = () => overrideWithDenial(onAbort());

	plan();
	subject.signal.addEventListener('abort', abort, {once: true});
	if (subject.signal.aborted) {
		abort();
	}

	return {
		subject,
		choice,
		decide,
		overrideWithDenial,
		overridingDenial: () => override,
		opened(approval) {
			shown = approval;
			return approval;
		},
		shown: () => shown,
		settled,
		finish(approval) {
			isDone = true;
			finish(approval);
		},
		extend() {
			if (isDecided || !shown) {
				return undefined;
			}

			deadline = extended({deadline, latestDeadline: subject.latestDeadline});
			shown = {...shown, deadline};
			plan();
			return shown;
		},
		get isDecided() {
			return isDecided;
		},
		[Symbol.dispose]() {
			timer[Symbol.dispose]();
			subject.signal.removeEventListener('abort', abort);
		},
	};
}

/** The choice that an answer makes. The answer must have passed `answerProblem`; `keys`: the keys of its `when`. */
export function choiceOf(
	approval: Approval,
	answer: ApprovalAnswer,
	{at, by, keys}: {readonly at: number; readonly by: string; readonly keys?: readonly RuleKey[]},
): Choice {
	switch (answer.choice) {
		case 'deny':
			return {decision: refusedBy(by, at, answer.reason)};

		case 'submit':
			return {decision: {outcome: 'allowed', at, by, scope: 'once'}, content: answer.content};

		case 'allow': {
			const making = {at, by, ...(keys && {keys})};
			const rule = approval.kind === 'tool' ? ruleOf(approval, answer, making) : undefined;
			return {decision: {outcome: 'allowed', at, by, scope: answer.scope}, ...(rule && {rule})};
		}
	}
}
