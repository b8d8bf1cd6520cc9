import type {AskingRun, CallToApprove, FormToFill} from '../../source/approvals/approvals.ts';
import {createApprovals} from '../../source/approvals/create-approvals.ts';
import type {Approval, ApprovalRule, ShownTool} from '../../source/core/approval.ts';
import {
	type ApprovalKeeper,
	type LastAllowed,
	keptApproval,
} from '../../source/core/approvals/keeper.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import {createLogger, type LogRecord} from '../../source/core/log.ts';
import {reduce} from '../../source/core/reduce.ts';
import {initialState} from '../../source/core/state.ts';
import {type AskedTool, shownTool} from '../../source/core/tool.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

export const startMs = 1_700_000_000_000;

/** A tool that asks, of a server unless `from` says otherwise; `overrides` win. */
export const makeAsked = ({
	server = 'github-tools',
	transport = 'http',
	host = 'api.example.com',
	endpoint = 'e1',
	trust = 'untrusted',
	...overrides
}: Partial<Omit<ShownTool, 'from'> & AskedTool> = {}): AskedTool => ({
	from: {kind: 'server', server, transport, host, endpoint, trust},
	profile: 'default',
	tool: 'create_issue',
	name: 'mcp__github_tools__create_issue',
	claims: {},
	description: 'Creates an issue',
	inputSchema: {type: 'object'},
	definition: 'd1',
	changed: false,
	...overrides,
});

export const makeAskingRun = (overrides: Partial<AskingRun> = {}): AskingRun => ({
	id: 184,
	origin: {kind: 'delivery', route: 'gh-review', delivery: 'abc123'},
	endsAt: startMs + 900_000,
	...overrides,
});

let counter = 0;

/** A call of a run that a webhook started, with an identifier of its own. */
export const makeCall = (overrides: Partial<CallToApprove> = {}): CallToApprove => {
	counter += 1;
	return {
		tool: makeAsked(),
		args: {title: 'Flaky test'},
		callId: `call-${counter}`,
		run: makeAskingRun(),
		toolTimeoutMs: 600_000,
		signal: new AbortController().signal,
		...overrides,
	};
};

export const makeForm = (overrides: Partial<FormToFill> = {}): FormToFill => ({
	server: 'github-tools',
	profile: 'default',
	host: 'api.example.com',
	message: 'Who are you?',
	fields: [
		{key: 'name', title: 'Name', description: '', kind: 'text', required: true, masked: false},
		{key: 'pin', title: 'PIN', description: '', kind: 'text', required: false, masked: true},
	],
	timeoutMs: 300_000,
	signal: new AbortController().signal,
	...overrides,
});

/** A keeper in memory that can fail. */
export function createMemoryKeeper() {
	const approvals = new Map<number, Approval>();
	const rules = new Map<number, ApprovalRule>();
	const allowed = new Map<string, LastAllowed>();
	const failing = {add: false, settle: false, rule: false, removeRules: false};
	let lastId = 0;
	let lastRule = 0;

	const failIf = (fails: boolean) => {
		if (fails) {
			throw new Error('disk full');
		}
	};

	const keep = (approval: Approval) => {
		const kept = keptApproval(approval);
		approvals.set(kept.id, kept);
		if (kept.kind === 'tool' && kept.decision?.outcome === 'allowed') {
			const {tool, args} = kept;
			const key = `${tool.profile}/${tool.server}/${tool.tool}`;
			allowed.set(key, {definition: tool.definition, ...(args !== null && {args})});
		}

		return kept;
	};

	const keeper: ApprovalKeeper = {
		async add(approval) {
			failIf(failing.add);
			lastId += 1;
			keep({...approval, id: lastId});
			return lastId;
		},
		async settle(approval, rule) {
			failIf(failing.settle || (failing.rule && rule !== undefined));
			const {decision} = approval;
			if (!rule || !decision) {
				return keep(approval);
			}

			lastRule += 1;
			rules.set(lastRule, {...rule, id: lastRule, uses: 0});
			return keep({...approval, decision: {...decision, rule: lastRule}});
		},
		lastAllowed: async ({profile, server, tool}) => allowed.get(`${profile}/${server}/${tool}`),
		get: async id => approvals.get(id),
		rules: async () => [...rules.values()],
		async addRule(rule) {
			failIf(failing.rule);
			lastRule += 1;
			rules.set(lastRule, {...rule, id: lastRule, uses: 0});
			return lastRule;
		},
		async changeRule(id, rule) {
			failIf(failing.rule);
			const before = rules.get(id);
			if (before) {
				rules.set(id, {...rule, id, uses: before.uses});
			}
		},
		async removeRules(ids) {
			failIf(failing.removeRules);
			for (const id of ids) {
				rules.delete(id);
			}
		},
	};
	return {
		keeper,
		approvals,
		rules,
		failing,
		/** As if a person had allowed the tool before. */
		allowBefore(asked: AskedTool, args?: LastAllowed['args']) {
			const {profile, server, tool, definition} = shownTool(asked);
			allowed.set(`${profile}/${server}/${tool}`, {
				definition,
				...(args !== undefined && {args}),
			});
		},
	};
}

/** Lets everything that waits for a resolved promise go on. */
export const settleTurn = async () => {
	await new Promise<void>(resolve => {
		setImmediate(resolve);
	});
};

/** A queue with a memory of its own; what it tells is folded into `state()`. */
export function createTestQueue(
	options: {
		readonly rules?: readonly ApprovalRule[];
		readonly isStopping?: () => boolean;
		readonly memory?: ReturnType<typeof createMemoryKeeper>;
		readonly userHome?: string;
		readonly closedFolders?: readonly string[];
	} = {},
) {
	const {rules = [], memory = createMemoryKeeper(), isStopping, ...places} = options;
	const clock = createFakeClock(startMs);
	const events: GatewayEvent[] = [];
	const logs: LogRecord[] = [];
	const audited: Approval[] = [];
	const allowed: AskedTool[] = [];
	const approvals = createApprovals({
		clock,
		emit(event) {
			events.push(event);
		},
		log: createLogger({
			clock,
			redact: text => text,
			write(record) {
				logs.push(record);
			},
		}),
		keeper: memory.keeper,
		rules,
		audit(approval) {
			audited.push(approval);
		},
		onAllowed(tool) {
			allowed.push(tool);
		},
		...(isStopping && {isStopping}),
		...places,
	});
	return {
		approvals,
		memory,
		clock,
		events,
		logs,
		audited,
		allowed,
		state: () => reduce(initialState, events),
		/** Asks, and waits until it is shown or settled. */
		async ask(call: CallToApprove) {
			const verdict = approvals.request(call);
			await settleTurn();
			return {verdict, id: approvals.waiting().at(-1)?.id ?? 0};
		},
		[Symbol.asyncDispose]: async () => approvals[Symbol.asyncDispose](),
	};
}
