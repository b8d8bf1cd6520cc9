import {z} from 'zod';
import {asPlainData} from '../config/plain-data.ts';
import {describeIssues} from '../config/schema-issues.ts';
import {targetProblem} from '../config/target-problem.ts';
import type {Diagnostic} from '../core/config-view.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import type {Target, RunPlan} from '../core/run.ts';
import {
	flag,
	anyJson,
	checked,
	jsonSchemaOf,
	requiredSetting,
	setting,
	nonEmptyText,
	nonEmptyTexts,
} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {escapeLine} from '../core/untrusted.ts';
import {defaultTarget, deliverValues, targetOf} from '../platforms/platforms.ts';
import {machineZone, parseSchedule, problemWithZone, type Schedule} from './when.ts';

/** A job of `jobs.json`, checked. `name`, `scheduleText` and `prompt` are as written: clean them before a face shows them. */
export type JobDefinition = Omit<
	ReturnType<typeof jobSettings.read>,
	'deliver' | 'deliverExtra' | 'timeZone'
> & {
	readonly schedule: Schedule;
	/** IANA name; by default the zone of the machine. */
	readonly timeZone: string;
	readonly target: Target;
	/** Changes with the schedule. The journal stores it with the time computed from it. At most 400 characters. */
	readonly basis: string;
};

/** An invalid entry. Texts are cleaned. */
type InvalidJob = {
	/** `#3` for the third entry if it has no identifier. */
	readonly id: string;
	readonly name: string;
	readonly scheduleText: string;
	/** One sentence that names the job. */
	readonly problem: string;
};

/** `stale`: the problem of the present entry, in whose place the last good version `job` is used. `at`: the problem with its position. */
export type JobEntry =
	| {
			readonly ok: true;
			readonly job: JobDefinition;
			readonly stale?: string;
			readonly at?: Diagnostic;
	  }
	| {readonly ok: false; readonly job: InvalidJob; readonly at?: Diagnostic};

const maxNameLength = 100;
const maxPromptLength = 100_000;

/** The form of a job's identifier; safe as the name of a folder. */
export const jobIdPattern = /^job_[a-z0-9]{8}$/;

const limited = (maxLength: number) =>
	checked(nonEmptyText, value =>
		value.length > maxLength ? `must have at most ${maxLength} characters` : undefined,
	);

const jobSettings = defineSettings({
	id: requiredSetting(
		checked(z.string(), id =>
			jobIdPattern.test(id) ? undefined : 'must be "job_" and eight of a-z and 0-9',
		),
		'`job_` and eight of a-z and 0-9',
	),
	name: requiredSetting(
		checked(limited(maxNameLength), name =>
			name.trim() === name ? undefined : 'must not begin or end with a blank',
		),
		'At most 100 characters; unique in the profile',
	),
	schedule: requiredSetting(
		nonEmptyText,
		'Five cron fields, or six with the seconds first; `every 15m` (s, m, h or d; 1 s to 366 days, counted from `created_at`); or one time in ISO 8601',
		{as: 'scheduleText'},
	),
	time_zone: setting(
		checked(nonEmptyText, problemWithZone),
		"IANA name, for cron fields and times without an offset; absent: the machine's zone",
	),
	prompt: requiredSetting(limited(maxPromptLength), 'At most 100,000 characters; no template'),
	skills: setting(nonEmptyTexts, 'The first [skill](skills.md) that is found is loaded', {
		default: [],
	}),
	toolsets: setting(nonEmptyTexts, 'Replaces the toolsets of the platform'),
	model: setting(nonEmptyText, 'Another model of the same provider'),
	deliver: setting(z.enum(deliverValues), 'Where the answer goes', {
		default: defaultTarget,
		to: (written): string => targetOf(written),
	}),
	deliver_extra: setting(z.record(z.string(), anyJson), 'Keys of the target, without templates', {
		default: {},
	}),
	paused: flag(false, 'Fires only on request; missed times are not made up for'),
	misfire: setting(
		z.enum(['once', 'skip']),
		'Missed times: `once` runs once for all of them, `skip` not at all',
		{default: 'once'},
	),
	created_at: setting(
		checked(z.string(), value =>
			Number.isNaN(Date.parse(value)) ? 'must be a time in ISO 8601' : undefined,
		),
		'ISO 8601. If the gateway first sees the job within a day after this time, the job makes up for the times in between',
		{to: (written): number => Date.parse(written)},
	),
});

