import type {Shape} from './schemas/parts.ts';
import type {receiverAnswerSchema, replayChangesSchema} from './schemas/replay.ts';

/** How the receiver answers an event. */
export type ReceiverAnswer = Shape<typeof receiverAnswerSchema>;

/** What is sent again instead of what was stored. */
export type ReplayChanges = Shape<typeof replayChangesSchema>;
