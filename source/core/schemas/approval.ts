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
	/** Lower-case hex SHA-256 of the command with its arguments, or of the URL, as written. With another hash it is another server, even under the same name. */
	endpoint: maybeText,
	trust: z.enum(['full', 'untrusted']).exactOptional(),
	claims: toolClaimsSchema,
	/** First 4,000 characters of the description by the server. */
	description: text,
	/** `null` if it has more than 16 KiB as JSON. */
	inputSchema: json,
	/** Lower-case hex SHA-256 of the canonical JSON of name, title, description, schemas and annotations. */
	definition: text,
	/** Why svc itself requires an approval: `no sandbox works here: …`; one line. */
	why: maybeText,
	/** Whether the definition differs from the one that was approved or seen before. */
	changed: yesOrNo,
	/** For `changed`: the difference from the former definition, as lines of `diff -u`, cleaned, at most 121. Absent if that definition was not kept or is too large. */
	changes: maybeTexts,
});

export const formFieldSchema = facts({
	key: text,
	title: text,
	description: text,
	kind: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
	required: yesOrNo,
	initial: json.exactOptional(),
	/** For `choice` and `choices`: values with their labels. */
	options: z.array(facts({value: text, title: text})).exactOptional(),
	/** `email`, `uri`, `date` or `date-time`. */
	format: maybeText,
	/** Bounds of the number, of the length of the text, or of the number of choices. */
	least: maybeNumber,
	most: maybeNumber,
	/** Whether the key or the title suggests a secret: the value is masked, never copied, never stored. */
	masked: yesOrNo,
});

export const approvalDecisionSchema = facts({
	outcome: z.enum(approvalOutcomes),
	/** Milliseconds since 1970. */
	at: number,
	/** Who decided: `tui (alice, pts/3)`, `cli (alice)`, `rule 4`, `deadline`, `gateway`. */
	by: text,
	/** For `allowed`. */
	scope: scope.exactOptional(),
	/** The rule that allowed the call, or that this decision created. */
	rule: maybeInteger,
	/** The reason given to the agent when the call is not allowed. */
	reason: maybeText,
});

/** The owner of the runs that a rule covers. A job is identified by `id`, or by `name` if `config.yaml` names it; a chat by its name `telegram:12345`. */
export const ruleOwnerSchema = facts({kind: z.enum(ruleOwnerKinds), name: text, id: maybeText});

/** One argument that a rule compares. Arguments that no rule key names may have any value. */
export const ruleKeySchema = facts({
	/** A dotted path into the arguments. Of a list on the path, or at its end, every element must match. */
	key: text,
	/** The value that the argument must have. */
	equals: json.exactOptional(),
	/** Or a folder that must contain the path in the argument; absolute, without a slash at its end. */
	below: maybeText,
	/** The real path of that folder when the rule was made. */
	real: maybeText,
});

const asked = {
	/** Never reused, not even after a restart. */
	id: integer,
	/** The waiting run; absent if a person tries out a tool. */
	run: maybeInteger,
	route: maybeText,
	/** `Delivery.id` of the event that started the run. */
	delivery: maybeText,
	...originShape,
	/** First 600 characters of the prompt. Holds untrusted text. */
	prompt: maybeText,
	profile: text,
	/** Milliseconds since 1970. */
	requestedAt: number,
	/** When it is denied automatically, milliseconds since 1970. */
	deadline: number,
	/** The deadline cannot be moved beyond this. */
	latestDeadline: number,
	/** Name of the gateway that runs the call, if it is another one on the same store. */
	node: maybeText,
	/** Absent while it waits. */
	decision: approvalDecisionSchema.exactOptional(),
};

/** Texts come from the arguments and from files: not cleaned. */
export const callPreviewSchema = facts({
	/** Further facts: the file, the folder, a time limit. */
	facts: z.array(facts({name: text, value: text})),
	/** `command` for its lines, `change` for lines as in `diff -u`. */
	title: z.enum(['command', 'change']),
	/** The whole command or change, at most 2,000 lines and 60,000 characters; absent if it is longer: faces then show the arguments. */
	lines: maybeTexts,
});

