import {createMemory} from '../../../core/derive.ts';
import type {StoredRun} from '../../../core/run.ts';
import {groupList} from '../../entries/group-list.ts';
import {jobList} from '../../entries/job-list.ts';
import {runOf} from '../../entries/run-of.ts';
import {whenRested, type DetailSource} from '../../lines/detail.ts';
import type {Line} from '../../lines/line.ts';
import type {Host} from '../../shell/shell.ts';
import type {Loaded} from '../../state/loader.ts';
import type {LoadSource} from '../../state/source.ts';
import {groupDetail, type GroupContent} from './group-detail.ts';
import {jobDetail} from './job-detail.ts';

/** The key is `id count state`: a group that was joined is loaded again. */
const groupContents: LoadSource<GroupContent> = {
	async load(port, key) {
		const group = await port.getGroup(Number.parseInt(key, 10));
		return group && {group, latest: await port.getDelivery(group.latest)};
	},
};

/** The last runs of jobs. The key is `id state`: a run that went on is loaded again. */
const lastRuns: LoadSource<StoredRun> = {
	load: async (port, key) => port.getRun(Number.parseInt(key, 10)),
};

/** A group, and what came for it last. */
export function createGroupDetail({list, loader, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const groups = list(groupList);
	const loads = loader(groupContents);
	/** What was loaded of a group stays while its next event is loaded. */
	let lastGroup: Loaded<GroupContent> | undefined;
	return {
		lines(width) {
			const selected = groups.selected();
			const {state, now} = feed.get();
			const loaded = loads.get();
			lastGroup = loaded.status === 'ready' ? loaded : lastGroup;
			const isKnown =
				loaded.status === 'loading' &&
				lastGroup?.status === 'ready' &&
				lastGroup.value.group.id === selected?.id;
			const shown = isKnown && lastGroup ? lastGroup : loaded;
			const run = runOf(state.runs, selected?.runId);
			const second = selected?.state === 'pending' ? Math.floor(now / 1000) : 0;
			return remember([selected, shown, run, second, width], () =>
				selected ? groupDetail(selected, {loaded: shown, run, now}, width) : [],
			);
		},
		want(isShown) {
			const {id, count, state} = (isShown && groups.selected()) || {};
			loads.want(id === undefined ? '' : `${id} ${count} ${state}`, whenRested);
		},
	};
}

/** A job, and its last run. */
export function createJobDetail({list, loader, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const jobs = list(jobList);
	const loads = loader(lastRuns);
	return {
		lines(width) {
			const selected = jobs.selected();
			const {state, now} = feed.get();
			const loaded = loads.get();
			const run = runOf(state.runs, selected?.lastRunId);
			const second = Math.floor(now / 1000);
			return remember([selected, loaded, run, second, width], () =>
				selected ? jobDetail(selected, {loaded, run, now}, width) : [],
			);
		},
		want(isShown) {
			const runId = isShown ? jobs.selected()?.lastRunId : undefined;
			const run = runOf(feed.get().state.runs, runId);
			loads.want(run ? `${run.id} ${run.state}` : keyOf(runId), whenRested);
		},
	};
}

/** A run that is no longer in the list is stored all the same. */
const keyOf = (runId: number | undefined): string => (runId === undefined ? '' : String(runId));
