import type {Run, StoredRun} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {runActs} from '../../../nouns/run/run-acts.ts';
import {runNoun} from '../../../nouns/run/run.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {placeNow} from '../../acts/place.ts';
import {runList} from '../../entries/run-list.ts';
import {createMarks, markCommands} from '../../lines/marks.ts';
import {nounCommands} from '../../nouns/acts.ts';
import type {Shell} from '../../shell/shell.ts';
import {blockText} from './block-rows.ts';
import {chosenBlock, foldCommands} from './folds.ts';
import {originCommands} from './origin-commands.ts';
import {runBlocks} from './run-blocks.ts';
import {runText} from './run-detail.ts';

/** The runs that are marked. */
export const runMarks = createMarks();

const selected = (shell: Shell): Run | undefined => shell.list(runList).selected();

const none = (shell: Shell): Safe | undefined =>
	selected(shell) ? undefined : literal('No run is selected');

/** Commands of pane 7. */
export const runCommands: readonly PaneCommand[] = [
	...nounCommands({
		noun: runNoun,
		acts: runActs,
		list: runList,
		others: originCommands(selected),
		marked: {
			marks: runMarks,
			all: shell => [...shell.list(runList).get().items, ...shell.feed.get().state.runs],
		},
	}),
	...markCommands('runs', runMarks, {source: runList, keyOf: runNoun.id}),
	...foldCommands(selected),
	{
		id: 'runs.pager',
		keys: ['e'],
		label: literal('step or transcript in $PAGER'),
		quiet: true,
		why: none,
		run(shell) {
			const run = selected(shell);
			const block = shell.view.get().region === 'detail' ? chosenBlock(shell) : undefined;
			const isStillHere = placeNow(shell, literal('e'));
			shell.attempt(async () => {
				const stored = run && (await shell.port.getRun(run.id));
				if (!stored) {
					throw new Error('That run is no longer stored');
				}

				if (isStillHere(literal('The pager was not opened'))) {
					await shell.desktop.page(stepText(stored, block) ?? runText(stored));
				}
			});
		},
	},
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
