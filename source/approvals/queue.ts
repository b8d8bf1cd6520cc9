import type {Approval} from '../core/approval.ts';
import {isDecidedBy, type ApprovalKeeper, type NewApproval} from '../core/approvals/keeper.ts';
import {messageOf} from '../core/errors.ts';
import {type JsonObject, jsonHash} from '../core/json.ts';
import {toolPlace, type Verdict} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import type {CallToApprove} from './approvals.ts';
import {type Denial, denials, maxWaiting} from './drafts.ts';
import type {Recorder} from './recorder.ts';
import {type Choice, createTicket, type Subject, type Ticket} from './ticket.ts';

/** The result of a request. */
export type ApprovalResult = {
	/** The stored approval; absent when it could not be stored. */
	readonly approval?: Approval;
	/** A denial that overrides the stored decision. */
	readonly denial?: Denial;
	/** The content of a form. */
	readonly content?: JsonObject;
};

/** How a request becomes an approval. */
type Request = {
	/** Makes the approval that is stored and shown. */
	readonly draft: () => Promise<NewApproval>;
	/** Decides the request without a person, where possible. */
	readonly look?: () => Promise<Choice | undefined>;
};

/** The requests that wait for a person. */
export type Queue = {
	/** Adds a request and waits for its outcome. From the start it counts as waiting, and can be denied. Never rejects. */
	ask(subject: Subject, request: Request): Promise<ApprovalResult>;
	readonly isFull: boolean;
	/** Requests that already have a number, oldest first, including those whose decision is being stored. */
	tickets(): readonly Ticket[];
	/** Denies the requests whose subjects match. */
	deny(concerned: (subject: Subject) => boolean, denial: Denial): void;
	/** Resolves when the outcomes of all requests are stored. */
	settled(): Promise<void>;
};

export function createQueue(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly keeper: Pick<ApprovalKeeper, 'add'>;
		readonly recorder: Recorder;
		/** Called when an answer made a rule. `denial`: the request itself was denied while the rule was being stored. */
		readonly onRule: (rule: number, subject: Subject, denial: Denial | undefined) => void;
		readonly isStopping: () => boolean;
	},
): Queue {
	const {clock, emit, log, keeper, recorder, onRule, isStopping} = world;
	const tickets = new Set<Ticket>();
	const asking = new Set<Promise<ApprovalResult>>();

	const show = (approval: Approval) => {
		emit({type: 'approval-requested', at: clock.now(), approval});
		const {id, kind, run, deadline} = approval;
		const [text, server] =
			kind === 'tool'
				? [
						`Call of "${approval.tool.tool}" waits for an approval: see "svc approvals list"`,
						approval.tool.server,
					]
				: ['A tool server wants a form filled in: open svc', approval.server];
		const deniesIn = Math.round((deadline - clock.now()) / 1000);
		log.warn(text, {approval: id, server, run, denies_in_s: deniesIn});
	};

	const open = async (ticket: Ticket, {draft, look}: Request): Promise<ApprovalResult> => {
		let shown: Approval;
		try {
			const found = await look?.();
			if (found) {
				ticket.decide(found);
			}

			const written = await draft();
			shown = ticket.opened({...written, id: await keeper.add(written)});
		} catch (error) {
			const {server, runId: run} = ticket.subject;
			const facts = {server, run, error: messageOf(error)};
			log.error('A request is denied: it cannot be written to the journal', facts);
			return {denial: denials.unrecorded};
		}

		if (!ticket.isDecided) {
			show(shown);
		}

		const {decision, rule, content} = await ticket.choice;
		const approval = await recorder.settled(ticket.shown() ?? shown, decision, rule);
		ticket.finish(approval);
		const denial = ticket.overridingDenial();
		const isOurs = isDecidedBy(approval, decision);
		if (rule && isOurs && approval.decision?.rule !== undefined) {
			onRule(approval.decision.rule, ticket.subject, denial);
		}

		return {approval, ...(content && isOurs && {content}), ...(denial && {denial})};
	};

	return {
		async ask(subject, request) {
			const ticket = createTicket(subject, {
				clock,
				onAbort: () => (isStopping() ? denials.shutdown : denials.aborted),
			});
			tickets.add(ticket);
			const asked = open(ticket, request).finally(() => {
				tickets.delete(ticket);
				asking.delete(asked);
				ticket[Symbol.dispose]();
			});
			asking.add(asked);
			return asked;
		},
		get isFull() {
			return tickets.size >= maxWaiting;
		},
		tickets: () => [...tickets].filter(ticket => ticket.shown() !== undefined),
		deny(concerned, denial) {
			for (const ticket of tickets) {
				if (concerned(ticket.subject)) {
					ticket.overrideWithDenial(denial);
				}
			}
		},
		async settled() {
			await Promise.all(asking);
		},
	};
}

/** Remembers the calls of each run, so that people are not asked twice about one. */
type AskedCalls = {
	/** The verdict of an equal call asked before, perhaps pending; else the verdict that `ask` gives. */
	once(call: CallToApprove, ask: () => Promise<Verdict>): Promise<Verdict>;
	/** Forgets the calls of a run. */
	runEnded(runId: number): void;
};

/** Remembers calls of a run until the run ends, other calls only while they wait. */
export function createAskedCalls(): AskedCalls {
	const byRun = new Map<number | 'none', Map<string, Promise<Verdict>>>();
	return {
		async once(call, ask) {
			const runId = call.run?.id ?? 'none';
			const calls = byRun.get(runId) ?? new Map<string, Promise<Verdict>>();
			byRun.set(runId, calls);
			const key = keyOf(call);
			const known = calls.get(key);
			if (known) {
				return known;
			}

			const verdict = ask();
			calls.set(key, verdict);
			if (call.run === undefined) {
				void verdict.finally(() => calls.delete(key));
			}

			return verdict;
		},
		runEnded: runId => byRun.delete(runId),
	};
}

/** The identity of a call. It includes tool and arguments: some models give one identifier to several calls, and an approval must not cover another call. */
function keyOf({callId, tool, args}: CallToApprove): string {
	const {server = '', endpoint = ''} = toolPlace(tool.from);
	return `${tool.profile}\n${server}\n${endpoint}\n${tool.definition}\n${jsonHash([callId, tool.tool, args])}`;
}
