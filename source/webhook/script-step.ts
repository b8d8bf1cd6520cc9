import type {Route} from '../config/route.ts';
import type {JsonValue} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import {cleanDetail, note, stop} from './delivery-draft.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import type {ReceiverServices} from './receiver-services.ts';
import {ignoredReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {judgeScript} from './script-verdict.ts';

/** The payload that goes on, or the answer that ends the request. */
export type Transformed = {readonly payload: JsonValue} | {readonly reply: Reply};

type ScriptStep = {
	readonly draft: DeliveryDraft;
	readonly route: Route;
	/** As written in the route. */
	readonly script: string;
	readonly payload: JsonValue;
	/** The payload as it came, which is what the script reads; `undefined` for the fields of a form. */
	readonly rawJson: Buffer | undefined;
};

/**
 * Runs the route's script and performs the verdict.
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

/** A script that we ended ourselves says nothing about its event: the sender may try again. */
function failureReply(
	stopped: boolean,
	{draft, route}: {readonly draft: DeliveryDraft; readonly route: Route},
): Reply {
	if (stopped) {
		return refusals.stopping;
	}

	return route.retryOnScriptFailure ? refusals.script : ignoredReply('script', draft);
}
