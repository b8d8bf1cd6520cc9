import type {Approval, ApprovalAnswer, ApprovalRule} from '../core/approval.ts';
import {isDecidedBy, type ApprovalKeeper} from '../core/approvals/keeper.ts';
import {every} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import type {AskedTool} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import {answerProblem, whenKeys} from './answer-problem.ts';
import type {Approvals} from './approvals.ts';
import {createCallDecider} from './decide-calls.ts';
import {deniedBy, denials, formDraft} from './drafts.ts';
import {createFileRules} from './file-rules.ts';
import {createQueue} from './queue.ts';
import {createRecorder} from './recorder.ts';
import {createRuleBook} from './rule-book.ts';
import {ruledBy} from './rules.ts';
import {createPresentTools, formDeadlines} from './terms.ts';
import {choiceOf, type Subject, type Ticket} from './ticket.ts';

/** Interval of reminders in the log, which may be all that a person looks at. */
const remindMs = 60_000;

export type ApprovalsDependencies = Pick<World, 'clock' | 'emit' | 'log'> & {
	readonly keeper: ApprovalKeeper;
	/** The stored rules. */
	readonly rules: readonly ApprovalRule[];
	/** Whether the gateway is stopping: then aborts count as shutdown, not as given up by a person. */
	readonly isStopping?: () => boolean;
	/** Receives each decision once, with all arguments. Must not throw. */
	readonly audit?: (approval: Approval) => void;
	/** Called when a person allowed a call of a tool with its present definition. Must not throw. */
	readonly onAllowed?: (tool: AskedTool) => void;
	/** The folder that `~` stands for in a rule. */
	readonly userHome?: string;
	/** Folders closed to all rules, absolute: the data directory of svc. */
	readonly closedFolders?: readonly string[];
};

/** Creates the queue of approvals. @see Approvals */
export function createApprovals(dependencies: ApprovalsDependencies): Approvals {
	const {clock, emit, log, keeper, rules, isStopping = () => false} = dependencies;
	const {onAllowed = () => {}, userHome = '/', closedFolders = []} = dependencies;
	let closed = false;
	const present = createPresentTools();
	const book = createRuleBook({...dependencies, present, closed: closedFolders}, rules);
	const parts = {...dependencies, present, book};
	const files = createFileRules({
		...parts,
		onBound(id) {
			void allowWaiting(id);
		},
	});
	const recorder = createRecorder(parts);
	const queue = createQueue({
		...parts,
		recorder,
		onRule(id, {runId}, denial) {
			// The request was denied while its rule was being stored, because its tool, server or run ended: the rule ends, too.
			if (denial?.outcome === 'void') {
				book.drop(id);
			} else if (denial === denials.runEnded && runId !== undefined) {
				book.runEnded(runId);
			}

			void allowWaiting(id);
		},
		isStopping: () => closed || isStopping(),
	});
	const calls = createCallDecider({
		...parts,
		recorder,
		queue,
		isClosed: () => closed,
		met: async tool => files.met(tool),
		onAllowed,
	});

	/** Applies a new rule to waiting calls: people are not asked again about what they just approved. */
	const allowWaiting = async (id: number) => {
		for (const ticket of queue.tickets()) {
			const {call} = ticket.subject;
			// oxlint-disable-next-line no-await-in-loop -- in the order in which they were asked
			const rule = call && (await book.find(call, id));
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

	/** Decides a request by the answer of a person; `false` if it is already decided. */
	const answer = async (ticket: Ticket, given: ApprovalAnswer, by: string): Promise<boolean> => {
		const shown = ticket.shown();
		if (!shown || ticket.isDecided) {
			return false;
		}

		const problem = answerProblem(shown, given);
		const keys =
			problem === undefined ? await whenKeys(shown, given, {userHome, closedFolders}) : {problem};
		if ('problem' in keys) {
			const text = `Cannot answer approval ${shown.id} like that: ${keys.problem}`;
			throw new SvcError('approval_invalid', text);
		}

		return ticket.decide(choiceOf(shown, given, {at: clock.now(), by, ...keys}));
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
				{draft: async () => draft},
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

			const isFirst = await answer(ticket, given, by);
			const [approval, {decision}] = await Promise.all([ticket.settled, ticket.choice]);
			// Another gateway may have taken this one for dead, and denied the request first.
			return {settled: isFirst && isDecidedBy(approval, decision), approval};
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
		async revoke(id) {
			const file = book.all().find(rule => rule.id === id)?.file;
			if (file) {
				const text = `Cannot revoke rule ${id}: it stands in ${file.place}, remove it there`;
				throw new SvcError('approval_invalid', text);
			}

			return book.revoke(id);
		},
		async setKeptRules(kept) {
			const known = new Set(book.all().map(({id}) => id));
			book.setKept(kept);
			await files.keepAgain();
			for (const {id} of book.all().filter(rule => !known.has(rule.id))) {
				// oxlint-disable-next-line no-await-in-loop -- what waits is allowed once
				await allowWaiting(id);
			}
		},
		setFileRules: async file => files.set(file),
		async acceptRule(id, definition) {
			const rule = await files.accept(id, definition);
			const tool = rule?.file && present.named(rule.profile, rule.file.name);
			if (tool) {
				onAllowed(tool);
			}

			return rule;
		},
		runEnded(runId) {
			queue.deny(subject => subject.runId === runId, denials.runEnded);
			book.runEnded(runId);
			calls.runEnded(runId);
		},
		toolsChanged(change) {
			present.changed(change);
			const {profile, server, definitions} = change;
			const isOf = (subject: Subject) => subject.profile === profile && subject.server === server;
			if (definitions) {
				const isStale = ({call}: Subject) => call !== undefined && present.isStale(call.tool);
				queue.deny(subject => isOf(subject) && isStale(subject), denials.changed);
			} else {
				queue.deny(isOf, denials.gone);
			}

			book.toolsChanged(change);
			void files.lookAgain();
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			stopReminding();
			queue.deny(() => true, denials.shutdown);
			await queue.settled();
		},
	};
}
