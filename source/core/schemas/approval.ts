import {z} from 'zod';
import {approvalOutcomes, approvalScopes, ruleOwnerKinds} from '../approval.ts';
import {
	facts,
	integer,
	json,
	jsonObject,
	maybe,
	maybeInteger,
	maybeNumber,
	maybeText,
	maybeTexts,
	number,
	text,
	yesOrNo,
} from './parts.ts';
import {originShape} from './run.ts';

const scope = z.enum(approvalScopes);

export const toolClaimsSchema = facts({
	readOnly: maybe,
	destructive: maybe,
	idempotent: maybe,
	openWorld: maybe,
});

/** A tool of a server has `server`, `transport`, `host`, `endpoint` and `trust`; a built-in one has none of them. */
export const askedToolSchema = facts({
	server: maybeText,
	profile: text,
	/** The name that the server uses; compare it raw, show it cleaned. */
	tool: text,
	/** The name that the model uses: `mcp__github__create_issue`. */
	name: text,
	transport: z.enum(['stdio', 'http', 'sse']).exactOptional(),
	/** Host of the server, or the name of its program. */
	host: maybeText,
	/** Lower-case hex SHA-256 of where the server is, as it is written: its command with its arguments, or its URL. Another one is another server, whatever its name. */
	endpoint: maybeText,
	trust: z.enum(['full', 'untrusted']).exactOptional(),
	claims: toolClaimsSchema,
	/** First 4,000 characters of what the server says of it. */
	description: text,
	/** At most 16 KiB of it as JSON; `null` when it is larger. */
	inputSchema: json,
	/** Lower-case hex SHA-256 of the canonical JSON of name, title, description, schemas and annotations. */
	definition: text,
	/** Why svc asks, beside what the tool is: `no sandbox works here: …`; one line. */
	why: maybeText,
	/** The definition is not the one that was approved, or seen, before. */
	changed: yesOrNo,
	/** What makes this definition of the one before, for `changed`: lines as in `diff -u`, cleaned, at most 121. Absent where that one was not kept, or is too large. */
	changes: maybeTexts,
});

export const formFieldSchema = facts({
	key: text,
	title: text,
	description: text,
	kind: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
	required: yesOrNo,
	initial: json.exactOptional(),
	/** For `choice` and `choices`: values with what a person reads. */
	options: z.array(facts({value: text, title: text})).exactOptional(),
	/** `email`, `uri`, `date` or `date-time`. */
	format: maybeText,
	/** Bounds of the number, of the length of the text, or of how many are chosen. */
	least: maybeNumber,
	most: maybeNumber,
	/** The key or the title sounds like a secret: shown masked, never copied, never kept. */
	masked: yesOrNo,
});

export const approvalDecisionSchema = facts({
	outcome: z.enum(approvalOutcomes),
	/** Milliseconds since 1970. */
	at: number,
	/** Who: `tui (alice, pts/3)`, `cli (alice)`, `rule 4`, `deadline`, `gateway`. */
	by: text,
	/** For `allowed`. */
	scope: scope.exactOptional(),
	/** The rule that allowed, or that this decision made. */
	rule: maybeInteger,
	/** What the agent is told, for what is not allowed. */
	reason: maybeText,
});

/** Whose runs a rule is for. A job by its identifier; `id` is absent where somebody wrote its name into `config.yaml`. A chat by its name: `telegram:12345`. */
export const ruleOwnerSchema = facts({kind: z.enum(ruleOwnerKinds), name: text, id: maybeText});

/** One argument that a rule compares; all others may be anything. */
export const ruleKeySchema = facts({
	/** A dotted path into the arguments; where it leads through a list, or to one, every element counts. */
	key: text,
	/** The value that it must have. */
	equals: json.exactOptional(),
	/** Or the folder that it must name something below of: absolute, without a slash at its end. */
	below: maybeText,
	/** Where that folder led to when the rule was made. */
	real: maybeText,
});

const asked = {
	/** Counts up for good, also over restarts. */
	id: integer,
	/** The run that waits; absent when a person tries a tool. */
	run: maybeInteger,
	route: maybeText,
	/** `Delivery.id` that the run came from. */
	delivery: maybeText,
	...originShape,
	/** First 600 characters of what the run was asked to do. Holds strangers' words. */
	prompt: maybeText,
	profile: text,
	/** Milliseconds since 1970. */
	requestedAt: number,
	/** When it is denied by itself, milliseconds since 1970. */
	deadline: number,
	/** The deadline cannot be moved beyond this. */
	latestDeadline: number,
	/** What the gateway is called that asks, where that is another one on the same store. */
	node: maybeText,
	/** Absent while it waits. */
	decision: approvalDecisionSchema.exactOptional(),
};

