import {z} from 'zod';
import {
	answerOutcomeSchema,
	approvalAnswerSchema,
	approvalRuleSchema,
	approvalSchema,
} from '../../core/schemas/approval.ts';
import {text, yesOrNo} from '../../core/schemas/parts.ts';
import {get, post, type Operations} from './operation.ts';
import {choiceParameter, limitParameter, numberOf, textParameter} from './parameters.ts';

const params = {id: numberOf('approval')};

/** Calls and forms that wait for a person, and the standing rules. A process that may open the socket may answer: its mode is 0600. */
export const approvals = {
	/** Waiting requests, oldest first; or settled ones, newest first. */
	listApprovals: get(
		'/v1/approvals',
		'Lists waiting requests, oldest first; or settled ones, newest first.',
		{
			query: {
				state: choiceParameter('"waiting" (when absent) or "settled".', {
					listed: 'approvals',
					values: ['waiting', 'settled'],
					absent: 'waiting',
				}),
				profile: textParameter('Only those of this profile.'),
				limit: limitParameter(),
			},
			result: z.array(approvalSchema),
		},
	),
	/** `undefined` when there is no such request; the newest 5,000 settled ones are kept. */
	getApproval: get('/v1/approvals/{id}', 'One request, waiting or settled.', {
		params,
		result: approvalSchema.optional(),
	}),
	/**
	 * Answers a waiting request. The first answer wins. `by` names the face.
	 * @throws SvcError `approval_invalid` for an answer that the request does not accept: a scope that is not offered, a wrong name, a form that is not filled in
	 */
	settleApproval: post(
		'/v1/approvals/{id}/settle',
		'Answers a waiting request; the first answer wins. Body: {"answer": {"choice": "allow", "scope": "once"} | {"choice": "deny"} | {"choice": "submit", "content": {…}}, "by": "tui" | "cli"}.',
		{
			params,
			body: z.strictObject({answer: approvalAnswerSchema, by: text.min(1).max(200)}),
			result: answerOutcomeSchema,
		},
	),
	/** Moves the deadline by five minutes, at most to the end of the run; `undefined` when the request is not waiting. */
	extendApproval: post(
		'/v1/approvals/{id}/extend',
		'Moves the deadline by five minutes, but not beyond the time limit of the run; 404 when the request does not wait.',
		{params, result: approvalSchema.optional()},
	),
	listApprovalRules: get('/v1/approval-rules', 'The standing rules in force, oldest first.', {
		result: z.array(approvalRuleSchema),
	}),
	/**
	 * `undefined` when there is no such rule.
	 * @throws SvcError `approval_invalid` when the tool's present definition is another, and for a rule whose definition cannot be changed
	 */
	acceptApprovalRule: post(
		'/v1/approval-rules/{id}/accept',
		'Accepts the present definition of the tool for a rule of config.yaml. Body: {"definition": "<sha256>"}.',
		{
			params: {id: numberOf('rule')},
			body: z.strictObject({definition: text.length(64)}),
			result: approvalRuleSchema.optional(),
		},
	),
	/** `false` when there is no such rule. @throws SvcError `approval_invalid` for a rule of config.yaml */
	revokeApprovalRule: post(
		'/v1/approval-rules/{id}/revoke',
		'Ends a rule; answers whether there was one.',
		{params: {id: numberOf('rule')}, result: yesOrNo},
	),
} as const satisfies Operations;
