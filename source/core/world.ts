import type {Clock, Busy} from './clock.ts';
import type {Emit} from './events.ts';
import type {Logger} from './log.ts';
import type {Redact} from './redact.ts';

/** What the parts of a gateway are given, whole or as `Pick<World, …>`. */
export type World = {
	readonly clock: Clock;
	/** Tells the faces. */
	readonly emit: Emit;
	readonly log: Logger;
	/** Hides the secrets of the home in a text. */
	readonly redact: Redact;
	/** Counts what is under way. */
	readonly busy: Busy;
};
