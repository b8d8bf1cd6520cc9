import type {installReviewSchema} from './schemas/install.ts';
import type {Shape} from './schemas/parts.ts';

/** What installing a tool server from a link would do, for a person to decide. */
export type InstallReview = Shape<typeof installReviewSchema>;
