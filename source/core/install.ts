import type {
	installReviewSchema,
	offeredInstallSchema,
	waitingInstallSchema,
} from './schemas/install.ts';
import type {Shape} from './schemas/parts.ts';

/** What installing a tool server from a link would do, for a person to decide. */
export type InstallReview = Shape<typeof installReviewSchema>;

/** A link that was opened outside of the interface and waits for a person there. Without the link: it may hold a secret, and events are written to logs. */
export type WaitingInstall = Shape<typeof waitingInstallSchema>;

/** The same with the link. */
export type OfferedInstall = Shape<typeof offeredInstallSchema>;
