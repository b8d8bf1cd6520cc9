import type {Client, ClientCapabilities} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {Logger} from '../../core/log.ts';
import type {Redact} from '../../core/redact.ts';
import type {Elicit} from '../manager.ts';
import type {CallsUnderWay} from './calls-under-way.ts';

/** What a server asks our model; bounded, and allowed by its policy. */
export type SampleRequest = {
	readonly server: string;
	readonly profile: string;
	/** The run whose call made the server ask. */
	readonly runId?: number;
	/** The configured model of the policy, or an allowed one that the server named; absent: the profile's own. */
	readonly model?: string;
	/** The server's words, untrusted. */
	readonly system?: string;
	readonly messages: ReadonlyArray<{readonly role: 'user' | 'assistant'; readonly text: string}>;
	readonly maxTokens: number;
	readonly temperature?: number;
	readonly stopSequences?: readonly string[];
	/** Aborts at the policy's timeout, and when the server cancels or is gone. */
	readonly signal: AbortSignal;
};

/** Asks our model. Rejects when it fails; the server reads one redacted sentence. */
export type Sample = (
	request: SampleRequest,
) => Promise<{readonly text: string; readonly model: string; readonly stopReason?: string}>;

export type HandlerDependencies = {
	readonly server: ToolServerConfig;
	readonly profile: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly redact: Redact;
	readonly calls: CallsUnderWay;
	readonly elicit: Elicit;
	/** Absent: no server may ask. */
	readonly sample?: Sample | undefined;
};

/** What we answer to a server's own requests. */
export type ClientHandlers = {
	/** To be declared by the client. */
	readonly capabilities: ClientCapabilities;
	/** Before `client.connect()`. */
	register(client: Client): void;
};

/** What a client of `server` declares; part of what a cached list of tools depends on. Roots are never declared. */
export function clientCapabilities(
	_server: ToolServerConfig,
	_options: {readonly canSample: boolean},
): ClientCapabilities {
	throw new Error('not written yet');
}

/** One set for each connection. */
export function createClientHandlers(_dependencies: HandlerDependencies): ClientHandlers {
	throw new Error('not written yet');
}
