import type {Authorities} from '../../config/authorities.ts';
import type {ServerSandbox} from '../../config/endpoint-settings.ts';
import type {Environment} from '../../config/environment.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ResolveName} from '../../core/address-scope.ts';
import {createRedact, type Redact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import type {ProcessGroups} from './process-groups.ts';
import type {StderrLog} from './stderr-log.ts';

/** What a gateway's transports share. */
export type TransportParts = Pick<World, 'clock' | 'log' | 'redact'> & {
	/** The process's environment. */
	readonly environment: Environment;
	readonly authorities: Authorities;
	readonly groups: ProcessGroups;
	readonly stderrLog: StderrLog;
	/** Resolves the host names of remote servers; absent: the system's resolver. */
	readonly resolve?: ResolveName | undefined;
};

/** How to start a program: the command, and what it reads at its descriptors 3, 4, … */
export type ProcessLaunch = {
	readonly command: string;
	readonly args: readonly string[];
	readonly feeds: readonly Buffer[];
};

/** Prepares starting a server in a sandbox, or says in a sentence why that is impossible. Opened resources are released with `stack`. */
export type OpenServerSandbox = (
	server: {
		readonly name: string;
		readonly command: readonly string[];
		readonly env: Readonly<Record<string, string>>;
		readonly sandbox: ServerSandbox;
	},
	options: {readonly note: (text: string) => void; readonly signal: AbortSignal},
	stack: AsyncDisposableStack,
) => Promise<
	| {readonly ok: true; readonly launch: ProcessLaunch}
	| {readonly ok: false; readonly reason: string; readonly kind: 'passing' | 'permanent'}
>;

/** A server with an endpoint of kind `E`. */
export type ServerAt<E> = ToolServerConfig & {readonly endpoint: E};

/** Redacts the secrets of the home, then those of one server. */
export function redactAlso(redact: Redact, secrets: readonly string[]): Redact {
	const own = createRedact(() => secrets, {byShape: false});
	return text => own(redact(text));
}
