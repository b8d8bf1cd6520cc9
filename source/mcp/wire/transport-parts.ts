import type {Authorities} from '../../config/authorities.ts';
import type {Environment} from '../../config/environment.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ResolveName} from '../../core/address-scope.ts';
import {createRedact, type Redact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import type {ProcessGroups} from './process-groups.ts';
import type {StderrLog} from './stderr-log.ts';

/** What the transports of one gateway share. */
export type TransportParts = Pick<World, 'clock' | 'log' | 'redact'> & {
	/** The process's own. */
	readonly environment: Environment;
	readonly authorities: Authorities;
	readonly groups: ProcessGroups;
	readonly stderrLog: StderrLog;
	/** Looks up the names of remote servers; absent: as the system does. */
	readonly resolve?: ResolveName | undefined;
};

/** Server with an endpoint of kind `E`. */
export type ServerAt<E> = ToolServerConfig & {readonly endpoint: E};

/** Hides the secrets of everybody, then those of one server. */
export function redactAlso(redact: Redact, secrets: readonly string[]): Redact {
	const own = createRedact(() => secrets, {byShape: false});
	return text => own(redact(text));
}
