import type {Shape} from './schemas/parts.ts';
import type {setupDraftSchema, setupPlanSchema, writtenSetupSchema} from './schemas/setup.ts';

/** The wanted settings of the receiver; absent ones stay as they are. */
export type SetupDraft = Shape<typeof setupDraftSchema>;

/** The changes that writing it would make. */
export type SetupPlan = Shape<typeof setupPlanSchema>;

/** The written setup. */
export type WrittenSetup = Shape<typeof writtenSetupSchema>;
