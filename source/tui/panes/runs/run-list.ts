import {runVocabulary} from '../../../core/filter/run-vocabulary.ts';
import type {Run} from '../../../core/run.ts';
import {rowsBelow, type ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';

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
			filter,
		}),
};
