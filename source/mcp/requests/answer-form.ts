import type {ElicitRequestParams, ElicitResult} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {contentProblem} from '../../core/approvals/content-problem.ts';
import {messageOf} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import {endpointName} from '../catalogue/ask-about.ts';
import {type CallsUnderWay, runIdOf} from '../connection/calls-under-way.ts';
import type {Elicit} from '../contract.ts';
import {formFields} from './form-fields.ts';
import {createRefusalLog, createRequestWindow, type RequestWindow} from './request-limits.ts';

/** Questions of one connection that may wait at the same time. */
const maxQuestions = 5;

/** Questions of one server in a minute, answered or not: each is written down, and rings for a person. */
const maxInMinute = 20;

export type FormHandlerDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	readonly server: ToolServerConfig;
	readonly profile: string;
	readonly calls: CallsUnderWay;
	readonly elicit: Elicit;
	/** When the server asked a person before; absent: over this connection alone. */
	readonly formWindow?: RequestWindow;
};

/**
 * Answers forms through `elicit`, URLs with `decline`. What a person fills in is compared with the form before it is sent; every way out that is no answer is
 * `cancel`. Never rejects.
 *
 * @see manual/tool-servers.md#settings, manual/approvals.md#forms
 */
export function createFormHandler({
	server,
	profile,
	clock,
	log,
	redact,
	calls,
	elicit,
	formWindow: times = createRequestWindow(clock),
}: FormHandlerDependencies) {
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
		// The time of the call that asks does not pass meanwhile.
		const pause = calls.pause();
		try {
			// The approvals end it in time: a person may ask for more of that.
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

/** What `contentProblem` let through, in the words of the protocol. */
const contentOf = (content: JsonObject): Content =>
	Object.fromEntries(
		Object.entries(content).flatMap(([key, value]) => {
			const sent = Array.isArray(value) ? value.map(String) : value;
			return typeof sent === 'object' && !Array.isArray(sent) ? [] : [[key, sent] as const];
		}),
	);
