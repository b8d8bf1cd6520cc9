import type {Client, ClientCapabilities} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {Logger} from '../../core/log.ts';
import type {Redact} from '../../core/redact.ts';
import type {Sampled, SampleRequest} from '../../core/sample.ts';
import type {Elicit} from '../manager.ts';
import {createFormHandler} from './answer-form.ts';
import {createSamplingHandler} from './answer-sampling.ts';
import type {CallsUnderWay} from './calls-under-way.ts';
import type {RequestWindow} from './request-window.ts';

/** Asks our model: `model` when there is one, else the profile's own. Rejects when it fails; the server reads one redacted sentence. */
export type Sample = (
	request: SampleRequest & {
		readonly profile: string;
		/** The run whose call made the server ask. */
		readonly runId?: number;
	},
) => Promise<Sampled>;

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
	/** Of the server; absent: of this connection alone. */
	readonly samplingWindow?: RequestWindow;
	/** When the server asked a person before. */
	readonly formWindow?: RequestWindow;
};

/** What we answer to a server's own requests. */
export type ClientHandlers = {
	/** To be declared by the client. */
	readonly capabilities: ClientCapabilities;
	/** Before `client.connect()`. */
	register(client: Client): void;
};

/**
 * What a client of `server` declares; part of what a cached list of tools depends on. Forms and URLs when elicitation is enabled (URLs are declared to be
 * declined, not to fail); sampling when the policy allows it and there is a model. Roots never: a server has no business in our folders.
 */
export const clientCapabilities = (
	server: ToolServerConfig,
	{canSample}: {readonly canSample: boolean},
): ClientCapabilities => ({
	...(server.elicitation.enabled ? {elicitation: {form: {}, url: {}}} : {}),
	...(server.sampling.enabled && canSample ? {sampling: {}} : {}),
});

/** One set for each connection. @see Interface 2.12 `elicitation`, Decisions 6 */
export function createClientHandlers(dependencies: HandlerDependencies): ClientHandlers {
	const {server, sample} = dependencies;
	const capabilities = clientCapabilities(server, {canSample: sample !== undefined});
	const elicit = createFormHandler(dependencies);
	const createMessage = createSamplingHandler(dependencies);
	return {
		capabilities,
		register(client) {
			if (capabilities.elicitation) {
				client.setRequestHandler('elicitation/create', async ({params}, {mcpReq}) =>
					elicit(params, mcpReq.signal),
				);
			}

			if (capabilities.sampling) {
				client.setRequestHandler('sampling/createMessage', async ({params}, {mcpReq}) =>
					createMessage(params, mcpReq.signal),
				);
			}
		},
	};
}
