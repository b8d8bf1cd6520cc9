import {randomInt} from 'node:crypto';
import {ensureHome} from '../../config/home-paths.ts';
import type {SubscribeFlags} from '../../config/merge-subscription.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {cell} from '../../core/untrusted.ts';
import {editJobs} from '../../schedule/edit-jobs.ts';
import {interpretJob, type JobDefinition} from '../../schedule/job.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {readInput} from '../console/read-input.ts';
import {readPlatformProblems} from './job-target.ts';
import {nextTimes} from './next-times.ts';
import {zonedIsoTime, zonedTime} from './zoned-time.ts';

/** The flags of `svc cron add`, as the command line gives them. Exactly one of `prompt` and `promptFile` is there. */
export type AddJobOptions = Pick<
	SubscribeFlags,
	'deliver' | 'deliverChatId' | 'prompt' | 'skills'
> & {
	readonly name: string;
	readonly schedule: string;
	readonly timeZone?: string;
	readonly promptFile?: string;
	readonly toolsets?: readonly string[];
	readonly model?: string;
	readonly deliverExtra?: Readonly<Record<string, string>>;
	readonly misfire?: string;
	readonly paused?: boolean;
	readonly json?: boolean;
};

/** Of a file with a prompt. */
export const maxPromptBytes = 1024 * 1024;
const idLength = 8;
const idCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shownTimes = 3;
const maxShownName = 100;

/**
 * Adds a job to the file of the profile; prints its identifier and when it fires next. A gateway that runs sees it by itself.
 *
 * @throws SvcError `job_refused`, `jobs_broken`, `file_unreadable`
 */
export async function addJob(context: Context, options: AddJobOptions): Promise<void> {
	const {promptFile, json} = options;
	const prompt =
		promptFile === undefined
			? options.prompt
			: (await readInput(context, promptFile, {maxBytes: maxPromptBytes})).trim();
	const {clock} = context;
	const now = clock.now();
	const paths = context.paths();
	ensureHome(paths);

	let added: JobDefinition | undefined;
	await editJobs(
		paths,
		entries => {
			const entry = entryOf({...options, prompt: prompt ?? ''}, {id: newId(entries), now});
			added = checkedJob(entry, now);
			refuseTakenName(added, entries);
			return [...entries, entry];
		},
		{clock},
	);
	if (!added) {
		return;
	}

	const {id, name, timeZone, paused} = added;
	const times = nextTimes(added, {now, count: shownTimes});
	const problem = (await readPlatformProblems(context))(added.target.kind);
	if (problem !== undefined) {
		tell(context, `Job "${name}" ${problem}`);
	}

	if (json) {
		printJson(context, {
			id,
			name,
			timeZone,
			paused,
			next: times.map(at => zonedIsoTime(at, timeZone)),
		});
		return;
	}

	printLines(context, [
		`Added ${id} (${name})`,
		...times.map(
			(at, index) => `${index === 0 ? 'next  ' : '      '}${zonedTime(at, timeZone)} ${timeZone}`,
		),
		...(paused ? [`It is paused: svc cron resume ${id}`] : []),
	]);
}

/** The job of an entry that is to be written. @throws SvcError `job_refused` */
export function checkedJob(entry: JsonObject, now: number): JobDefinition {
	const interpreted = interpretJob(entry, 0);
	if (!interpreted.ok) {
		throw new SvcError('job_refused', interpreted.job.problem);
	}

	const {job} = interpreted;
	if (nextTimes(job, {now, count: 1}).length === 0) {
		throw new SvcError(
			'job_refused',
			`Job "${job.name}" would never fire: "${job.scheduleText}" is over`,
		);
	}

	return job;
}

/**
 * Keeps a name one job's own, among `others`: a route and a command that name a job could not tell two apart, and an identifier counts before a name.
 *
 * @throws SvcError `job_refused`
 */
export function refuseTakenName({name}: JobDefinition, others: readonly JsonValue[]): void {
	const taken = others
		.map((entry, index) => interpretJob(entry, index).job)
		.find(other => other.name === name || other.id === name);
	if (taken) {
		throw new SvcError(
			'job_refused',
			`Job "${cell(taken.name, maxShownName).text}" exists (${taken.id}): take another --name, or change it: svc cron edit ${taken.id}`,
		);
	}
}

const entryOf = (
	options: AddJobOptions,
	{id, now}: {readonly id: string; readonly now: number},
): JsonObject => ({id, ...settingsOf(options), created_at: new Date(now).toISOString()});

/** What the flags say, by the keys of the file; nothing of what they do not. */
export function settingsOf(options: Partial<AddJobOptions>): JsonObject {
	const {deliverChatId, deliverExtra} = options;
	const extra = {
		...(deliverChatId !== undefined && {chat_id: deliverChatId}),
		...deliverExtra,
	};
	const named: Record<string, JsonValue | undefined> = {
		name: options.name,
		schedule: options.schedule,
		time_zone: options.timeZone,
		prompt: options.prompt,
		skills: options.skills,
		toolsets: options.toolsets,
		model: options.model,
		deliver: options.deliver,
		deliver_extra: Object.keys(extra).length > 0 ? extra : undefined,
		paused: options.paused,
		misfire: options.misfire,
	};
	return Object.fromEntries(
		Object.entries(named).filter((pair): pair is [string, JsonValue] => pair[1] !== undefined),
	);
}

/** An identifier that no entry has. */
function newId(entries: readonly JsonValue[]): string {
	const taken = new Set(entries.map(entry => (isJsonObject(entry) ? entry['id'] : undefined)));
	for (;;) {
		const id = `job_${Array.from({length: idLength}, () => idCharacters[randomInt(idCharacters.length)]).join('')}`;
		if (!taken.has(id)) {
			return id;
		}
	}
}
