import type {KeyFacts} from '../core/api-key.ts';
import type {
	AnswerOutcome,
	Approval,
	ApprovalAnswer,
	ShownTool,
	ToolApproval,
} from '../core/approval.ts';
import {SvcError} from '../core/errors.ts';
import {jsonHash, type JsonObject} from '../core/json.ts';
import {ApiError, badRequest, endpointDenied} from './http/api-error.ts';
import {endpoint, type Endpoint} from './http/endpoint.ts';

/** The part of the queue of requests that keys may see and answer. */
export type ApprovalDesk = {
	waiting(): readonly Approval[];
	/** @throws SvcError `approval_invalid`, `journal_unavailable` */
	settle(id: number, answer: ApprovalAnswer, by: string): Promise<AnswerOutcome>;
};

/** Larger arguments are not shown, and a call that is not shown completely cannot be allowed. */
const maxShownBytes = 65_536;

const maxReasonLength = 1000;

type Decision =
	| {readonly id: number; readonly decision: 'allow'; readonly digest: string}
	| {readonly id: number; readonly decision: 'deny'; readonly reason?: string};

/** `GET /v1/approvals` and `POST /v1/approvals/{id}`, for keys of that scope. @see manual/approvals.md#through-the-chat-api */
export const approvalEndpoints = (desk: ApprovalDesk): readonly Endpoint[] => [
	endpoint({
		method: 'GET',
		path: '/v1/approvals',
		scope: 'approvals',
		prepare: () => undefined,
		permit: refuseTests,
		serve: async () => ({json: {object: 'list', data: callsOf(desk).map(entryOf)}}),
	}),
	endpoint<Decision>({
		method: 'POST',
		path: '/v1/approvals/{id}',
		scope: 'approvals',
		prepare: ({rest, body}) => readDecision(rest, body),
		permit: refuseTests,
		async serve(asked, {key}) {
			const approval = callsOf(desk).find(({id}) => id === asked.id);
			if (!approval) {
				throw notWaiting(asked.id);
			}

			const answer = answerOf(asked, approval);
			try {
				const {settled} = await desk.settle(asked.id, answer, `API key "${key.name}"`);
				if (!settled) {
					throw notWaiting(asked.id);
				}
			} catch (error) {
				throw error instanceof SvcError && error.code === 'approval_invalid'
					? conflict(error.message, 'approval_invalid')
					: error;
			}

			return {json: {id: String(asked.id), decision: asked.decision}};
		},
	}),
];

/** Approving lets a call happen, but a test key must not change anything. @throws ApiError 403 */
function refuseTests(_: unknown, {kind}: KeyFacts): void {
	if (kind === 'test') {
		throw endpointDenied('approvals', 'a key for tests neither sees nor answers approvals');
	}
}

/** Only calls: forms are filled in where a person can read them. */
const callsOf = (desk: ApprovalDesk): readonly ToolApproval[] =>
	desk.waiting().filter(approval => approval.kind === 'tool');

const isShownWhole = ({argsBytes}: ToolApproval): boolean => argsBytes <= maxShownBytes;

/** Hash of a listed call with its arguments. */
export const digestOf = ({tool, args}: Pick<ToolApproval, 'tool' | 'args'>): string =>
	jsonHash({...serverOf(tool), tool: tool.tool, arguments: args});

const serverOf = ({server}: ShownTool): {readonly server?: string} =>
	server === undefined ? {} : {server};

const entryOf = (approval: ToolApproval): JsonObject => ({
	id: String(approval.id),
	tool: approval.tool.tool,
	...serverOf(approval.tool),
	arguments: isShownWhole(approval) ? approval.args : null,
	arguments_digest: isShownWhole(approval) ? digestOf(approval) : null,
	run: approval.run ?? null,
	deadline: new Date(approval.deadline).toISOString(),
});

const lack = (value: unknown, code: string): string =>
	value === undefined ? 'missing_required_parameter' : code;

function readDecision(rest: string, body: JsonObject): Decision {
	const id = /^[1-9]\d{0,14}$/.test(rest) ? Number(rest) : 0;
	const {decision, reason, arguments_digest: digest} = body;
	if (decision !== 'allow' && decision !== 'deny') {
		const text = 'Cannot read the request: "decision" must be "allow" or "deny"';
		throw badRequest(text, lack(decision, 'unsupported_value'), 'decision');
	}

	if (decision === 'allow') {
		if (typeof digest !== 'string') {
			const text =
				'Cannot read the request: to allow a call, "arguments_digest" must be what GET /v1/approvals said of it';
			throw badRequest(text, lack(digest, 'invalid_type'), 'arguments_digest');
		}

		return {id, decision, digest};
	}

	if (reason !== undefined && reason !== null && typeof reason !== 'string') {
		throw badRequest('Cannot read the request: "reason" must be a text', 'invalid_type', 'reason');
	}

	return {id, decision, ...(reason && {reason: reason.slice(0, maxReasonLength).toWellFormed()})};
}

/** Allows only this call. A client that sends its digest has read the tool's name and arguments. */
function answerOf(asked: Decision, approval: ToolApproval): ApprovalAnswer {
	if (asked.decision === 'deny') {
		return {choice: 'deny', ...(asked.reason !== undefined && {reason: asked.reason})};
	}

	if (!isShownWhole(approval)) {
		throw conflict(
			`Cannot allow approval ${approval.id}: its arguments are larger than what is listed; allow it in the terminal, or deny it`,
			'arguments_not_shown',
		);
	}

	if (asked.digest !== digestOf(approval)) {
		throw conflict(
			`Cannot allow approval ${approval.id}: "arguments_digest" is of other arguments`,
			'arguments_digest_mismatch',
		);
	}

	return {choice: 'allow', scope: 'once', typedName: approval.tool.tool};
}

const notWaiting = (id: number): ApiError =>
	new ApiError(404, {
		message: `Cannot answer approval ${id}: nothing of that number waits; it was answered, withdrawn, or never there`,
		code: 'approval_not_found',
	});

const conflict = (message: string, code: string): ApiError => new ApiError(409, {message, code});
