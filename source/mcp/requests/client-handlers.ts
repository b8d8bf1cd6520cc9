import type {
	ClientCapabilities,
	CreateMessageRequestParams,
	CreateMessageResult,
	ElicitRequestParams,
	ElicitResult,
} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {contentProblem} from '../../core/approvals/content-problem.ts';
import {messageOf} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import {endpointName} from '../catalogue/ask-about.ts';
import {type CallsUnderWay, runIdOf} from '../connection/calls-under-way.ts';
import type {ClientSide} from '../connection/open-connection.ts';
import {withDeadline} from '../connection/with-deadline.ts';
import type {Elicit, Sample} from '../contract.ts';
import {formFields} from './form-fields.ts';
import {judgeSampling} from './judge-sampling.ts';
import {createRefusalLog, createRequestWindow, type RequestWindow} from './request-limits.ts';

/** What answering a server's requests needs. */
export type HandlerDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	readonly server: ToolServerConfig;
	readonly profile: string;
	readonly calls: CallsUnderWay;
	readonly elicit: Elicit;
	/** When the server asked a person earlier; absent: counted per connection. */
	readonly formWindow?: RequestWindow;
	/** Absent: servers may not ask a model. */
	readonly sample?: Sample | undefined;
	/** When the server asked a model earlier; absent: counted per connection. */
	readonly samplingWindow?: RequestWindow;
};

/**
 * The capabilities declared to `server`; part of the cache key of its tool list. Elicitation by form and URL if enabled (URLs are declared in order to decline
 * them properly); sampling if the policy allows it and there is a model. Never roots: a server has no business in our folders.
 */
export const clientCapabilities = (
	server: ToolServerConfig,
	{canSample}: {readonly canSample: boolean},
): ClientCapabilities => ({
	...(server.elicitation.enabled ? {elicitation: {form: {}, url: {}}} : {}),
	...(server.sampling.enabled && canSample ? {sampling: {}} : {}),
});

/** Creates the handlers of one connection. @see manual/tool-servers.md#settings, manual/tool-servers.md#states */
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

/** How many questions of one connection may wait at once. */
const maxQuestions = 5;

/** How many questions a server may ask per minute, answered or not: each is recorded, and notifies a person. */
const maxInMinute = 20;

/**
 * Answers forms through `elicit`, and URLs with `decline`. A person's input is validated against the form before it is sent; any ending without an answer is
 * `cancel`. Never rejects.
 *
 * @see manual/tool-servers.md#settings, manual/approvals.md#forms
 */
function createFormHandler({
	server,
	profile,
	clock,
	log,
	redact,
	calls,
	elicit,
	formWindow: times = createRequestWindow(clock),
}: HandlerDependencies) {
	const fact = {server: server.name};
	const tell = createRefusalLog({clock, log, server: server.name});
	const tellPage = createRefusalLog({clock, log, server: server.name});
	let waiting = 0;

	const ask = async (
		{message, requestedSchema}: {message: string; requestedSchema: unknown},
		signal: AbortSignal,
	): Promise<ElicitResult> => {
		if (waiting >= maxQuestions || times.recent().length >= maxInMinute) {
			const reason =
				waiting >= maxQuestions
					? `${waiting} of its forms wait already`
					: `more than ${maxInMinute} in a minute`;
			tell(`A form is not asked for: ${reason}`);
			return {action: 'cancel'};
		}

		const fields = formFields(requestedSchema);
		if (!fields) {
			tell('A form is not asked for: it cannot be shown');
			return {action: 'cancel'};
		}

		times.add();
		waiting += 1;
		// Pauses the time-out of the calls in progress.
		const pause = calls.pause();
		try {
			// Approvals have their own time limit, which a person may extend.
			const answer = await elicit({
				server: server.name,
				host: endpointName(server),
				profile,
				message: escapeBlock(redact(message), {maxLength: 4000, maxLines: 50}),
				fields,
				timeoutMs: server.elicitation.timeoutMs,
				...runIdOf(calls),
				signal,
			});
			if (answer.action !== 'accept') {
				return {action: answer.action};
			}

			const problem = contentProblem(fields, answer.content);
			if (problem !== undefined) {
				log.warn(`The answer to a form is not sent: ${problem}`, fact);
				return {action: 'cancel'};
			}

			return {action: 'accept', content: contentOf(answer.content)};
		} catch (error) {
			log.info(`A form has no answer: ${messageOf(error)}`, fact);
			return {action: 'cancel'};
		} finally {
			waiting -= 1;
			pause[Symbol.dispose]();
		}
	};

	return async (params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> => {
		if (params.mode === 'url') {
			const host = URL.canParse(params.url) ? new URL(params.url).host : 'no URL';
			tellPage(`Declined to open a page: ${escapeLine(host, 200)}`);
			return {action: 'decline'};
		}

		return ask(params, signal);
	};
}

type Content = NonNullable<ElicitResult['content']>;

/** Valid content (see `contentProblem`) in the protocol's type. */
const contentOf = (content: JsonObject): Content =>
	Object.fromEntries(
		Object.entries(content).flatMap(([key, value]) => {
			const sent = Array.isArray(value) ? value.map(String) : value;
			return typeof sent === 'object' && !Array.isArray(sent) ? [] : [[key, sent] as const];
		}),
	);

/** The protocol's code for a refusal by a person or a policy. */
const refusedCode = -1;

/** A refused request; the server reads the message. */
class Refusal extends Error {
	override readonly name = 'Refusal';
	readonly code = refusedCode;
}

/**
 * Asks a model for a server within the limits of its policy. Otherwise rejects with `Refusal`, whose message goes to the server.
 *
 * @see manual/tool-servers.md#bounds
 */
function createSamplingHandler({
	server,
	profile,
	clock,
	log,
	redact,
	calls,
	sample,
	samplingWindow: times = createRequestWindow(clock),
}: HandlerDependencies) {
	const {timeoutMs} = server.sampling;
	const tell = createRefusalLog({clock, log, server: server.name});

	return async (
		params: CreateMessageRequestParams,
		signal: AbortSignal,
	): Promise<CreateMessageResult> => {
		const verdict = judgeSampling(params, server.sampling, {
			recent: times.recent(),
			now: clock.monotonic(),
		});
		if (!verdict.allowed || !sample) {
			const reason = verdict.allowed ? 'there is no model' : verdict.reason;
			tell(`A sampling request is refused: ${reason}`);
			throw new Refusal(`Sampling was refused: ${reason}`);
		}

		times.add();
		const pause = calls.pause();
		try {
			const message = () => `no answer within ${timeoutMs / 1000} s`;
			const asked = {...verdict.sample, server: server.name, profile, ...runIdOf(calls)};
			const {text, model, stopReason} = await withDeadline(
				{clock, timeoutMs, signal, message},
				async limited => sample({...asked, signal: limited}),
			);
			return {
				role: 'assistant',
				content: {type: 'text', text: redact(text)},
				model,
				...(stopReason !== undefined && {stopReason}),
			};
		} catch (error) {
			throw new Refusal(`Sampling failed: ${escapeLine(redact(messageOf(error)), 300)}`);
		} finally {
			pause[Symbol.dispose]();
		}
	};
}
