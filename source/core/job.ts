import type {jobViewSchema} from './schemas/job.ts';
import type {Shape} from './schemas/parts.ts';

/**
 * A scheduled job as faces see it. Strings from files are cleaned by `cell()` when the value is made.
 *
 * @see Interface 2.5 `cron_job`, Decisions 2 `svc cron`
 */
export type JobView = Shape<typeof jobViewSchema>;
