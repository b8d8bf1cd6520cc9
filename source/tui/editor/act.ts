import type {Safe} from '../../core/untrusted.ts';
import type {PaneCommand} from '../acts/command.ts';

/** A command of the form of a route. */
export const act = (
	id: string,
	keys: readonly string[],
	rest: Omit<PaneCommand, 'id' | 'keys' | 'label'> & {readonly label: Safe},
): PaneCommand => ({id: `editor${id}`, keys, ...rest});
