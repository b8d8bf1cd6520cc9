import type {Route} from '../config/route.ts';
import {type JsonValue, isJsonObject, parsedJson} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import {
	cleanDetail,
	note,
	stop,
	type DeliveryDraft,
	type ReceiverServices,
} from './receive-context.ts';
import {ignoredReply, refusals, type Reply} from './replies.ts';

/** The transformed payload, or the reply that ends the request. */
type Transformed = {readonly payload: JsonValue} | {readonly reply: Reply};

type ScriptStep = {
	readonly draft: DeliveryDraft;
	readonly route: Route;
	/** As written in the route. */
	readonly script: string;
	readonly payload: JsonValue;
	/** The JSON as received, which the script reads; `undefined` for the fields of a form. */
	readonly rawJson: Buffer | undefined;
};

/**
 * Runs the script of the route and applies the verdict.
 *
 * @see manual/filters-and-templates.md#scripts
 */
export async function transformPayload(
	{draft, route, script, payload, rawJson}: ScriptStep,
	{
		scripts,
		homeOf,
		log,
		stopping,
	}: Pick<ReceiverServices, 'homeOf' | 'scripts' | 'stopping'> & {readonly log: Logger},
): Promise<Transformed> {
	const exit = await scripts.run(
		{
			script,
			folder: homeOf(route.profile).scripts,
			timeoutMs: route.scriptTimeoutMs,
			input: rawJson ?? JSON.stringify(payload),
			// The cleaned name: an environment variable cannot hold every character.
			event: draft.event,
			deliveryId: draft.deliveryId,
		},
		stopping,
	);
	if (exit.kind === 'busy') {
		return {
			reply: stop(draft, refusals.scriptsBusy, {
				step: 'script',
				detail: 'too many scripts run and wait',
			}),
		};
	}

	const verdict = judgeScript(exit, payload);
	const detail = cleanDetail(draft, `${script} ${verdict.detail}`);
	switch (verdict.kind) {
		case 'replace':
			note(draft, 'script', {verdict: 'pass', detail});
			return {payload: verdict.payload};
		case 'ignore':
			return {reply: stop(draft, ignoredReply('script', draft), {step: 'script', detail})};
		case 'failed':
			log.warn(`Cannot use script of route "${route.name}": ${verdict.detail}`, {
				delivery: draft.id,
			});
			return {
				reply: stop(draft, failureReply(exit.kind === 'stopped', {draft, route}), {
					step: 'script',
					detail,
				}),
			};
	}
}

/** The reply after a failed script. If the gateway stopped the script, the sender should try again. */
function failureReply(
	stopped: boolean,
	{draft, route}: {readonly draft: DeliveryDraft; readonly route: Route},
): Reply {
	if (stopped) {
		return refusals.stopping;
	}

	return route.retryOnScriptFailure ? refusals.script : ignoredReply('script', draft);
}

/** The end of a script process. */
export type ScriptExit =
	| {
			readonly kind: 'exited';
			/** `null` when a signal ended it. */
			readonly code: number | null;
			readonly stdout: string;
			/** The last characters of its error output. */
			readonly stderr: string;
	  }
	/** Killed after it had run for `afterMs`; before that it was in the queue for `waitedMs`. */
	| {readonly kind: 'timeout'; readonly afterMs: number; readonly waitedMs: number}
	| {readonly kind: 'too-much-output'; readonly limitBytes: number}
	| {readonly kind: 'missing'}
	| {readonly kind: 'stopped'}
	| {readonly kind: 'not-started'; readonly reason: string};

/** `detail` may hold output of the script: clean it before it is shown. */
type ScriptVerdict =
	| {readonly kind: 'replace'; readonly payload: JsonValue; readonly detail: string}
	/** The output of the script asked to ignore the event. */
	| {readonly kind: 'ignore'; readonly detail: string}
	/** Answered like `ignore` unless the route has `retry_on_script_failure`. */
	| {readonly kind: 'failed'; readonly detail: string};

const ignore = (detail: string): ScriptVerdict => ({kind: 'ignore', detail});

const failed = (detail: string): ScriptVerdict => ({kind: 'failed', detail});

/**
 * The verdict of a script on its event. Pure.
 *
 * @see manual/filters-and-templates.md#scripts
 */
export function judgeScript(exit: ScriptExit, payload: JsonValue): ScriptVerdict {
	switch (exit.kind) {
		case 'missing':
			return failed('no such script in the scripts folder');
		case 'timeout':
			return failed(
				`killed after ${seconds(exit.afterMs)}${exit.waitedMs >= 1 ? ` (and ${seconds(exit.waitedMs)} in line)` : ''}`,
			);
		case 'too-much-output':
			return failed(`killed after ${exit.limitBytes} bytes of output`);
		case 'stopped':
			return failed('not finished because the gateway stops');
		case 'not-started':
			return failed(`did not start: ${exit.reason}`);
		case 'exited':
			return exit.code === 0
				? judgeOutput(exit.stdout.trim(), payload)
				: failed(
						`${exit.code === null ? 'ended by a signal' : `exit code ${exit.code}`}${exit.stderr === '' ? '' : `: ${exit.stderr.trim()}`}`,
					);
	}
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

function judgeOutput(output: string, payload: JsonValue): ScriptVerdict {
	if (output === '') {
		return ignore('printed nothing');
	}

	if (output === '[SILENT]') {
		return ignore('printed [SILENT]');
	}

	const parsed = parsedJson(output);
	if (parsed === undefined) {
		return {
			kind: 'replace',
			payload: {...asObject(payload), script_output: output},
			detail: `added script_output, ${output.length} characters`,
		};
	}

	if (!isJsonObject(parsed)) {
		return failed('printed JSON that is no object');
	}

	return Object.hasOwn(parsed, '__svc_ignore__') && parsed['__svc_ignore__'] === true
		? ignore('printed __svc_ignore__')
		: {kind: 'replace', payload: parsed, detail: 'replaced the payload'};
}

/** Makes room for `script_output`: a list or a scalar becomes the member `payload` of an object. */
const asObject = (payload: JsonValue) => (isJsonObject(payload) ? payload : {payload});
