/**
 * A scheduled job as faces see it. Strings from files are cleaned by `cell()` when the value is made.
 *
 * @see Interface 2.5 `cron_job`, Decisions 2 `svc cron`
 */
export type JobView = {
	/** Ours, unique in a profile: `job_` and eight letters or digits. */
	readonly id: string;
	readonly profile: string;
	readonly name: string;
	/** The schedule as it was written: `0 9 * * 1-5`, `every 2h`, `2026-12-24T18:00:00+01:00`. */
	readonly schedule: string;
	/** IANA name of the zone that cron expressions count in. */
	readonly timeZone: string;
	/** `ended`: a one-shot job that has fired. `invalid`: `problem` says why it cannot be used. */
	readonly state: 'active' | 'paused' | 'ended' | 'invalid';
	/** `deliver` of its target. */
	readonly deliver: string;
	/** When it fires next, milliseconds since 1970. */
	readonly nextAt?: number;
	/** When it fired last, by its schedule, a route or a person, milliseconds since 1970. */
	readonly lastAt?: number;
	readonly lastRunId?: number;
	/** Runs of it that have not ended. */
	readonly open: number;
	readonly problem?: string;
};
