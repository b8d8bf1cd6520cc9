import type {Run, StoredRun} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {runActs} from '../../../nouns/run/run-acts.ts';
import {runNoun} from '../../../nouns/run/run.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {placeNow} from '../../acts/place.ts';
import {openMenu} from '../../dialogs/questions.ts';
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

/** The whole answer, which the list holds only the beginning of. */
async function answerOf(shell: Shell, run: Run): Promise<string> {
	const stored = await shell.port.getRun(run.id);
	return stored?.fullAnswer ?? run.answer ?? '';
}

function copyMenu(shell: Shell): void {
	const run = selected(shell);
	if (!run) {
		return;
	}

	const copy = (text: () => Promise<string> | string, what: Safe) => () => {
		shell.attempt(async () => copyText(shell, await text(), what));
	};

	const items = [
		{
			key: 'a',
			label: literal('answer'),
			run: copy(async () => answerOf(shell, run), literal('answer')),
		},
		{key: 'i', label: literal('run id'), run: copy(() => String(run.id), literal('run id'))},
		...(run.error === undefined
			? []
			: [{key: 'e', label: literal('error'), run: copy(() => run.error ?? '', literal('error'))}]),
	];
	openMenu(shell, {title: literal('Copy'), items});
}

/** Commands of pane 7. */
export const runCommands: readonly PaneCommand[] = [
	...nounCommands({
		noun: runNoun,
		acts: runActs,
		list: runList,
		marked: {
			marks: runMarks,
			all: shell => [...shell.list(runList).get().items, ...shell.feed.get().state.runs],
		},
	}),
	...originCommands(selected),
	{
		id: 'runs.copy',
		keys: ['y'],
		label: literal('copy'),
		why: none,
		run: copyMenu,
	},
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
