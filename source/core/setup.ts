import type {Shape} from './schemas/parts.ts';
import type {setupDraftSchema, setupPlanSchema, writtenSetupSchema} from './schemas/setup.ts';

/** What a person wants of the receiver; what is absent stays as it is. */
export type SetupDraft = Shape<typeof setupDraftSchema>;

/** What writing it would change. */
export type SetupPlan = Shape<typeof setupPlanSchema>;

/** What was written. */
export type WrittenSetup = Shape<typeof writtenSetupSchema>;