export const toolApprovalSchema = facts({
	...asked,
	kind: z.literal('tool'),
	tool: askedToolSchema,
	/** First 600 characters of the model's text right before the call. */
	said: maybeText,
	/** The arguments of the call; never altered. `null` in histories above 64 KiB. */
	args: json,
	/** Size of the arguments as JSON in UTF-8. */
	argsBytes: integer,
	/** The effect of the call; for built-in tools. */
	preview: callPreviewSchema.exactOptional(),
	/** Arguments of the last call of this tool that was allowed. */
	lastArgs: json.exactOptional(),
	/** The scopes that may be chosen; `once` is always one of them. */
	scopes: z.array(scope),
	/** Whether the person must type the tool's name: the tool claims to be destructive, is used for the first time, or has changed. */
	mustTypeName: yesOrNo,
	/** The owner of the runs that a rule of scope `always` covers; absent: every run of the profile, or no such rule is possible. */
	lasting: facts({
		owner: ruleOwnerSchema,
		/** Whether the tool may be destructive: then its name must be typed, and the rule must compare all arguments or some by key. */
		isBound: yesOrNo,
	}).exactOptional(),
});

export const formApprovalSchema = facts({
	...asked,
	kind: z.literal('form'),
	server: text,
	host: text,
	/** The text of the server above the form, cleaned. */
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
		/** Calls that a rule covers: with `any` arguments, `exact`ly these, or the same values under these top-level keys. Absent: `any`. */
		args: z.union([z.enum(['any', 'exact']), z.array(text)]).exactOptional(),
		/** Instead of `args`, for a rule of scope `always`: the arguments to compare, by dotted path, with an exact value, or a folder (`~/notes/`) that must contain the path. */
		when: jsonObject.exactOptional(),
		/** The typed name of the tool, if `mustTypeName`. */
		typedName: maybeText,
	}),
	z.strictObject({choice: z.literal('deny'), reason: maybeText}),
	/** Fills in a form. */
	z.strictObject({choice: z.literal('submit'), content: jsonObject}),
]);

export const answerOutcomeSchema = z.discriminatedUnion('settled', [
	facts({settled: z.literal(true), approval: approvalSchema}),
	/** Another answer or the deadline was first: `approval` says how the request was settled. Without `approval`: the request is unknown. */
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
	/** Hash of all arguments, or of the values under `keys`. Absent: any arguments. */
	args: facts({
		keys: maybeTexts,
		hash: text,
		/** The values, of at most 4 KiB as JSON. */
		shown: json.exactOptional(),
	}).exactOptional(),
	/** Further conditions on the arguments, all of which must hold. */
	when: z.array(ruleKeySchema).exactOptional(),
	/** Absent: every run of the profile. */
	owner: ruleOwnerSchema.exactOptional(),
	/** Only for a rule of a file. Until its tool is seen, `server`, `tool`, `endpoint` and `definition` are empty. */
	file: facts({
		/** `ShownTool.name`, as written in the file. */
		name: text,
		/** Hash of the entry: a changed entry is another rule. */
		entry: text,
		/** For people: `config.yaml:12`. */
		place: text,
	}).exactOptional(),
	createdAt: number,
	createdBy: text,
	/** Milliseconds since 1970; for `always`. */
	expiresAt: maybeNumber,
	/** How often the rule has allowed a call; `usedAt`: when it last did. */
	uses: integer,
	usedAt: maybeNumber,
	/** Why the rule allows nothing at present; one sentence. */
	problem: maybeText,
	/** The present definition of the tool, if it differs from `definition`; a person can accept it. */
	present: maybeText,
}).register(z.globalRegistry, {id: 'ApprovalRule'});
