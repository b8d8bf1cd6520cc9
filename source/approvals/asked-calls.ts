import {jsonHash} from '../core/json.ts';
import {toolPlace, type Verdict} from '../core/tool.ts';
import type {CallToApprove} from './approvals.ts';

/** The calls of each run that were asked about, so that none is asked about twice. */
export type AskedCalls = {
	/** The verdict of the same call, perhaps still to come; `ask` when there is none. */
	once(call: CallToApprove, ask: () => Promise<Verdict>): Promise<Verdict>;
	/** Forgets the calls of a run. */
	runEnded(runId: number): void;
};

/** Calls without a run are remembered while they wait. */
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

/** Models have been seen to give one identifier to several calls: a yes to one of them must not be a yes to another. */
function keyOf({callId, tool, args}: CallToApprove): string {
	const {server = '', endpoint = ''} = toolPlace(tool.from);
	return `${tool.profile}\n${server}\n${endpoint}\n${tool.definition}\n${jsonHash([callId, tool.tool, args])}`;
}
