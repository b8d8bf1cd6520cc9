import {dirname, join} from 'node:path';
import type {HomePaths} from '../../config/config.ts';
import type {Approval} from '../../core/approval.ts';
import {jsonHash, jsonLine, type JsonObject} from '../../core/json.ts';
import {createLineFile} from '../../core/line-file.ts';
import type {Redact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {logBounds} from '../logs/log-file.ts';

/** `logs/approvals.jsonl` (0600): one JSON object per decision. Holds neither arguments nor what a form was filled in with. @see manual/approvals.md */
export function createApprovalLog({gatewayLog}: Pick<HomePaths, 'gatewayLog'>, redact: Redact) {
	const file = createLineFile(join(dirname(gatewayLog), 'approvals.jsonl'), {
		...logBounds,
		describeLost: lost => jsonLine({lost}),
	});
	return {
		/** Writes down one decision. `approval` has its arguments still: their hash is kept, not they. */
		write(approval: Approval) {
			file.write(jsonLine(entryOf(approval, text => escapeLine(redact(text)))));
		},
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}

/** Absent values are left out when it becomes JSON. */
function entryOf(
	approval: Approval,
	clean: (text: string) => string,
): {readonly [key: string]: JsonObject[string] | undefined} {
	const {id, decision, requestedAt, profile, run, route, delivery} = approval;
	return {
		at: new Date(decision?.at ?? requestedAt).toISOString(),
		id,
		outcome: decision?.outcome,
		by: decision && clean(decision.by),
		scope: decision?.scope,
		rule: decision?.rule,
		reason: decision?.reason === undefined ? undefined : clean(decision.reason),
		requested_at: new Date(requestedAt).toISOString(),
		run,
		route: route === undefined ? undefined : clean(route),
		delivery,
		profile,
		...subjectOf(approval, clean),
	};
}

const subjectOf = (approval: Approval, clean: (text: string) => string) =>
	approval.kind === 'form'
		? {kind: 'form', server: clean(approval.server), fields: approval.fields.length}
		: {
				kind: 'tool',
				...(approval.tool.server !== undefined && {server: clean(approval.tool.server)}),
				tool: clean(approval.tool.tool),
				definition: approval.tool.definition,
				args_sha256: jsonHash(approval.args),
				args_bytes: approval.argsBytes,
			};
