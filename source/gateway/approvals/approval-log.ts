import {userInfo} from 'node:os';
import {dirname, join} from 'node:path';
import type {Approvals, CallToApprove} from '../../approvals/approvals.ts';
import type {HomePaths, Config} from '../../config/config.ts';
import type {Approval} from '../../core/approval.ts';
import {jsonHash, jsonLine, type JsonObject} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import {createLineFile} from '../../core/own-files.ts';
import type {Redact} from '../../core/redact.ts';
import {toolPlace, type Tool, type Verdict} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {logBounds} from '../logs/open-log.ts';

/** `logs/approvals.jsonl` (0600): one JSON object per decision. Holds neither arguments nor the content of forms. @see manual/approvals.md */
export function createApprovalLog({gatewayLog}: Pick<HomePaths, 'gatewayLog'>, redact: Redact) {
	const file = createLineFile(join(dirname(gatewayLog), 'approvals.jsonl'), {
		...logBounds,
		describeLost: lost => jsonLine({lost}),
	});
	return {
		/** Logs one decision. `approval` still has its arguments; only their hash is logged. */
		write(approval: Approval) {
			file.write(jsonLine(entryOf(approval, text => escapeLine(redact(text)))));
		},
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}

/** Members that are `undefined` are dropped by the conversion to JSON. */
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

const faces: ReadonlySet<string> = new Set(['tui', 'cli']);

/** Matches names of terminals; nothing else that a face sends is recorded. */
const terminalPattern = /\b(?:pts\/|ttys?)\d{1,6}\b/;

/**
 * The recorded name of who answered: `cli (alice)`, `tui (alice, pts/3)`. The user is that of this process: no other user can open the control socket. Of `face`, the
 * face's own description, only its kind and its terminal are kept.
 */
export function faceName(face: string): string {
	const kind = /^[a-z]+/.exec(face)?.[0] ?? '';
	const terminal = terminalPattern.exec(face)?.[0];
	const where = terminal === undefined ? '' : `, ${terminal}`;
	return `${faces.has(kind) ? kind : 'api'} (${userName()}${where})`;
}

/** A user without an entry in the system's user database is named by number. */
const userName = (): string =>
	orElse(() => userInfo().username, String(process.getuid?.() ?? 'unknown'));

/** Time limit of tools that belong to no server with one of its own. */
const usualTimeoutMs = 300_000;

/** Asks `approvals` about a call of `tool`; a tool that does not describe what is asked is denied. Never rejects. */
export async function askForCall(
	{asked}: Pick<Tool, 'asked'>,
	call: Omit<CallToApprove, 'tool' | 'toolTimeoutMs'>,
	{
		approvals,
		toolServers,
	}: {readonly approvals: Pick<Approvals, 'request'>} & Pick<Config, 'toolServers'>,
): Promise<Verdict> {
	return asked
		? approvals.request({
				...call,
				tool: asked,
				toolTimeoutMs:
					toolServers.get(toolPlace(asked.from).server ?? '')?.timeoutMs ?? usualTimeoutMs,
			})
		: {allowed: false, reason: 'it needs an approval, and does not say for what'};
}
