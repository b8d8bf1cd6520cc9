import type {ElicitRequestParams, ElicitResult} from '@modelcontextprotocol/client';
import {contentProblem} from '../../core/approvals/content-problem.ts';
import {messageOf} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import {block, cell} from '../../core/untrusted.ts';
import {hostOf} from './ask-about.ts';
import {runOf} from './calls-under-way.ts';
import type {HandlerDependencies} from './client-handlers.ts';
import {formFields} from './form-fields.ts';

/** Questions of one connection that may wait at the same time. */
const mostQuestions = 5;

/**
 * Answers forms through `elicit`, URLs with `decline`. What a person fills in is compared with the form before it is sent; every way out that is no answer is
 * `cancel`. Never rejects.
 *
 * @see Interface 2.12 `elicitation`, Decisions 6
 */
export function createFormHandler({
	server,
	profile,
	log,
	redact,
	calls,
	elicit,
}: HandlerDependencies) {
	const fact = {server: server.name};
	let waiting = 0;

	const ask = async (
		{message, requestedSchema}: {message: string; requestedSchema: unknown},
		signal: AbortSignal,
	): Promise<ElicitResult> => {
		const fields = formFields(requestedSchema);
		if (!fields || waiting >= mostQuestions) {
			const reason = fields ? `${waiting} of its forms wait already` : 'it cannot be shown';
			log.warn(`A form is not asked for: ${reason}`, fact);
			return {action: 'cancel'};
		}

		waiting += 1;
		// The time of the call that asks does not pass meanwhile.
		const pause = calls.pause();
		try {
			// Whoever shows it ends it in time: a person may ask for more of that.
			const answer = await elicit({
				server: server.name,
				host: hostOf(server),
				profile,
				message: block(redact(message), {maxLength: 4000, maxLines: 50}).text,
				fields,
				timeoutMs: server.elicitation.timeoutMs,
				...runOf(calls),
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
			log.info(`Declined to open a page: ${cell(host, 200).text}`, fact);
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
