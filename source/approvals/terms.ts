import type {ApprovalScope, RuleOwner, ToolApproval} from '../core/approval.ts';
import type {LastAllowed} from '../core/approvals/keeper.ts';
import {type Origin, ruleOwnerOf} from '../core/origin.ts';
import {type AskedTool, toolPlace} from '../core/tool.ts';
import type {AskingRun, CallToApprove, ToolsChange} from './approvals.ts';
import {mayDestroy} from './rules.ts';

/** Longest wait of a call unless its deadline is moved, milliseconds. @see manual/approvals.md */
const maxWaitMs = 300_000;

/** Time that a request leaves for its call, and for the rest of its run. */
const marginMs = 5000;

/** Shortest wait, however short the timeout of the tool. */
const minWaitMs = 5000;

/** Least upper bound of the deadline of a request without a run, milliseconds from now. */
const maxTryMs = 15 * 60_000;

/** Step by which a deadline is moved. */
const extensionMs = 5 * 60_000;

/** When a request is denied automatically. Milliseconds since 1970. */
export type Deadlines = {readonly deadline: number; readonly latestDeadline: number};

/** The deadlines of a request at `now` that may wait for `waitMs`; at the latest 5 s before the end of its run, so that the agent can still answer. */
function deadlines(now: number, waitMs: number, run: AskingRun | undefined): Deadlines {
	const latest = run ? run.endsAt - marginMs : now + Math.max(maxTryMs, waitMs);
	const latestDeadline = Math.max(latest, now);
	return {deadline: Math.min(now + waitMs, latestDeadline), latestDeadline};
}

/** A call waits for 300 s or the timeout of the tool less 5 s, whichever is shorter, but at least 5 s. */
export const callDeadlines = (
	{toolTimeoutMs, run}: Pick<CallToApprove, 'toolTimeoutMs' | 'run'>,
	now: number,
): Deadlines => {
	const waitMs = Math.max(toolTimeoutMs - marginMs, minWaitMs);
	return deadlines(now, Math.min(waitMs, maxWaitMs), run);
};

/** A form waits as long as the settings of its server say. @see manual/tool-servers.md#settings */
export const formDeadlines = (
	{timeoutMs, run}: {readonly timeoutMs: number; readonly run?: AskingRun},
	now: number,
): Deadlines => deadlines(now, timeoutMs, run);

/** The deadline moved by five minutes, at most to the latest one. */
export const extended = ({deadline, latestDeadline}: Deadlines): number =>
	Math.min(deadline + extensionMs, latestDeadline);

/** The conditions of an approval. */
export type Terms = {
	readonly scopes: readonly ApprovalScope[];
	readonly mustTypeName: boolean;
	/** The owner of the runs that a rule of scope `always` covers. */
	readonly lasting?: NonNullable<ToolApproval['lasting']>;
	/** The definition differs from the one allowed, or else seen, before. */
	readonly changed: boolean;
};

/**
 * The scopes of an approval. An untrusted event can steer its run, so an approval there covers at most that run. A tool that claims to be destructive, was never allowed before, or changed, gets
 * at most its run as well, and its name must be typed. A call with a reason of ours (no sandbox works) asks each time. Jobs can get lasting rules for their own runs; for tools that may be destructive only with bound arguments.
 */
export function approvalTerms(
	tool: Pick<AskedTool, 'claims' | 'changed' | 'definition' | 'why'>,
	run: Pick<AskingRun, 'id' | 'origin'> | undefined,
	last: Pick<LastAllowed, 'definition'> | undefined,
): Terms {
	const changed = last ? last.definition !== tool.definition : tool.changed;
	const mustTypeName = last === undefined || changed || tool.claims.destructive === true;
	if (tool.why !== undefined) {
		return {scopes: ['once'], mustTypeName, changed};
	}

	const widest = mustTypeName ? 'run' : run ? widestScope[run.origin.kind] : 'always';
	const scopes = scopesUpTo(widest, run !== undefined);
	const owner = run && ruleOwnerOf(run.origin);
	if (!owner || !lastsFor[owner.kind]) {
		return {scopes, mustTypeName, changed};
	}

	return {
		scopes: [...scopes, 'always'],
		mustTypeName,
		changed,
		lasting: {owner, isBound: mustTypeName || mayDestroy(tool)},
	};
}

/** Whether faces may make lasting rules: for runs started by strangers, only the configuration can. */
const lastsFor: Readonly<Record<RuleOwner['kind'], boolean>> = {
	job: true,
	route: false,
	chat: false,
};

const widestScope: Readonly<Record<Origin['kind'], ApprovalScope>> = {
	delivery: 'run',
	job: 'process',
	// The holder of the key writes the prompt.
	key: 'process',
	person: 'process',
	// A conversation may pass on untrusted text.
	chat: 'run',
};

const everyScope: readonly ApprovalScope[] = ['once', 'run', 'process', 'always'];

const scopesUpTo = (widest: ApprovalScope, hasRun: boolean): readonly ApprovalScope[] =>
	everyScope.slice(0, everyScope.indexOf(widest) + 1).filter(scope => scope !== 'run' || hasRun);

/** The known present tools. */
export type PresentTools = {
	changed(change: ToolsChange): void;
	/** The tool with this name for models. */
	named(profile: string, name: string): AskedTool | undefined;
	/** Whether a tool is known to have changed, or to be gone or moved, since its run started. */
	isStale(tool: Pick<AskedTool, 'profile' | 'from' | 'tool' | 'definition'>): boolean;
};

export function createPresentTools(): PresentTools {
	const servers = new Map<string, ToolsChange>();
	return {
		changed(change) {
			const place = placeOf(change.profile, change.server);
			if (change.definitions) {
				servers.set(place, change);
			} else {
				servers.delete(place);
			}
		},
		named: (profile, name) =>
			[...servers.values()]
				.filter(server => server.profile === profile)
				.flatMap(({tools = []}) => tools)
				.find(tool => tool.name === name),
		isStale({profile, from, tool, definition}) {
			const {server, endpoint} = toolPlace(from);
			const known = servers.get(placeOf(profile, server));
			return (
				known !== undefined &&
				(known.definitions?.get(tool) !== definition ||
					(known.endpoint !== undefined && known.endpoint !== endpoint))
			);
		},
	};
}

const placeOf = (profile: string, server: string | undefined) => `${profile}\n${server ?? ''}`;