/** The JSON Schema of an entry. */
export const jobSchemaJson = (): JsonObject => {
	const plain: unknown = JSON.parse(JSON.stringify(jsonSchemaOf(jobSettings.schema)));
	return isJsonObject(plain) ? plain : {};
};

/** Interprets an entry of `jobs.json` as a job, or says why it is invalid. `index` counts from 0. Never throws; ignores unknown keys. */
export function interpretJob(entry: JsonValue, index: number): JobEntry {
	const unusable = (why: string) => invalid(entry, {index, says: `cannot be used: ${why}`});
	const data = asPlainData(entry);
	if (!data.ok) {
		return unusable(`${data.path.join('.')} ${data.message}`);
	}

	const parsed = jobSettings.schema.safeParse(data.value);
	if (!parsed.success) {
		const [{path, message} = {path: [], message: 'it is not a job'}] = describeIssues(
			parsed.error.issues,
			data.value,
		);
		return unusable(`${path.join('.')} ${message}`.trim());
	}

	const {data: raw} = parsed;
	const {deliver, deliverExtra, timeZone = machineZone(), ...job} = jobSettings.read(raw);
	const parsedSchedule = parseSchedule(job.scheduleText, {timeZone, anchorMs: job.createdAt ?? 0});
	if (!parsedSchedule.ok) {
		return unusable(parsedSchedule.problem);
	}

	const {schedule} = parsedSchedule;
	const refusal = targetProblem(raw.deliver, raw.deliver_extra);
	if (refusal) {
		return invalid(entry, {index, says: refusal.reason});
	}

	const target = {kind: deliver, extra: deliverExtra};
	const basis = basisOf(schedule, `${job.scheduleText.trim()} ${timeZone}`);
	return {ok: true, job: {...job, timeZone, schedule, target, basis}};
}

function basisOf(schedule: Schedule, written: string): string {
	switch (schedule.kind) {
		case 'cron':
			return written;
		case 'every':
			return `every ${schedule.everyMs} from ${schedule.anchorMs}`;
		case 'once':
			return `once at ${schedule.at}`;
	}
}

/** Describes an invalid entry, whose values may have any type. */
export function invalid(
	entry: JsonValue,
	{index, says}: {readonly index: number; readonly says: string},
): JobEntry & {readonly ok: false} {
	const textAt = (key: string): string => {
		const value = isJsonObject(entry) && Object.hasOwn(entry, key) ? entry[key] : undefined;
		return typeof value === 'string' ? escapeLine(value, maxNameLength) : '';
	};

	const id = textAt('id');
	const shownId = jobIdPattern.test(id) ? id : `#${index + 1}`;
	const name = textAt('name');
	return {
		ok: false,
		job: {
			id: shownId,
			name,
			scheduleText: textAt('schedule'),
			problem: escapeLine(`Job "${name || shownId}" ${says}`),
		},
	};
}

/** The plan of a run of `job`. `context` is not stored with the job: it follows the prompt after an empty line. @see manual/routes.md#keys */
export function planFor(job: JobDefinition, context?: string): RunPlan {
	const {prompt, target, skills, toolsets, model} = job;
	return {
		prompt: context === undefined ? prompt : `${prompt}\n\n${context}`,
		target,
		skills,
		...(toolsets && {toolsets}),
		...(model !== undefined && {model}),
	};
}
