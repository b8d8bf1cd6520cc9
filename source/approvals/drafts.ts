import type {FormApproval, ToolApproval} from '../core/approval.ts';
import type {LastAllowed} from '../core/approvals/why-not-covered.ts';
import {originFacts} from '../core/origin.ts';
import {type AskedTool, shownTool} from '../core/tool.ts';
import type {AskingRun, CallToApprove, FormToFill} from './approvals.ts';
import {type Deadlines, type Terms, approvalTerms} from './terms.ts';

type Times = Deadlines & {readonly requestedAt: number};

/** The request for a call as a person is shown it. `last`: what was allowed before of the same tool. */
export function callDraft(
	call: CallToApprove & {readonly argsBytes: number},
	times: Times,
	last: LastAllowed | undefined,
): Omit<ToolApproval, 'id'> {
	return {
		...undecided(call, times, approvalTerms(call.tool, call.run, last)),
		...(last?.args !== undefined && {lastArgs: last.args}),
	};
}

/** A call that is decided without a person, as histories have it. */
export const unaskedCall = (
	call: CallToApprove & {readonly argsBytes: number},
	times: Times,
): Omit<ToolApproval, 'id'> =>
	undecided(call, times, {scopes: ['once'], mustTypeName: false, changed: call.tool.changed});

const undecided = (
	{tool, args, argsBytes, preview, run, said}: CallToApprove & {readonly argsBytes: number},
	times: Times,
	{scopes, mustTypeName, changed, lasting}: Terms,
): Omit<ToolApproval, 'id'> => ({
	kind: 'tool',
	profile: tool.profile,
	...asker(run),
	...times,
	...(said !== undefined && said !== '' && {said: beginningOf(said)}),
	tool: shownTool(changed ? {...tool, changed} : unchanged(tool)),
	args,
	argsBytes,
	...(preview && {preview}),
	scopes,
	mustTypeName,
	...(lasting && {lasting}),
});

function unchanged(tool: AskedTool): AskedTool {
	const {changes: _, ...rest} = tool;
	return {...rest, changed: false};
}

/** The request for a form. What a masked field holds at first is not shown. */
export const formDraft = (form: FormToFill, times: Times): Omit<FormApproval, 'id'> => ({
	kind: 'form',
	profile: form.profile,
	...asker(form.run),
	...times,
	server: form.server,
	host: form.host,
	message: form.message,
	fields: form.fields.map(field => {
		const {initial: _, ...rest} = field;
		return field.masked ? rest : field;
	}),
});

const asker = (run: AskingRun | undefined) =>
	run && {
		run: run.id,
		...originFacts(run.origin),
		...(run.prompt !== undefined && {prompt: beginningOf(run.prompt)}),
	};

const maxContextLength = 600;

/** Without half a character at its end. */
const beginningOf = (text: string): string => text.slice(0, maxContextLength).toWellFormed();
