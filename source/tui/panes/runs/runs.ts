import {createMemory, derive} from '../../../core/derive.ts';
import {queuedOf} from '../../../core/run-queue.ts';
import type {Run, StoredRun, TranscriptEntry} from '../../../core/run.ts';
import {type GatewayState, limits} from '../../../core/state.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {jobKey} from '../../../nouns/job/job.ts';
import {runActs} from '../../../nouns/run/run-acts.ts';
import {runWords} from '../../../nouns/run/run-word.ts';
import {runNoun} from '../../../nouns/run/run.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {goToRun, goToApprovals, goToDelivery, goToGroup, goToJob} from '../../acts/go-to.ts';
import {placeNow} from '../../acts/place.ts';
import {runList, recent, newest} from '../../entries/lists.ts';
import {runsAtWork} from '../../entries/runs-at-work.ts';
import {paceOf, type DetailSource} from '../../lines/detail.ts';
import type {Line} from '../../lines/line.ts';
import {createMarks} from '../../lines/marks.ts';
import {countPart, followPart, groupedCell, searchedPart} from '../../lines/title-parts.ts';
import {nounCommands, onSelected} from '../../nouns/acts.ts';
import {listingOf, onePane} from '../../nouns/listing.ts';
import {markCommands} from '../../nouns/marked.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {Snapshot} from '../../state/feed.ts';
import type {LoadSource} from '../../state/source.ts';
import type {Destination, Referent} from '../pane.ts';
import {blockText} from './block-rows.ts';
import {foldsOf, runFolds, chosenBlock, foldCommands} from './folds.ts';
import {runBlocks} from './run-blocks.ts';
import {runDetail, runText} from './run-detail.ts';

/** The marked runs. */
export const runMarks = createMarks<Run>();

/** Commands of pane 7. */
const runCommands: readonly PaneCommand[] = [
	...nounCommands({
		noun: runNoun,
		acts: runActs,
		list: runList,
		others: [
			onSelected(runList)(['runs.delivery', 'o'], literal('its delivery'), {
				of: ({delivery}) => delivery,
				none: literal('A schedule or a person started it'),
				run: goToDelivery,
			}),
			onSelected(runList)(['runs.origin', 'b'], literal('back to its group or job'), {
				quiet: true,
				of: run => (run.group === undefined ? run.job && run : run),
				none: literal('It came of one event, not of a group or a job'),
				run(shell, {group, job, profile}) {
					if (group !== undefined) {
						goToGroup(shell, group);
					} else if (job) {
						goToJob(shell, jobKey({profile, id: job.id}));
					}
				},
			}),
			onSelected(runList)(['runs.approvals', 'A'], literal('its approvals'), {
				quiet: true,
				run: (shell, {id}) => goToApprovals(shell, id),
			}),
		],
		marked: {
			marks: runMarks,
			all: shell => [...shell.list(runList).get().items, ...shell.feed.get().state.runs],
		},
	}),
	...markCommands('runs', runMarks, {source: runList, keyOf: runNoun.id}),
	...foldCommands,
	onSelected(runList)(['runs.pager', 'e'], literal('step or transcript in $PAGER'), {
		quiet: true,
		run(shell, {id}) {
			const block = shell.view.get().region === 'detail' ? chosenBlock(shell) : undefined;
			const isStillHere = placeNow(shell, literal('e'));
			shell.attempt(async () => {
				const stored = await shell.port.getRun(id);
				if (!stored) {
					throw new Error('That run is no longer stored');
				}

				if (isStillHere(literal('The pager was not opened'))) {
					await shell.desktop.page(stepText(stored, block) ?? runText(stored));
				}
			});
		},
	}),
];

/** The whole contents of the block with this key. */
function stepText(stored: StoredRun, key: string | undefined): string | undefined {
	const {answer, steps} = runBlocks(stored, {
		stored,
		transcript: stored.transcript,
		now: stored.createdAt,
	});
	const block = [...(answer ? [answer] : []), ...steps].find(one => one.key === key);
	return block && blockText(block);
}

const keyOf = ({id, state}: Run) => `${id} ${state}`;

/** Loads a run with its transcript; reloaded when the run continues. */
const storedRuns: LoadSource<StoredRun> = {
	load: async (port, key) => port.getRun(Number.parseInt(key, 10)),
	isCurrent: (key, run) => key === keyOf(run),
};

