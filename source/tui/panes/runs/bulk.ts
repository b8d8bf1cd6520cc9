import {runStates, type Run} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {change} from '../../acts/navigate.ts';
import {runList} from '../../entries/run-list.ts';
import {clean} from '../../lines/line.ts';
import {
	actOnAll,
	clearMarks,
	createMarks,
	markCommands,
	markedOf,
	sayOutcome,
} from '../../lines/marks.ts';
import type {Shell} from '../../shell/shell.ts';

/** The runs that are marked. */
export const runMarks = createMarks();

const keyOf = (run: Run): string => String(run.id);

export const runMarkCommands = markCommands('runs', runMarks, {source: runList, keyOf});

export const hasMarkedRuns = ({local}: Pick<Shell, 'local'>): boolean =>
	local(runMarks).get().size > 0;

/** An act on all marked runs. */
export type BulkAct = {
	/** `Cancel`. */
	readonly verb: Safe;
	/** `cancelled`. */
	readonly done: Safe;
	/** What it does to a run in this state; `undefined` where it does nothing. */
	readonly effectOf: (run: Run) => Safe | undefined;
	/** Whether it was done. */
	readonly act: (run: Run) => Promise<boolean>;
};

/** Asks once for all marked runs, with what it means to how many of them, then does it to each. */
export function askForMarked(shell: Shell, {verb, done, effectOf, act}: BulkAct): void {
	// Also what was paged to, and what the filter keeps out.
	const {items, gone} = markedOf(
		shell.local(runMarks).get(),
		[...shell.list(runList).get().items, ...shell.feed.get().state.runs],
		keyOf,
	);
	const able = items.filter(run => effectOf(run) !== undefined);
	const unable = items.length - able.length;
	if (able.length === 0) {
		shell.toast(safe`None of the marked runs can be ${done}`, 'warn');
		return;
	}

	const effects = runStates.flatMap(state => {
		const runs = able.filter(run => run.state === state);
		const [first] = runs;
		const effect = first && effectOf(first);
		return effect === undefined ? [] : [safe`${runs.length} ${clean(state)}: ${effect}`];
	});
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: safe`${verb} ${able.length} marked ${able.length === 1 ? literal('run') : literal('runs')}`,
			lines: [
				...effects,
				...(unable > 0 ? [safe`${unable} of the marked cannot be ${done}: left as they are.`] : []),
				...(gone > 0 ? [safe`${gone} of the marked are no longer in the list.`] : []),
			],
			act: safe`${verb} all ${able.length}`,
			run() {
				clearMarks(shell, runMarks);
				shell.attempt(async () => {
					const outcome = await actOnAll(able, async run =>
						(await act(run)) ? undefined : `run #${run.id} stands elsewhere by now`,
					);
					sayOutcome(shell, done, outcome);
				});
			},
		},
	});
}
