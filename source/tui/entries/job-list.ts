import type {JobView} from '../../core/job.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import type {ListSource} from '../state/source.ts';
import {jobKey, jobVocabulary} from './job-key.ts';
import {shownSections} from './sections.ts';

/** The scheduled jobs of all profiles. */
export const jobList: ListSource<List<JobView>> = {
	id: 'jobs',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: jobKey,
			vocabulary: jobVocabulary,
			read: state => state.jobs,
			height: () => shownSections(host).jobRows,
			position: atFirst,
			filter,
		}),
};
