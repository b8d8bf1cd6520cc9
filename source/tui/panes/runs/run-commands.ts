import type {Run, StoredRun} from '../../../core/run.ts';
import {jobKey} from '../../../nouns/job/job.ts';
import {runActs} from '../../../nouns/run/run-acts.ts';
import {runNoun} from '../../../nouns/run/run.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {goToApprovals, goToDelivery, goToGroup, goToJob} from '../../acts/go-to.ts';
import {placeNow} from '../../acts/place.ts';
import {runList} from '../../entries/lists.ts';
import {createMarks} from '../../lines/marks.ts';
import {nounCommands, onSelected} from '../../nouns/acts.ts';
import {markCommands} from '../../nouns/marked.ts';
import {blockText} from './block-rows.ts';
import {chosenBlock, foldCommands} from './folds.ts';
import {runBlocks} from './run-blocks.ts';
import {runText} from './run-detail.ts';

/** The runs that are marked. */
export const runMarks = createMarks<Run>();

/** Commands of pane 7. */
export const runCommands: readonly PaneCommand[] = [
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

/** All of the block with this key. */
function stepText(stored: StoredRun, key: string | undefined): string | undefined {
	const {answer, steps} = runBlocks(stored, {
		stored,
		transcript: stored.transcript,
		now: stored.createdAt,
	});
	const block = [...(answer ? [answer] : []), ...steps].find(one => one.key === key);
	return block && blockText(block);
}
