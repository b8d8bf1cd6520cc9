import type {Shape} from './schemas/parts.ts';
import type {runSumSchema, runSumsSchema} from './schemas/run-sums.ts';

/** What runs are summed by. */
export const sumsBy = ['route', 'key', 'model', 'job'] as const;

export type SumsBy = (typeof sumsBy)[number];

/** The runs that have one route, key, model or job in common. */
export type RunSum = Shape<typeof runSumSchema>;

/** The sums of the runs that the journal holds since a time. */
export type RunSums = Shape<typeof runSumsSchema>;
