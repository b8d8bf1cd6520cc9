import type {JobView} from '../../../core/job.ts';
import type {Safe} from '../../../core/untrusted.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {textTerm} from '../../filter/terms.ts';
import {clean} from '../line.ts';

/** What a job is remembered by: two profiles may have the same identifier. */
export const jobKey = ({profile, id}: Pick<JobView, 'profile' | 'id'>): string =>
	`${profile} ${id}`;

/** The name of a job; of another profile with that before it. */
export const jobName = ({profile, name}: Pick<JobView, 'profile' | 'name'>): Safe =>
	clean(profile === 'default' ? name : `${profile}/${name}`);

/** The words of the filter of jobs: `name: id: state: schedule: profile: deliver:` and free text. */
export const jobVocabulary: Vocabulary<JobView> = {
	terms: new Map<string, Term<JobView>>([
		['name', textTerm(job => job.name)],
		['id', textTerm(job => job.id)],
		['state', textTerm(job => job.state)],
		['schedule', textTerm(job => job.schedule)],
		['profile', textTerm(job => job.profile)],
		['deliver', textTerm(job => job.deliver)],
	]),
	haystack: ({name, id, state, schedule, deliver, problem = ''}) =>
		`${name} ${id} ${state} ${schedule} ${deliver} ${problem}`.toLowerCase(),
};
