import type {ApprovalScope, RuleOwner, ToolApproval} from '../core/approval.ts';
import type {LastAllowed} from '../core/approvals/why-not-covered.ts';
import {type Origin, ruleOwnerOf} from '../core/origin.ts';
import {type AskedTool, toolPlace} from '../core/tool.ts';
import type {AskingRun, CallToApprove, ToolsChange} from './approvals.ts';
import {mayDestroy} from './rules.ts';

/** No call waits longer without being moved, milliseconds. @see manual/approvals.md */
const maxWaitMs = 300_000;

/** A request leaves this much of the time of its call, and of its run. */
const marginMs = 5000;

/** A person gets at least this long, however short the tool's own time. */
const minWaitMs = 5000;

/** How far a request without a run can be moved at least. */
const maxTryMs = 15 * 60_000;

/** By how much a deadline is moved at a time. */
const extensionMs = 5 * 60_000;

/** When a request is denied by itself. Milliseconds since 1970. */
export type Deadlines = {readonly deadline: number; readonly latestDeadline: number};

/** The deadline of a request that is made at `now` and may wait for `waitMs`; with a run it lies 5 s before the run's end, so that the agent can still answer. */
function deadlines(now: number, waitMs: number, run: AskingRun | undefined): Deadlines {
	const latest = run ? run.endsAt - marginMs : now + Math.max(maxTryMs, waitMs);
	const latestDeadline = Math.max(latest, now);
	return {deadline: Math.min(now + waitMs, latestDeadline), latestDeadline};
}

/** A call waits for 300 s or the tool's own time less 5 s, whichever is shorter, but for no less than 5 s. */
export const callDeadlines = (
	{toolTimeoutMs, run}: Pick<CallToApprove, 'toolTimeoutMs' | 'run'>,
	now: number,
): Deadlines => {
	const waitMs = Math.max(toolTimeoutMs - marginMs, minWaitMs);
	return deadlines(now, Math.min(waitMs, maxWaitMs), run);
};

/** A form waits as long as its server's settings say. @see manual/tool-servers.md#settings */
export const formDeadlines = (
	{timeoutMs, run}: {readonly timeoutMs: number; readonly run?: AskingRun},
	now: number,
): Deadlines => deadlines(now, timeoutMs, run);

/** The deadline five minutes later, as far as it can be moved. */
export const extended = ({deadline, latestDeadline}: Deadlines): number =>
	Math.min(deadline + extensionMs, latestDeadline);

/** What is asked of the person who agrees to a call. */
export type Terms = {
	readonly scopes: readonly ApprovalScope[];
	readonly mustTypeName: boolean;
	/** Whose runs a rule of scope `always` is for. */
	readonly lasting?: NonNullable<ToolApproval['lasting']>;
	/** The definition is not the one that was allowed, or else seen, before. */
	readonly changed: boolean;
};

/**
 * How far a yes may reach. A stranger's event can steer the run that it starts, so a yes in it reaches that run at most. What claims to destroy, was never allowed or changed gets no more than
 * its run either, and its name must be typed. What has a reason of ours to ask (no sandbox works) is asked about each time. A job gets a yes for good for its own runs; for what may destroy only with the arguments that are meant.
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

/** Whether a face may make a rule that lasts: for what strangers start, only who may write the configuration. */
const lastsFor: Readonly<Record<RuleOwner['kind'], boolean>> = {
	job: true,
	route: false,
	chat: false,
};

const widestScope: Readonly<Record<Origin['kind'], ApprovalScope>> = {
	delivery: 'run',
	job: 'process',
	// The holder of the key writes what the agent reads.
	key: 'process',
	person: 'process',
	// A conversation passes on what others wrote.
	chat: 'run',
};

const everyScope: readonly ApprovalScope[] = ['once', 'run', 'process', 'always'];

const scopesUpTo = (widest: ApprovalScope, hasRun: boolean): readonly ApprovalScope[] =>
	everyScope.slice(0, everyScope.indexOf(widest) + 1).filter(scope => scope !== 'run' || hasRun);

/** What tools there are now, as far as that was told. */
export type PresentTools = {
	changed(change: ToolsChange): void;
	/** The tool that models call so. */
	named(profile: string, name: string): AskedTool | undefined;
	/** Whether a tool is known to be another one now, or none, or one of another server: a run goes on with the tools that it started with. */
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
