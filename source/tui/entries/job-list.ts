import type {JobView} from '../../core/job.ts';
import {jobKey, jobNoun} from '../../nouns/job/job.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import type {ListSource} from '../state/source.ts';
import {shownSections} from './sections.ts';

/** The scheduled jobs of all profiles. */
export const jobList: ListSource<List<JobView>> = {
	id: 'jobs',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: jobKey,
			vocabulary: jobNoun.vocabulary,
			read: state => state.jobs,
			height: () => shownSections(host).jobRows,
			position: atFirst,
			filter,
		}),
};
