import type {Logger} from '../core/log.ts';
import type {RunPlan} from '../core/run.ts';
import type {JobRecord, Store} from '../store/port.ts';
import type {JobDefinition} from './job.ts';
import {planTick} from './plan-tick.ts';

const staleMs = 1000;

/** What performing needs beside the job. */
export type TickWorld = {
	readonly jobs: Pick<Store['jobs'], 'plan' | 'fire'>;
	readonly log: Logger;
	readonly maxQueued: () => number;
	readonly onFired: (runId: number) => void;
	/** Jobs, by what was said of them, that were said to be busy or without room; said once until they fire again. */
	readonly said: Set<string>;
};

/** One job at one moment. */
export type JobNow = {
	readonly profile: string;
	readonly job: JobDefinition;
	readonly record: JobRecord | undefined;
	readonly now: number;
	readonly watchedSince: number;
	readonly isNew: boolean;
	readonly steppedBack: boolean;
	/** Its times up to then are done with, whoever fired them. */
	readonly firedUntil: number | undefined;
	/** Its times up to `until` have fired or are skipped now. */
	readonly onDone: (until: number) => void;
};

/** What the journal knows of the job now, and when to look again; `undefined` when nothing is due by itself. */
export type Ticked = {readonly record: JobRecord | undefined; readonly until?: number};

/**
 * Does what is to be done about a job now. A tick that finds no room in the queue stays due.
 *
 * @throws SvcError `journal_unavailable`
 */
export async function performTick(current: JobNow, world: TickWorld): Promise<Ticked> {
	const {profile, job} = current;
	const key = {profile, id: job.id};
	const decision = planTick(job, current.record, current);
	switch (decision.kind) {
		case 'rest':
			return {record: current.record};
		case 'wait':
			return {record: current.record, until: decision.until};
		case 'plan': {
			const {nextAt, basis} = decision;
			await world.jobs.plan(key, {nextAt, basis});
			const isUnseen = current.record === undefined && current.firedUntil === undefined;
			if (nextAt === undefined && !job.paused && isUnseen) {
				world.log.warn(`Job "${job.name}" does not fire: its time was over when it was first seen`);
			}

			const before = current.record ?? {...key, basis, open: 0};
			const planned = {...withNext(before, nextAt), basis};
			return performTick({...current, record: planned, steppedBack: false}, world);
		}

		case 'skip': {
			const {dueAt, nextAt} = decision;
			await world.jobs.plan(key, {nextAt, basis: job.basis});
			current.onDone(current.now);
			world.log.warn(
				`Job "${job.name}" missed its time and does not make up for it ("misfire": "skip")`,
				{job: job.id, due: new Date(dueAt).toISOString()},
			);
			return after(current, nextAt);
		}

		case 'fire':
			return fire(current, decision, world);
	}
}

async function fire(
	current: JobNow,
	{dueAt, nextAt, missed}: ReturnType<typeof planTick> & {readonly kind: 'fire'},
	{jobs, log, maxQueued, onFired, said}: TickWorld,
): Promise<Ticked> {
	const {profile, job, now} = current;
	const key = {profile, id: job.id};
	const fields = {job: job.id, due: new Date(dueAt).toISOString()};
	const sayOnce = (what: string, message: string) => {
		const name = `${profile} ${job.id} ${what}`;
		if (!said.has(name)) {
			said.add(name);
			log.warn(message, fields);
		}
	};

	const fired = await jobs.fire({
		job: {...key, name: job.name},
		plan: planFor(job),
		maxQueued: maxQueued(),
		tick: {dueAt, nextAt},
	});
	switch (fired.kind) {
		case 'fired': {
			const {runId} = fired;
			for (const what of ['busy', 'full']) {
				said.delete(`${profile} ${job.id} ${what}`);
			}

			log.info(
				missed ? `Job "${job.name}" fires once for the times it missed` : `Job "${job.name}" fires`,
				{...fields, run: runId},
			);
			current.onDone(now);
			onFired(runId);
			const {record, ...rest} = after(current, nextAt);
			const fact = record && {...record, lastAt: now, lastRunId: runId, open: record.open + 1};
			return {...rest, record: fact};
		}

		case 'busy':
			sayOnce(
				'busy',
				`Job "${job.name}" is not done with run ${fired.runId} when it is due again: that time is skipped`,
			);
			current.onDone(now);
			return after(current, nextAt);
		case 'full':
			sayOnce(
				'full',
				`Job "${job.name}" is due and waits for room: ${fired.queued} runs are queued`,
			);
			return {record: current.record};
		case 'stale':
			// Somebody else changed what the journal waits for; the next look sees what.
			return {record: current.record, until: now + staleMs};
	}
}

/** The job after `nextAt` was written. */
const after = ({record}: JobNow, nextAt: number | undefined): Ticked => ({
	record: record && withNext(record, nextAt),
	...(nextAt !== undefined && {until: nextAt}),
});

function withNext({nextAt: _before, ...record}: JobRecord, nextAt: number | undefined): JobRecord {
	return nextAt === undefined ? record : {...record, nextAt};
}

/** What a run of `job` needs. `context` is transient: it follows the prompt after an empty line. @see Interface 2.5 `cron_job` */
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
