import type {
	Approval,
	ApprovalRule,
	FormApproval,
	ToolApproval,
	ToolClaims,
} from '../../core/approval.ts';
import type {ShownTool} from '../../core/approval.ts';
import {type FromEvent, fromEventLines} from '../../core/approvals/from-event.ts';
import {whyNotCovered} from '../../core/approvals/why-not-covered.ts';
import {speakers, type ToolFrom, toolFrom, whereWords} from '../../core/asked-tool.ts';
import type {JsonValue} from '../../core/json.ts';
import {conversationWords, type Origin, originOf} from '../../core/origin.ts';
import {quotedName, quotedTitle} from '../../core/quoted-name.ts';
import {cell} from '../../core/untrusted.ts';
import {outcomeText, timeLeft} from '../../nouns/approval/approval.ts';
import {printableTime} from '../../terminal/text/time.ts';

type Told = {
	readonly now: number;
	readonly rules?: readonly ApprovalRule[];
	/** Arguments that stand in the event. */
	readonly fromEvent?: readonly FromEvent[];
};

/** An approval in lines: everything that a person needs to decide, and of `rules` why none of them decided it. None of its texts begins a line of its own. */
export function describeApproval(
	approval: Approval,
	{now, rules = [], fromEvent = []}: Told,
): readonly string[] {
	const {id, profile, run, prompt, decision, deadline, requestedAt} = approval;
	const lines = [
		approval.kind === 'tool'
			? `${id}  ${quotedName(approval.tool.tool)}  ${placeOf(toolFrom(approval.tool))}`
			: `${id}  a form of ${approval.server} (${approval.host})`,
		...(profile === 'default' ? [] : [`profile     ${profile}`]),
		`asked by    ${run === undefined ? 'a person who tries the tool' : `run #${run} (svc runs show ${run})`}`,
		...(run === undefined ? [] : originLines(originOf(approval))),
		...(prompt === undefined ? [] : [`asked to    ${JSON.stringify(prompt)}`]),
		...(approval.kind === 'tool' && approval.said !== undefined
			? [`model says  ${JSON.stringify(approval.said)}`]
			: []),
		`asked at    ${printableTime(requestedAt)}`,
		decision
			? `settled     ${outcomeText(decision)} by ${decision.by} at ${printableTime(decision.at)}${decision.reason === undefined ? '' : `: ${decision.reason}`}`
			: `denies in   ${timeLeft(approval, now)} (${printableTime(deadline)})`,
		...(approval.kind === 'tool' && !decision
			? whyNotCovered(approval, rules).map(
					(reason, index) => `${index === 0 ? 'asks since' : '          '}  ${reason}`,
				)
			: []),
		...(approval.kind === 'tool' ? callLines(approval, fromEvent) : formLines(approval)),
	];
	return lines.map(line => cell(line, Infinity).text);
}

function originLines(origin: Origin): readonly string[] {
	switch (origin.kind) {
		case 'delivery': {
			const {route, delivery, job} = origin;
			const which = delivery === undefined ? '' : `, ${delivery}`;
			return [`started by  an event of route ${route}${which}`, ...(job ? [jobLine(job)] : [])];
		}

		case 'job':
			return [jobLine(origin.job)];

		case 'key':
			return [`asked in    a chat of API key ${quotedName(origin.name)}`];

		case 'person':
			return ['asked in    your chat'];

		case 'chat':
			return [`asked in    ${conversationWords(origin)}, by user ${quotedName(origin.user)}`];
	}
}

const jobLine = ({id, name}: NonNullable<Approval['job']>): string =>
	`a run of    job ${quotedName(name)} (svc cron show ${id})`;

function placeOf(from: ToolFrom): string {
	switch (from.kind) {
		case 'server':
			return `${whereWords(from)} (${from.trust}, ${from.transport} ${from.host})`;

		case 'built-in':
			return whereWords(from);
	}
}

const speakerOf = (tool: Parameters<typeof toolFrom>[0]): string => speakers[toolFrom(tool).kind];

function saysLine(tool: ShownTool): string {
	const claims = claimsOf(tool.claims);
	return toolFrom(tool).kind === 'server'
		? `server says ${claims}; unverified`
		: `svc says    ${claims}`;
}

const callLines = (
	{lasting, tool, args, argsBytes, lastArgs, scopes, mustTypeName, decision}: ToolApproval,
	fromEvent: readonly FromEvent[],
): readonly string[] => [
	saysLine(tool),
	...(decision ? [] : [`allow       ${scopes.map(scope => `--for ${scope}`).join(', ')}`]),
	...(lasting && !decision
		? [
				`always      for runs of job ${quotedName(lasting.owner.name)} alone${lasting.isBound ? `: --for always --tool ${quotedName(tool.tool)}, with --when exact or --when KEY=VALUE` : ''}`,
			]
		: []),
	...(mustTypeName && !decision ? [`careful     ${cautionOf(tool)}`] : []),
	`definition  sha256:${tool.definition}`,
	...changeLines(tool),
	'',
	`arguments (${argsBytes} bytes)`,
	...(args === null && argsBytes > 4 ? ['  (larger than 64 KiB: not kept)'] : indented(args)),
	...(fromEvent.length === 0 ? [] : ['', ...fromEventLines(fromEvent)]),
	...(lastArgs === undefined
		? []
		: ['', 'arguments of the last call that was allowed', ...indented(lastArgs)]),
	'',
	`description, by ${speakerOf(tool)}`,
	...tool.description.split('\n').map(line => `  ${line}`),
];

/** What a changed tool says otherwise than before. */
const changeLines = ({changed, changes, ...tool}: ShownTool): readonly string[] =>
	changed
		? [
				'',
				...(changes
					? [
							`what changed in what ${speakerOf(tool)} says of it`,
							...changes.map(line => `  ${line}`),
						]
					: ['what changed in it cannot be shown: it was not kept, or is above 16 KiB']),
			]
		: [];

/** Why the name of a tool must be typed. */
export function cautionOf({changed, claims}: Pick<ShownTool, 'changed' | 'claims'>): string {
	if (changed) {
		return 'it is not defined as it was before';
	}

	return claims.destructive ? 'it claims to destroy' : 'it was never allowed before';
}

const formLines = ({id, message, fields}: FormApproval): readonly string[] => [
	'',
	...message.split('\n').map(line => `  ${line}`),
	'',
	`fields (svc approvals fill ${id})`,
	...fields.map(
		({key, title, kind, required}) =>
			`  ${title === '' ? quotedName(key) : quotedTitle(title)}  ${kind}${required ? ', required' : ''}`,
	),
];

const indented = (value: JsonValue): readonly string[] =>
	JSON.stringify(value, null, 2)
		.split('\n')
		.map(line => `  ${line}`);

function claimsOf({readOnly, destructive, idempotent, openWorld}: ToolClaims): string {
	const says = [
		claim(readOnly, 'read-only'),
		claim(destructive, 'destructive'),
		claim(idempotent, 'idempotent'),
		claim(openWorld, 'open-world'),
	].filter(text => text !== '');
	return says.length === 0 ? 'nothing of what it does' : says.join(', ');
}

const claim = (value: boolean | undefined, text: string): string =>
	value === undefined ? '' : `${value ? '' : 'not '}${text}`;
