import {z} from 'zod';
import {apiKeySchema} from '../../core/schemas/api-key.ts';
import {approvalRuleSchema, approvalSchema} from '../../core/schemas/approval.ts';
import {
	modelViewSchema,
	platformViewSchema,
	diagnosticSchema,
	routeViewSchema,
} from '../../core/schemas/config-view.ts';
import {deliverySchema} from '../../core/schemas/delivery.ts';
import {groupSchema} from '../../core/schemas/group.ts';
import {waitingInstallSchema} from '../../core/schemas/install.ts';
import {jobViewSchema} from '../../core/schemas/job.ts';
import {facts, integer, maybeText, number, text, yesOrNo} from '../../core/schemas/parts.ts';
import {runSchema, transcriptEntrySchema} from '../../core/schemas/run.ts';
import {serverViewSchema} from '../../core/schemas/tool-server.ts';

/** What the first message of the event stream holds, for the document: what reads the stream looks at its outlines only, for the sake of time. */
export const stateSchema = facts({
	gateway: facts({
		pid: integer,
		version: text,
		home: text,
		profile: text,
		startedAt: number,
		stopping: yesOrNo,
		reachable: yesOrNo,
	}),
	webhook: facts({state: z.enum(['starting', 'listening', 'refused', 'disabled', 'closed'])}),
	api: facts({
		state: z.enum(['starting', 'listening', 'refused', 'disabled', 'closed']),
	}).exactOptional(),
	/** Of the chat API. */
	keys: z.array(apiKeySchema).exactOptional(),
	routes: z.array(routeViewSchema),
	deliveries: z.array(facts({key: text, delivery: deliverySchema, count: integer})),
	groups: z.array(groupSchema),
	jobs: z.array(jobViewSchema),
	approvals: z.array(approvalSchema),
	settledApprovals: z.array(approvalSchema),
	approvalRules: z.array(approvalRuleSchema),
	installs: z.array(waitingInstallSchema).exactOptional(),
	servers: z.array(serverViewSchema),
	runs: z.array(runSchema),
	progress: z.record(text, z.array(transcriptEntrySchema)),
	/** What models are saying, by run. */
	said: z.record(text, facts({at: number, from: integer, text})).exactOptional(),
	logs: z.array(facts({at: number, level: text, message: text})),
	model: modelViewSchema.exactOptional(),
	modelProblem: maybeText,
	modelSilence: facts({since: number, reason: text}).exactOptional(),
	modelOffer: modelViewSchema.exactOptional(),
	platforms: z.array(platformViewSchema),
	problems: z.array(diagnosticSchema),
}).register(z.globalRegistry, {id: 'State'});

/** What each further message holds. What else an event has depends on its type. */
export const eventsSchema = z
	.array(facts({type: text, at: number}).register(z.globalRegistry, {id: 'Event'}))
	.register(z.globalRegistry, {id: 'Events'});
