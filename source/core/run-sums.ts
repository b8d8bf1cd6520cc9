import type {Shape} from './schemas/parts.ts';
import type {runSumSchema, runSumsSchema} from './schemas/run-sums.ts';

/** Every {@link SumsBy}. */
export const sumsBy = ['route', 'key', 'model', 'job'] as const;

export type SumsBy = (typeof sumsBy)[number];

/** The sum over the runs of one route, key, model or job. */
export type RunSum = Shape<typeof runSumSchema>;

/** The sums over the runs in the journal since a time. */
export type RunSums = Shape<typeof runSumsSchema>;