/** A run seen at work, with the last transcript heard live: shown until its journal is loaded. */
type Watched = {readonly id: number; readonly progress: readonly TranscriptEntry[] | undefined};

function watchedAfter(
	watched: Watched | undefined,
	run: Run | undefined,
	progress: Watched['progress'],
): Watched | undefined {
	const before = run && run.id === watched?.id ? watched : undefined;
	return run && (before || run.state === 'running')
		? {id: run.id, progress: progress ?? before?.progress}
		: undefined;
}

function createRunDetail({list, loader, feed, local}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const runs = list(runList);
	const loads = loader(storedRuns);
	let watched: Watched | undefined;
	return {
		lines(width) {
			const run = runs.selected();
			const {state, now} = feed.get();
			const loaded = loads.get();
			const live = run && state.progress[run.id];
			watched = watchedAfter(watched, run, live);
			const isWatched = watched !== undefined;
			const progress = watched ? watched.progress : live;
			const said = run && state.said?.[run.id];
			const second = run?.finishedAt === undefined ? Math.floor(now / 1000) : 0;
			const approval = state.approvals.find(other => other.run === run?.id);
			const folds = run && foldsOf(local(runFolds).get(), run);
			return remember(
				[run, loaded, progress, said, isWatched, approval, second, folds, width],
				() =>
					run && folds
						? runDetail(run, {progress, said, isWatched, loaded, now, approval, folds}, width)
						: [],
			);
		},
		want(isShown) {
			const run = isShown ? runs.selected() : undefined;
			loads.want(run ? keyOf(run) : '', paceOf(runs));
		},
	};
}

const destinations = (shell: Shell): readonly Destination[] =>
	newest(shell.feed.get().state.runs, recent).map(run => runPlace(shell, run));

const runPlace = (shell: Shell, {id, route, state}: Run): Destination => ({
	label: safe`go to run #${id} ${escapeLine(route)} ${runWords[state].text}`,
	go: () => goToRun(shell, id),
});

/** Finds a run by number; runs missing from the state may be in the journal. */
function findRun(shell: Shell, query: string): Referent {
	const id = Number(/^#?(\d{1,12})$/.exec(query)?.[1]);
	const {runs} = shell.feed.get().state;
	const listed = runs.findLast(run => run.id === id);
	if (listed) {
		return {known: runPlace(shell, listed)};
	}

	return id < (runs[0]?.id ?? 0)
		? {known: {label: safe`go to run #${id}`, go: () => goToRun(shell, id)}}
		: {};
}

const withApprovals = derive(({approvals}: GatewayState) => ({approvals}));

/** How many runs wait, and how many workers are busy. Empty if no run waits. */
function queuePart({state, now}: Snapshot): Line {
	const {waits, places} = runsAtWork(state, now);
	const queued = queuedOf(waits);
	const text = places
		? safe`${groupedCell(queued)} queued · ${places.taken} of ${places.all} at work`
		: safe`${groupedCell(queued)} queued`;
	return queued > 0 ? [{text, tone: 'quiet'}] : [];
}

/** The agents' runs, past and present. */
export const runsPane = onePane({
	id: 'runs',
	title: literal('Runs'),
	manual: 'runs',
	empty: () => ['No runs yet.', 'An accepted delivery starts one; 1 shows the deliveries.'],
	// The list is narrow, because the detail is what is read.
	listShare: 0.4,
	commands: runCommands,
	listing: listingOf({
		noun: runNoun,
		list: runList,
		known: ({feed}) => withApprovals(feed.get().state),
		isLive: true,
		marks: runMarks,
		detail: createRunDetail,
		hasCursor: true,
	}),
	summary({list, feed}) {
		const runs = list(runList);
		return [
			countPart(runs, {limit: limits.runs}),
			searchedPart(runs),
			followPart(runs),
			queuePart(feed.get()),
		];
	},
	showsWords: ({list, layout}) =>
		layout().showsDetail && list(runList).selected()?.state === 'running',
	waiting({list, port}) {
		const id = list(runList).selected()?.id;
		return id === undefined ? undefined : port.getState().approvals.find(({run}) => run === id);
	},
	destinations,
	find: findRun,
});
