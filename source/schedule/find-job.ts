import {SvcError} from '../core/errors.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {JobSet} from './job-file.ts';
import type {JobDefinition} from './job.ts';

/** The result of looking for a job by a reference. `invalid`: `problem` is one sentence that names the job. */
export type FoundJob =
	| {readonly kind: 'found'; readonly job: JobDefinition}
	| {readonly kind: 'unknown'}
	/** Several jobs have that name. */
	| {readonly kind: 'ambiguous'}
	| {readonly kind: 'invalid'; readonly problem: string}
	/** Not among the jobs of the last good file; `problem`: why the present file cannot be used. */
	| {readonly kind: 'unreadable'; readonly problem: string}
	/** This gateway does not fire the jobs of that profile; `reason`: one sentence without a period. */
	| {readonly kind: 'not-served'; readonly reason: string};

/** The job with the identifier `reference`, else the only one with exactly that name. @see manual/routes.md#keys */
export function findJob({entries, problem}: JobSet, reference: string): FoundJob {
	const byId = entries.find(({job}) => job.id === reference);
	const named = byId ? [byId] : entries.filter(({job}) => job.name === reference);
	const [entry] = named;
	if (!entry) {
		return problem === undefined ? {kind: 'unknown'} : {kind: 'unreadable', problem};
	}

	if (named.length > 1) {
		return {kind: 'ambiguous'};
	}

	const {ok, job} = entry;
	return ok ? {kind: 'found', job} : {kind: 'invalid', problem: job.problem};
}

/** Why a route cannot fire the job of its `cron_job`, in one line for the person at the terminal. */
export function unavailableJob(reference: string, found: FoundJob): string {
	const shown = escapeLine(reference, 100);
	switch (found.kind) {
		case 'found':
			return `job "${shown}" is paused`;
		case 'unknown':
			return `there is no job "${shown}"`;
		case 'ambiguous':
			return `several jobs are called "${shown}", use the identifier from "svc cron list"`;
		case 'invalid':
		case 'unreadable':
			return found.problem;
		case 'not-served':
			return found.reason;
	}
}

/**
 * The job that `found` contains.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `jobs_broken`, `profile_not_served`
 */
export function requireJob(reference: string, found: FoundJob): JobDefinition {
	const shown = escapeLine(reference, 100);
	switch (found.kind) {
		case 'found':
			return found.job;
		case 'unknown':
			throw new SvcError('job_not_found', `Cannot find job "${shown}": see "svc cron list"`);
		case 'ambiguous':
			throw new SvcError(
				'job_ambiguous',
				`Cannot tell which job "${shown}" is meant: several have that name, use the identifier from "svc cron list"`,
			);
		case 'invalid':
			throw new SvcError('job_invalid', found.problem);
		case 'unreadable':
			throw new SvcError('jobs_broken', found.problem);
		case 'not-served':
			throw new SvcError('profile_not_served', `Cannot find job "${shown}": ${found.reason}`);
	}
}
