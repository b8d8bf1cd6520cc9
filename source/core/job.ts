import type {jobViewSchema} from './schemas/job.ts';
import type {Shape} from './schemas/parts.ts';

/**
 * A scheduled job as faces see it. Strings from files are cleaned by `escapeLine` when the value is made.
 *
 * @see manual/routes.md#keys, manual/jobs.md
 */
export type JobView = Shape<typeof jobViewSchema>;
