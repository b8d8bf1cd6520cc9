import {runVocabulary} from '../../../core/filter/run-vocabulary.ts';
import type {StoredRun} from '../../../core/run.ts';
import {limits, runsToDecide} from '../../../core/state.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {goToRun} from '../../commands/go-to.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {LoadSource} from '../../shell/source.ts';
import {countPart, followPart, searchedPart} from '../../shell/title-parts.ts';
import {paceOf, type DetailSource} from '../detail.ts';
import {clean, type Line} from '../line.ts';
import {newest, recent} from '../newest.ts';
import type {Destination, Pane} from '../pane.ts';
import {createMemory} from '../remember.ts';
import {runMarks} from './bulk.ts';
import {foldsOf, runFolds} from './folds.ts';
import {runCommands} from './run-commands.ts';
import {runDetail} from './run-detail.ts';
import {runList} from './run-list.ts';
import {runWords} from './run-word.ts';
import {RunsBody} from './runs-body.tsx';

/** The key is `id state`: a run that went on is loaded again. */
const storedRuns: LoadSource<StoredRun> = {
	load: async (port, key) => port.getRun(Number.parseInt(key, 10)),
};

function createRunDetail({list, loader, feed, local}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const runs = list(runList);
	const loads = loader(storedRuns);
	return {
		lines(width) {
			const run = runs.selected();
			const {state, now} = feed.get();
			const loaded = loads.get();
			const progress = run && state.progress[run.id];
			const second = run?.finishedAt === undefined ? Math.floor(now / 1000) : 0;
			const approval = state.approvals.find(other => other.run === run?.id);
			const folds = run && foldsOf(local(runFolds).get(), run);
			return remember([run, loaded, progress, approval, second, folds, width], () =>
				run && folds ? runDetail(run, {progress, loaded, now, approval, folds}, width) : [],
			);
		},
		want(isShown) {
			const run = isShown ? runs.selected() : undefined;
			loads.want(run ? `${run.id} ${run.state}` : '', paceOf(runs));
		},
	};
}

const destinations = (shell: Shell): readonly Destination[] =>
	newest(shell.feed.get().state.runs, recent).map(run => ({
		label: safe`go to run #${run.id} ${clean(run.route)} ${runWords[run.state].text}`,
		place: literal('Runs'),
		go() {
			goToRun(shell, run.id);
		},
	}));

/** What the agents did and do. */
export const runsPane: Pane = {
	id: 'runs',
	title: literal('Runs'),
	short: literal('Runs'),
	manual: 'runs',
	count: state =>
		state.runs.filter(run => run.state === 'running' || run.state === 'delivering').length +
		runsToDecide(state),
	empty: () => ['No runs yet.', 'An accepted delivery starts one; 1 shows the deliveries.'],
	Body: RunsBody,
	isWide: false,
	// A run is read, and its list only chosen from.
	listShare: 0.4,
	sections: [
		{
			id: 'runs',
			title: literal('Runs'),
			commands: runCommands,
			listing: {
				list: runList,
				vocabulary: runVocabulary,
				isLive: true,
				marks: runMarks,
				detail: createRunDetail,
				hasCursor: true,
			},
		},
	],
	summary({list}) {
		const runs = list(runList);
		return [countPart(runs, {limit: limits.runs}), searchedPart(runs), followPart(runs)];
	},
	waiting({list, port}) {
		const id = list(runList).selected()?.id;
		return id === undefined ? undefined : port.getState().approvals.find(({run}) => run === id);
	},
	destinations,
};
