import {runVocabulary} from '../../core/filter/run-vocabulary.ts';
import type {Run} from '../../core/run.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';

/** The runs that the gateway tells of, the newest above. */
export const runList: ListSource<List<Run>> = {
	id: 'runs',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: run => String(run.id),
			vocabulary: runVocabulary,
			read: state => state.runs,
			height: rowsBelow(host, 1),
			newestFirst: true,
			history: {
				clock: host.clock,
				isShown: () => host.pane().id === 'runs',
				ask: async (question, hungUp) => host.port.searchRuns(question, hungUp),
				olderAt: 'start',
				cursorOf: Number,
				wholeFrom: state => state.wholeFrom?.run ?? state.runs[0]?.id,
				total: state => state.journal?.runs,
			},
			filter,
		}),
};
