import type {Approval, ApprovalAnswer, ApprovalRule, AskedTool} from '../approval.ts';
import {every, type Clock} from '../clock.ts';
import {SvcError} from '../errors.ts';
import type {Emit} from '../events.ts';
import type {Logger} from '../log.ts';
import {answerProblem} from './answer-problem.ts';
import type {ApprovalKeeper, Approvals} from './approvals.ts';
import {choiceOf} from './choice-of.ts';
import {createCallDecider} from './decide-calls.ts';
import {deniedBy, denials} from './denials.ts';
import {formDraft} from './drafts.ts';
import {createPresentTools} from './present-tools.ts';
import {createQueue} from './queue.ts';
import {createRecorder} from './recorder.ts';
import {createRuleBook} from './rule-book.ts';
import {ruledBy, ruleFor} from './rules.ts';
import {formDeadlines} from './terms.ts';
import type {Subject, Ticket} from './ticket.ts';

/** How often the log is told what waits: there may be nobody else to tell. */
const remindMs = 60_000;

export type ApprovalsDependencies = {
	readonly clock: Clock;
	readonly emit: Emit;
	readonly log: Logger;
	readonly keeper: ApprovalKeeper;
	/** The rules that are kept. */
	readonly rules: readonly ApprovalRule[];
	/** Whether the gateway is ending: what is given up then was not given up by a person. */
	readonly isStopping?: () => boolean;
	/** Gets each decision once, with all of the arguments. Must not throw. */
	readonly audit?: (approval: Approval) => void;
	/** A person allowed a call of a tool as it is defined now. Must not throw. */
	readonly onAllowed?: (tool: AskedTool) => void;
};

/** The queue of everything that needs a person's yes. @see Approvals */
export function createApprovals({
	clock,
	emit,
	log,
	keeper,
	rules,
	isStopping = () => false,
	audit = () => {},
	onAllowed = () => {},
}: ApprovalsDependencies): Approvals {
	let closed = false;
	const book = createRuleBook({clock, emit, log, keeper}, rules);
	const recorder = createRecorder({clock, emit, log, keeper, book, audit});
	const queue = createQueue({
		clock,
		emit,
		log,
		keeper,
		recorder,
		onRule(id, {runId}, denial) {
			// Written down while its tool, its server or its run went away.
			if (denial?.outcome === 'void') {
				book.drop(id);
			} else if (denial === denials.runEnded && runId !== undefined) {
				book.runEnded(runId);
			}

			allowWaiting(id);
		},
		isStopping: () => closed || isStopping(),
	});
	const present = createPresentTools();
	const calls = createCallDecider({
		clock,
		keeper,
		book,
		recorder,
		queue,
		present,
		isClosed: () => closed,
		onAllowed,
	});

	/** A new rule also covers what waits already: nobody is asked for what they just agreed to. */
	const allowWaiting = (id: number) => {
		const made = book.all().filter(rule => rule.id === id);
		for (const ticket of queue.tickets()) {
			const {call} = ticket.subject;
			const rule = call && ruleFor(call, made, clock.now());
			if (rule) {
				ticket.decide({decision: ruledBy(rule, clock.now())});
			}
		}
	};

	const stopReminding = every(clock, remindMs, () => {
		const [oldest, ...others] = queue.tickets().flatMap(ticket => ticket.shown() ?? []);
		if (oldest) {
			log.warn('Calls or forms wait for a person: see "svc approvals list"', {
				waiting: others.length + 1,
				oldest: oldest.id,
				denies_in_s: Math.round((oldest.deadline - clock.now()) / 1000),
			});
		}
	});

	const ticketOf = (id: number): Ticket | undefined =>
		queue.tickets().find(ticket => ticket.shown()?.id === id);

	/** `false` when it is decided already. */
	const answer = (ticket: Ticket, given: ApprovalAnswer, by: string): boolean => {
		const shown = ticket.shown();
		if (!shown || ticket.isDecided) {
			return false;
		}

		const problem = answerProblem(shown, given);
		if (problem !== undefined) {
			throw new SvcError(
				'approval_invalid',
				`Cannot answer approval ${shown.id} like that: ${problem}`,
			);
		}

		return ticket.decide(choiceOf(shown, given, {at: clock.now(), by}));
	};

	return {
		request: async call => calls.request(call),
		async elicit(form) {
			if (closed || form.signal.aborted) {
				return {action: 'cancel'};
			}

			const requestedAt = clock.now();
			const times = {requestedAt, ...formDeadlines(form, requestedAt)};
			const draft = formDraft(form, times);
			if (queue.isFull) {
				await recorder.atOnce(draft, deniedBy(denials.full, requestedAt));
				return {action: 'cancel'};
			}

			const {profile, server, run, signal} = form;
			const {approval, content, denial} = await queue.ask(
				{...times, profile, server, ...(run && {runId: run.id}), signal},
				async () => draft,
			);
			const outcome = denial?.outcome ?? approval?.decision?.outcome;
			if (outcome === 'allowed' && content) {
				return {action: 'accept', content};
			}

			return {action: outcome === 'denied' && !denial ? 'decline' : 'cancel'};
		},
		async settle(id, given, by) {
			const ticket = ticketOf(id);
			if (!ticket) {
				const approval = await keeper.get(id);
				return {settled: false, ...(approval && {approval})};
			}

			const settled = answer(ticket, given, by);
			return {settled, approval: await ticket.settled};
		},
		extend(id) {
			const approval = ticketOf(id)?.extend();
			if (approval) {
				emit({type: 'approval-extended', at: clock.now(), approval});
			}

			return approval;
		},
		waiting: () =>
			queue.tickets().flatMap(ticket => (ticket.isDecided ? [] : (ticket.shown() ?? []))),
		rules: () => book.all(),
		revoke: async id => book.revoke(id),
		runEnded(runId) {
			queue.deny(subject => subject.runId === runId, denials.runEnded);
			book.runEnded(runId);
			calls.runEnded(runId);
		},
		serverChanged(change) {
			present.changed(change);
			const {profile, server, definitions} = change;
			const isOf = (subject: Subject) => subject.profile === profile && subject.server === server;
			if (definitions) {
				const isStale = ({call}: Subject) => call !== undefined && present.isStale(call.tool);
				queue.deny(subject => isOf(subject) && isStale(subject), denials.changed);
			} else {
				queue.deny(isOf, denials.gone);
			}

			book.serverChanged(change);
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			stopReminding();
			queue.deny(() => true, denials.shutdown);
			await queue.settled();
		},
	};
}
