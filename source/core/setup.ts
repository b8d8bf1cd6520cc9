import type {Shape} from './schemas/parts.ts';
import type {setupDraftSchema, setupPlanSchema, writtenSetupSchema} from './schemas/setup.ts';

/** Requested settings of the receiver; absent ones are left unchanged. */
export type SetupDraft = Shape<typeof setupDraftSchema>;

/** The changes that writing a draft would make. */
export type SetupPlan = Shape<typeof setupPlanSchema>;

/** The written setup. */
export type WrittenSetup = Shape<typeof writtenSetupSchema>;
