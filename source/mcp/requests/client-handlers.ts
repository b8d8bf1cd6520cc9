import type {ClientCapabilities} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ClientSide} from '../connection/open-connection.ts';
import {createFormHandler, type FormHandlerDependencies} from './answer-form.ts';
import {createSamplingHandler, type SamplingHandlerDependencies} from './answer-sampling.ts';

/** What is needed to answer whatever a server may ask. */
export type HandlerDependencies = FormHandlerDependencies & SamplingHandlerDependencies;

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

/** One set for each connection. @see manual/tool-servers.md#settings, manual/tool-servers.md#states */
export function createClientHandlers(
	dependencies: HandlerDependencies,
): Pick<ClientSide, 'capabilities' | 'register'> {
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
