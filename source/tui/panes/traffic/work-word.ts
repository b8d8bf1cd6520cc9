import type {Delivery} from '../../../core/delivery.ts';
import {createMemory} from '../../../core/derive.ts';
import type {Run} from '../../../core/run.ts';
import type {GatewayState} from '../../../core/state.ts';
import {runWords, type RunWord} from '../../../nouns/run/run-word.ts';
import {literal} from '../../../terminal/text/safe.ts';

const waits: RunWord = {text: literal('! waits'), tone: 'warn'};
const gathers: RunWord = {text: literal('○ gathers'), tone: 'quiet'};
const superseded: RunWord = {text: literal('- superseded'), tone: 'quiet'};

/** The word for what was last heard of work that is listed no more. */
const known = (work: NonNullable<Delivery['work']>): RunWord =>
	work === 'superseded' ? superseded : runWords[work];

/**
 * Makes what says where the work of a delivery stands, with its sign: the state of its run or of its group, `! waits` for a run that asks a person. Of one that is
 * no longer listed what was heard of it last. `undefined`: it led to none. Words are the same values again and again.
 */
export function createWorkWords(): (
	delivery: Delivery,
	state: Pick<GatewayState, 'runs' | 'groups' | 'approvals'>,
) => RunWord | undefined {
	const remember = createMemory<ReadonlyMap<number, Run>>();
	return ({id, runId, group: groupId, work}, {runs, groups, approvals}) => {
		const group = groupId === undefined ? undefined : groups.find(other => other.id === groupId);
		if (group?.state === 'pending') {
			return group.latest === id ? gathers : superseded;
		}

		if (group && group.latest !== id) {
			return superseded;
		}

		const workId = runId ?? group?.runId;
		if (workId === undefined) {
			return work && known(work);
		}

		if (approvals.some(({run}) => run === workId)) {
			return waits;
		}

		const byId = remember([runs], () => new Map(runs.map(run => [run.id, run])));
		const run = byId.get(workId);
		return run ? runWords[run.state] : work && known(work);
	};
}
