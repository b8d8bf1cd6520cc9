import type {ApprovalRule} from '../core/approval.ts';
import type {ApprovalKeeper} from '../core/approvals/keeper.ts';
import type {Clock} from '../core/clock.ts';
import {isDeepJson, type JsonValue} from '../core/json.ts';
import {type AskedTool, shownTool, toolPlace, type Verdict} from '../core/tool.ts';
import type {CallToApprove} from './approvals.ts';
import {deniedBy, type Denial, denials, maxArgsBytes, callDraft, unaskedCall} from './drafts.ts';
import {createAskedCalls, type ApprovalResult, type Queue} from './queue.ts';
import type {Recorder} from './recorder.ts';
import type {RuleBook} from './rule-book.ts';
import {ruledBy} from './rules.ts';
import {type PresentTools, callDeadlines} from './terms.ts';
import type {Choice} from './ticket.ts';

/** Decides calls by the first of these that applies: a reason to deny, a rule, a full queue, the answer of a person. */
export function createCallDecider(world: {
	readonly clock: Clock;
	readonly keeper: Pick<ApprovalKeeper, 'lastAllowed'>;
	readonly book: RuleBook;
	readonly recorder: Recorder;
	readonly queue: Queue;
	readonly present: PresentTools;
	readonly isClosed: () => boolean;
	/** Reports a tool that a rule of a file may cover, so that the rule is bound to it. Never rejects. */
	readonly met: (tool: AskedTool) => Promise<void>;
	readonly onAllowed: (tool: AskedTool) => void;
}) {
	const {clock, keeper, book, recorder, queue, present, isClosed, met, onAllowed} = world;
	const asked = createAskedCalls();

	const unasked = (
		call: CallToApprove,
		argsBytes: number | undefined,
	): Denial | ApprovalRule | undefined => {
		if (isClosed()) {
			return denials.shutdown;
		}

		if (call.signal.aborted) {
			return denials.aborted;
		}

		if (present.isStale(call.tool)) {
			return denials.changed;
		}

		if (argsBytes === undefined || argsBytes > maxArgsBytes) {
			return denials.tooLarge;
		}

		const rule = book.findNow(call);
		return rule ?? (queue.isFull && !book.mayFind(call) ? denials.full : undefined);
	};

	/** Searches the rules that compare real paths, which takes time: the request is in the queue meanwhile, and can be denied. */
	const lookFor = (call: CallToApprove) => {
		const {isFull} = queue;
		return async (): Promise<Choice | undefined> => {
			await met(call.tool);
			const rule = await book.find(call);
			if (rule) {
				return {decision: ruledBy(rule, clock.now())};
			}

			return isFull ? {decision: deniedBy(denials.full, clock.now())} : undefined;
		};
	};

	const decide = async (call: CallToApprove, argsBytes: number | undefined): Promise<Verdict> => {
		const {tool, run, signal} = call;
		const requestedAt = clock.now();
		const times = {requestedAt, ...callDeadlines(call, requestedAt)};
		const sized = {
			...call,
			argsBytes: argsBytes ?? 0,
			...(argsBytes === undefined && {args: null}),
		};
		const early = unasked(call, argsBytes);
		if (early) {
			const decision = 'id' in early ? ruledBy(early, requestedAt) : deniedBy(early, requestedAt);
			const approval = await recorder.atOnce(unaskedCall(sized, times), decision);
			return verdictOf(approval ? {approval} : {denial: denials.unrecorded}, signal);
		}

		const {profile} = tool;
		const {server} = toolPlace(tool.from);
		const subject = {
			...times,
			profile,
			...(server !== undefined && {server}),
			...(run && {runId: run.id}),
			call,
			signal,
		};
		const draft = async () => callDraft(sized, times, await keeper.lastAllowed(shownTool(tool)));
		const look = book.mayFind(call) ? lookFor(call) : undefined;
		const verdict = verdictOf(await queue.ask(subject, {draft, ...(look && {look})}), signal);
		if (verdict.allowed) {
			onAllowed(tool);
		}

		return verdict;
	};

	return {
		/** Never rejects. */
		async request(call: CallToApprove): Promise<Verdict> {
			const argsBytes = bytesOf(call.args);
			// Not deduplicated: arguments that are nested too deeply cannot be compared, and the denial of an aborted try must not hold for the next try of its run.
			return argsBytes === undefined || call.signal.aborted
				? decide(call, argsBytes)
				: asked.once(call, async () => decide(call, argsBytes));
		},
		/** Forgets the calls of a run. */
		runEnded: (runId: number) => asked.runEnded(runId),
	};
}

/** Size in bytes as JSON; `undefined` for arguments that are nested too deeply. */
function bytesOf(args: JsonValue): number | undefined {
	try {
		const text = JSON.stringify(args);
		return isDeepJson(text) ? undefined : Buffer.byteLength(text);
	} catch {
		return undefined;
	}
}

/** The verdict for the caller. An allowed call whose run was aborted meanwhile is denied. */
function verdictOf({approval, denial}: ApprovalResult, signal: AbortSignal): Verdict {
	const decision = approval?.decision;
	if (denial || decision?.outcome !== 'allowed') {
		const {reason = denials.unrecorded.reason} = denial ?? decision ?? {};
		return {allowed: false, reason};
	}

	const {by, rule} = decision;
	return signal.aborted
		? {allowed: false, reason: denials.aborted.reason}
		: {allowed: true, reason: `allowed by ${by}`, ...(rule !== undefined && {rule})};
}
