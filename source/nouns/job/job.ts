import {termsOf, textTerm} from '../../core/filter/terms.ts';
import type {JobView} from '../../core/job.ts';
import {countOf} from '../../core/names.ts';
import type {Run, StoredRun} from '../../core/run.ts';
import {
	clockTime,
	dayTime,
	duration,
	isSameDay,
	printableTime,
	zonedTime,
} from '../../terminal/text/time.ts';
import {column, mainColumn, fact, type Fact, type Noun, type ValuePlace} from '../noun.ts';
import {runOf, runWords} from '../run/run-word.ts';

/** What the command line knows of a job besides its view: its definition and its last runs. */
type JobPlan = {
	/** The next times, in ISO 8601 in the job's time zone. */
	readonly next: readonly string[];
	readonly lastRunState: string;
	/** The file with its newest answer. */
	readonly answerFile: string;
	readonly prompt: string;
	readonly skills: readonly string[];
	readonly toolsets: readonly string[];
	readonly model: string;
	readonly deliverExtra: object;
	readonly misfire: 'once' | 'skip';
	/** Milliseconds since 1970. */
	readonly createdAt: number;
	/** Its last runs. */
	readonly runs: readonly Run[];
};

export type ListedJob = JobView & {readonly [Key in keyof JobPlan]?: JobPlan[Key] | undefined};

export type JobMore = {
	/** The runs in the state. */
	readonly runs?: readonly Run[];
	/** The last run, with its whole answer. */
	readonly stored?: StoredRun;
	/** Why answers to a target would not arrive; `undefined` if they would. */
	readonly problemWith?: (deliver: string) => string | undefined;
};

/** A job's unique key: two profiles may use the same identifier. */
export const jobKey = ({profile, id}: Pick<JobView, 'profile' | 'id'>): string =>
	`${profile} ${id}`;

/** A job's name, prefixed by its profile if it is another one. */
export const jobName = ({profile, name}: Pick<JobView, 'profile' | 'name'>): string =>
	profile === 'default' ? name : `${profile}/${name}`;

/** Narrower lists show only the countdown, not the time. */
const timesFrom = 76;
const [fullNext, shortNext] = [25, 11];