/** Texts are those of the arguments and of files: not cleaned. */
export const callPreviewSchema = facts({
	/** What is told beside them: the file, the folder, a time limit. */
	facts: z.array(facts({name: text, value: text})),
	/** `command` for its lines, `change` for lines as in `diff -u`. */
	title: z.enum(['command', 'change']),
	/** All of it, at most 2,000 lines and 60,000 characters; absent where it is more: then the arguments say it. */
	lines: maybeTexts,
});

export const toolApprovalSchema = facts({
	...asked,
	kind: z.literal('tool'),
	tool: askedToolSchema,
	/** First 600 characters of what the model said right before it asked for the call. */
	said: maybeText,
	/** What the call would be made with; never altered. `null` in histories when it was larger than 64 KiB. */
	args: json,
	/** Size of the arguments as JSON in UTF-8. */
	argsBytes: integer,
	/** What svc tells of what the call would do; of tools of its own. */
	preview: callPreviewSchema.exactOptional(),
	/** Arguments of the last call of this tool that was allowed. */
	lastArgs: json.exactOptional(),
	/** The scopes that may be chosen; `once` is always one of them. */
	scopes: z.array(scope),
	/** The tool's name must be typed once: it claims to destroy, is used for the first time, or changed. */
	mustTypeName: yesOrNo,
	/** Whose runs a rule of scope `always` is for; absent: the rule is for every run of the profile, or there can be none. */
	lasting: facts({
		owner: ruleOwnerSchema,
		/** The tool may destroy: its name is typed, and the rule covers exact arguments, or some under their keys. */
		isBound: yesOrNo,
	}).exactOptional(),
});

export const formApprovalSchema = facts({
	...asked,
	kind: z.literal('form'),
	server: text,
	host: text,
	/** What the server says above the form, cleaned. */
	message: text,
	fields: z.array(formFieldSchema),
});

export const approvalSchema = z
	.discriminatedUnion('kind', [toolApprovalSchema, formApprovalSchema])
	.register(z.globalRegistry, {id: 'Approval'});

export const approvalAnswerSchema = z.discriminatedUnion('choice', [
	z.strictObject({
		choice: z.literal('allow'),
		scope,
		/** Which arguments a rule covers: any, exactly these, or those that are equal under these top-level keys. Any when absent. */
		args: z.union([z.enum(['any', 'exact']), z.array(text)]).exactOptional(),
		/** The arguments that a rule of scope `always` compares instead, by dotted paths: the value, or a folder, `~/notes/`, that a path must be below of. */
		when: jsonObject.exactOptional(),
		/** What was typed, where `mustTypeName`. */
		typedName: maybeText,
	}),
	z.strictObject({choice: z.literal('deny'), reason: maybeText}),
	/** Fills in a form. */
	z.strictObject({choice: z.literal('submit'), content: jsonObject}),
]);

export const answerOutcomeSchema = z.discriminatedUnion('settled', [
	facts({settled: z.literal(true), approval: approvalSchema}),
	/** Somebody, or the deadline, was first: how it was settled; or there is no such request. */
	facts({settled: z.literal(false), approval: approvalSchema.exactOptional()}),
]);

export const approvalRuleSchema = facts({
	id: integer,
	profile: text,
	/** Absent for a built-in tool, as `endpoint` is. */
	server: maybeText,
	tool: text,
	/** See `ShownTool.endpoint`. */
	endpoint: maybeText,
	/** See `ShownTool.definition`. */
	definition: text,
	scope: z.enum(['run', 'process', 'always']),
	/** For `run`. */
	run: maybeInteger,
	/** Absent: any arguments. Hash of all of them, or of the values under `keys`. */
	args: facts({
		keys: maybeTexts,
		hash: text,
		/** The values, of at most 4 KiB as JSON. */
		shown: json.exactOptional(),
	}).exactOptional(),
	/** What else the arguments must be like: all of these. */
	when: z.array(ruleKeySchema).exactOptional(),
	/** Absent: every run of the profile. */
	owner: ruleOwnerSchema.exactOptional(),
	/** It stands in a file; until its tool is seen, `server`, `tool`, `endpoint` and `definition` are empty. */
	file: facts({
		/** `ShownTool.name`, as it is written. */
		name: text,
		/** Which entry it is: another text makes another one. */
		entry: text,
		/** For people: `config.yaml:12`. */
		place: text,
	}).exactOptional(),
	createdAt: number,
	createdBy: text,
	/** Milliseconds since 1970; for `always`. */
	expiresAt: maybeNumber,
	/** How often it has allowed, and when it did last. */
	uses: integer,
	usedAt: maybeNumber,
	/** Why it allows nothing now; one sentence. */
	problem: maybeText,
	/** The definition that its tool has now, where that is another one: what can be accepted. */
	present: maybeText,
}).register(z.globalRegistry, {id: 'ApprovalRule'});
