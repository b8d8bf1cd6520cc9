import type {Clock, Busy} from './clock.ts';
import type {Emit} from './events.ts';
import type {Logger} from './log.ts';
import type {Redact} from './redact.ts';

/** The common dependencies of the parts of a gateway, passed whole or as `Pick<World, …>`. */
export type World = {
	readonly clock: Clock;
	/** Reports events to the faces. */
	readonly emit: Emit;
	readonly log: Logger;
	/** Hides the secrets of the home in a text. */
	readonly redact: Redact;
	/** Counts running work, for tests and the drain. */
	readonly busy: Busy;
};
