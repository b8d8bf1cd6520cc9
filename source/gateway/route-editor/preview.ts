import {withHiddenSecrets} from '../../config/route-edit/kept-secrets.ts';
import type {StoredDelivery, TraceStep} from '../../core/delivery.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import type {RoutePreview} from '../../core/route-editor.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {eventOf} from '../../webhook/identity.ts';
import {parseBody} from '../../webhook/request-content.ts';
import {rawDump, renderTemplate} from '../../webhook/template.ts';
import {judgeEvent, type RouteJudgement, type SimulatedRoute} from '../simulate/judge.ts';

/** Maximum length of a shown prompt, UTF-16 units. */
const maxPromptLength = 64 * 1024;

/** What the settings of a route make of one delivery; the prompt is rendered even if the delivery does not pass. */
export function previewOf(
	stored: StoredDelivery,
	settings: SimulatedRoute,
): Omit<RoutePreview, 'notes'> {
	const {headers, body = new Uint8Array()} = stored;
	const judgement = judgeEvent(stored, settings);
	const decided = {
		fate: judgement.fate,
		why: judgement.why,
		trace: traceOf(judgement, settings),
		...(judgement.key !== undefined && {groupKey: escapeLine(judgement.key, 200)}),
	};
	const parsed = parseBody(Buffer.from(body), headers);
	if (!parsed.ok) {
		return decided;
	}

	const {payload} = parsed;
	const {route, compiled} = settings;
	const context = {payload, event: eventOf(route, {headers, payload}).name};
	const {text, unresolvedAt} = compiled.prompt
		? renderTemplate(compiled.prompt, context)
		: {text: rawDump(payload), unresolvedAt: []};
	const extra = withoutSecrets(compiled.renderExtra(context));
	return {
		...decided,
		prompt: text.slice(0, maxPromptLength).toWellFormed(),
		promptLength: text.length,
		unresolved: unresolvedAt.filter(({at}) => at < maxPromptLength),
		...(Object.keys(extra).length > 0 && {extra}),
	};
}

/** `deliver_extra` may contain tokens, or the route's secret that a draft put there. */
function withoutSecrets(extra: JsonObject): JsonObject {
	const entry = {deliver_extra: extra};
	const hidden = withHiddenSecrets(entry, entry);
	const shown = isJsonObject(hidden) ? hidden['deliver_extra'] : undefined;
	return isJsonObject(shown) ? shown : {};
}

const pass = (step: TraceStep['step'], detail: string): TraceStep => ({
	step,
	verdict: 'pass',
	detail,
});

/** The decision as steps of a trace, without the steps that were not reached. */
function traceOf(
	{fate, why, prompt = ''}: RouteJudgement,
	{route}: SimulatedRoute,
): readonly TraceStep[] {
	const stop = (step: TraceStep['step']): TraceStep => ({step, verdict: 'stop', detail: why});
	switch (fate) {
		case 'body':
			return [stop('body')];
		case 'ignored:event':
			return [pass('body', 'it can be read'), stop('event')];
		case 'ignored:filter':
			return [pass('body', 'it can be read'), pass('event', 'it is wanted'), stop('filter')];
		case 'accepted':
		case 'coalesced':
		case 'delivered':
		case 'duplicate':
			return [
				pass('body', 'it can be read'),
				pass('event', 'it is wanted'),
				pass('filter', route.filters.length === 0 ? 'there is none' : 'every one matches'),
				...(route.enabled
					? []
					: [
							{
								step: 'dispatch',
								verdict: 'stop',
								detail:
									'the route is paused: the event is answered 503 and kept; below is what it would become',
							} as const,
						]),
				...(route.script === undefined
					? []
					: [{step: 'script', verdict: 'skip', detail: 'it is not run here'} as const]),
				pass('prompt', `${prompt.length} characters`),
				...(route.enabled ? [pass('dispatch', why === '' ? fate : `${fate}, ${why}`)] : []),
			];
	}
}
