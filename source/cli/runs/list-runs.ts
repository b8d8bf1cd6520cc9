import {runVocabulary} from '../../core/filter/vocabularies.ts';
import type {Run, RunState} from '../../core/run.ts';
import {runNoun} from '../../nouns/run/run.ts';
import type {Context} from '../console/context.ts';
import {type Home, openHome, waitingOf} from '../home/open-home.ts';
import {requireFilter, searchHistory} from '../home/search-history.ts';
import {printList} from '../nouns/noun-commands.ts';

/** The flags of `svc runs list`. */
export type RunListFlags = {
	readonly route?: string;
	readonly state?: readonly RunState[];
	/** Identifier or name of a job. */
	readonly job?: string;
	readonly before?: number;
	/** Words in the syntax of the Runs filter. */
	readonly filter?: string;
	readonly limit: number;
	readonly json?: boolean;
};

/** Lists runs, newest first. */
export async function listRuns(
	context: Context,
	{json, state: states, job, filter: words, ...filter}: RunListFlags,
): Promise<void> {
	if (words !== undefined) {
		requireFilter(words, runVocabulary);
	}

	// Loaded only if needed: most listings do not name a job.
	const jobs = job === undefined ? undefined : await import('../cron/job-of-runs.ts');
	const jobId = await jobs?.jobOfRuns(context, job ?? '');
	await using home = await openHome(context, 'read');
	const asked = {...filter, ...(states && {states}), ...(jobId !== undefined && {job: jobId})};
	const runs =
		words === undefined ? await home.listRuns(asked) : await searchRuns(home, words, asked);
	const {limit: _limit, ...wanted} = asked;
	const {printed} = runNoun;
	const hasOthers = runs.some(({profile}) => profile !== 'default');
	const isElsewhere = runs.some(({node}) => node !== undefined);
	const columns = printed.columns.filter(
		key => (key !== 'profile' || hasOthers) && (key !== 'node' || isElsewhere),
	);
	const known = {approvals: json ? [] : await waitingOf(home)};
	const isFiltered = words !== undefined || Object.keys(wanted).length > 0;
	const noun = {...runNoun, printed: {...printed, columns}};
	await printList(context, noun, {items: runs, json: json === true, known, isFiltered});
}

/** The runs that match the filter words and the flags. */
async function searchRuns(
	home: Home,
	words: string,
	{states, route, job, before, limit}: Parameters<Home['listRuns']>[0],
): Promise<readonly Run[]> {
	return searchHistory(async cursor => home.searchRuns({...cursor, filter: words}), {
		before,
		limit,
		keep: async found =>
			found.filter(
				run =>
					(route === undefined || run.route === route) &&
					(states === undefined || states.includes(run.state)) &&
					(job === undefined || run.job?.id === job),
			),
	});
}