/** `in 4:12  15:04:24`, with the date if it is another day. `isShort`: only the countdown. */
export function nextRunText({state, nextAt}: JobView, now: number, isShort = false): string {
	if (state !== 'active') {
		return state;
	}

	if (nextAt === undefined) {
		return '-';
	}

	const left = nextAt <= now ? 'now' : `in ${countdown(nextAt - now)}`;
	const at = isSameDay(nextAt, now) ? clockTime(nextAt) : dayTime(nextAt);
	return isShort ? left : `${left}  ${at}`;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `4:12`, `2 d 23 h`. */
const countdown = (ms: number): string =>
	ms < dayMs
		? duration(Math.ceil(ms / 1000) * 1000)
		: `${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;

const isInvalid = ({state}: JobView): boolean => state === 'invalid';

const lastRun = ({lastRunId}: JobView, {runs = [], stored}: JobMore): Run | undefined =>
	stored?.id === lastRunId ? stored : runOf(runs, lastRunId);

/** `✓ done #12`. */
function lastWords(job: ListedJob, known: JobMore): string {
	const {lastRunId, lastAt} = job;
	if (lastRunId === undefined) {
		return lastAt === undefined ? 'never' : clockTime(lastAt);
	}

	const run = lastRun(job, known);
	return run ? `${runWords[run.state].text} #${lastRunId}` : `#${lastRunId}`;
}

/** `2026-11-20 09:00:01 #12 done`; empty if the job never ran. */
const printedLast = ({lastAt, lastRunId, lastRunState = ''}: ListedJob): string =>
	lastAt === undefined
		? ''
		: `${printableTime(lastAt)} ${lastRunId === undefined ? '' : `#${lastRunId} `}${lastRunState}`.trim();

/** `2026-11-20 09:00:00 Asia/Tokyo`: the next time in the job's time zone; empty if it has none. */
export const nextTimeText = ({nextAt, timeZone}: Pick<JobView, 'nextAt' | 'timeZone'>): string =>
	nextAt === undefined ? '' : `${zonedTime(nextAt, timeZone)} ${timeZone}`;

function planFacts(job: ListedJob): readonly Fact[] {
	const {misfire, deliverExtra = {}, skills = [], toolsets, prompt, runs = []} = job;
	const extra = Object.keys(deliverExtra).length > 0 ? ` ${JSON.stringify(deliverExtra)}` : '';
	return [
		...fact('deliver', `${job.deliver}${extra}`),
		...fact(
			'missed',
			misfire && (misfire === 'once' ? 'one run for all missed times' : 'not made up for'),
		),
		...fact('skills', skills.length > 0 ? skills.join(', ') : undefined),
		...fact('toolsets', toolsets && (toolsets.join(', ') || 'none')),
		...fact('model', job.model),
		...fact('answer', job.answerFile),
		...(prompt === undefined ? [] : [{title: 'prompt'}, {text: prompt}]),
		...(runs.length > 0 ? [{title: 'runs'}] : []),
		...runs.map(run => ({
			text: `#${run.id}  ${printableTime(run.createdAt)}  ${run.delivery === undefined ? run.event : run.route}  ${run.state}${run.error === undefined ? '' : `  ${run.error}`}`,
		})),
	];
}

/** The last run with its answer, as far as known. */
function runFacts(run: Run | undefined, {stored}: JobMore): readonly Fact[] {
	if (!run) {
		return [];
	}

	const answer = (run === stored ? stored.fullAnswer : undefined) ?? run.answer;
	return [
		{title: `Last run  #${run.id}  ${runWords[run.state].text}  o opens it`},
		...(run.error === undefined ? [] : [{text: `✗ ${run.error}`, tone: 'bad'} as const]),
		...(answer === undefined
			? [{text: 'no answer yet', tone: 'quiet'} as const]
			: [{text: answer}]),
	];
}

/** A scheduled job. @see manual/jobs.md */
export const jobNoun: Noun<ListedJob, JobMore> = {
	one: 'job',
	many: 'jobs',
	argument: 'job',
	missing: 'job_not_found',
	id: jobKey,
	name: jobName,
	sign: job => (isInvalid(job) ? '!' : ' '),
	columns: [
		column('id', 0, ({id}) => id),
		mainColumn(
			'name',
			{share: 0.5, least: 8, most: 40},
			{value: jobName, printed: ({name}) => name},
		),
		mainColumn(
			'schedule',
			{least: 8, most: 40},
			{
				// A problem already names the schedule, so its column is dropped.
				takes: {after: job => (isInvalid(job) ? Infinity : 0)},
				value: job => job.schedule,
				words: ({state, problem = 'invalid'}) =>
					state === 'invalid' ? [{text: `✗ ${problem}`, tone: 'bad'}] : undefined,
			},
		),
		column('state', 0, ({state}) => state),
		column('next', width => (width >= timesFrom ? fullNext : shortNext), {
			label: 'next run',
			value: (job, {now}, {room}: ValuePlace) => nextRunText(job, now, room < fullNext),
			tone: ({state}) => (state === 'active' ? 'plain' : 'quiet'),
			printed: job => nextTimeText(job),
		}),
		column('last', 19, {
			label: 'last run',
			value: lastWords,
			tone(job, known) {
				const run = lastRun(job, known);
				return run ? runWords[run.state].tone : 'quiet';
			},
			printed: printedLast,
		}),
		column('open', 4, {value: ({open}) => String(open), align: 'end'}),
		column('deliver', 0, ({deliver}) => deliver),
		column(
			'problem',
			0,
			({problem, deliver}, {problemWith}) => problem ?? problemWith?.(deliver) ?? '',
		),
	],
	printed: {
		columns: ['id', 'name', 'schedule', 'state', 'next', 'last', 'deliver', 'problem'],
		whole: ['id', 'next'],
		optional: [],
		empty: 'No jobs yet: create one with "svc cron add"',
	},
	factCells: 10,
	head: job => [{text: job.id}, {text: jobName(job), tone: 'strong'}, {text: job.state}],
	facts(job, known) {
		const {problem, profile, next = [], timeZone, open} = job;
		const {now} = known;
		return [
			...(problem === undefined ? [] : [{text: `✗ ${problem}`, tone: 'bad'} as const]),
			...fact('profile', profile === 'default' ? undefined : profile),
			...fact('schedule', job.schedule),
			...fact('time zone', timeZone),
			...fact(
				'next run',
				next.length > 0
					? next.map(at => `${at.slice(0, 19).replace('T', ' ')} ${timeZone}`).join('\n')
					: nextRunText(job, now),
			),
			...fact('last run', printedLast(job) || 'never'),
			...fact('open', countOf(open, 'run')),
			...planFacts(job),
			...runFacts(lastRun(job, known), known),
		];
	},
	copies: {
		of: ({name, id, schedule}) => [
			{key: 'n', label: 'name', text: name},
			{key: 'i', label: 'job id', text: id},
			{key: 's', label: 'schedule', text: schedule},
		],
	},
	vocabulary: {
		terms: termsOf<JobView>({
			name: textTerm(job => job.name, {says: 'its name', example: 'name:nightly'}),
			id: textTerm(job => job.id, {says: 'its identifier', example: 'id:job_'}),
			state: textTerm(job => job.state, {
				says: 'its state',
				example: 'state:paused',
				words: ['active', 'paused', 'ended', 'invalid'],
			}),
			schedule: textTerm(job => job.schedule, {
				says: 'its schedule as it is written',
				example: 'schedule:9',
			}),
			profile: textTerm(job => job.profile, {says: 'the profile', example: 'profile:work'}),
			deliver: textTerm(job => job.deliver, {
				says: 'the target of its answers',
				example: 'deliver:log',
			}),
		}),
		haystack: ({name, id, state, schedule, deliver, problem = ''}) =>
			`${name} ${id} ${state} ${schedule} ${deliver} ${problem}`.toLowerCase(),
	},
};
