import type {Term, Vocabulary} from '../../core/filter/filter.ts';
import {textTerm} from '../../core/filter/terms.ts';
import type {JobView} from '../../core/job.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clean} from '../lines/line.ts';

/** What a job is remembered by: two profiles may have the same identifier. */
export const jobKey = ({profile, id}: Pick<JobView, 'profile' | 'id'>): string =>
	`${profile} ${id}`;

/** The name of a job; of another profile with that before it. */
export const jobName = ({profile, name}: Pick<JobView, 'profile' | 'name'>): Safe =>
	clean(profile === 'default' ? name : `${profile}/${name}`);

/** The words of the filter of jobs: `name: id: state: schedule: profile: deliver:` and free text. */
export const jobVocabulary: Vocabulary<JobView> = {
	terms: new Map<string, Term<JobView>>([
		['name', textTerm(job => job.name, {says: 'its name', example: 'name:nightly'})],
		['id', textTerm(job => job.id, {says: 'its identifier', example: 'id:job_'})],
		[
			'state',
			textTerm(job => job.state, {
				says: 'whether it fires',
				example: 'state:paused',
				words: ['active', 'paused', 'ended', 'invalid'],
			}),
		],
		[
			'schedule',
			textTerm(job => job.schedule, {says: 'its schedule as it is written', example: 'schedule:9'}),
		],
		['profile', textTerm(job => job.profile, {says: 'the profile', example: 'profile:work'})],
		['deliver', textTerm(job => job.deliver, {says: 'where answers go', example: 'deliver:log'})],
	]),
	haystack: ({name, id, state, schedule, deliver, problem = ''}) =>
		`${name} ${id} ${state} ${schedule} ${deliver} ${problem}`.toLowerCase(),
};
