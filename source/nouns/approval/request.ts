import type {Approval, ApprovalRule, FormApproval, ToolApproval} from '../../core/approval.ts';
import {type FromEvent, fromEventLines} from '../../core/approvals/from-event.ts';
import {whyNotCovered} from '../../core/approvals/why-not-covered.ts';
import type {Delivery} from '../../core/delivery.ts';
import type {JsonValue} from '../../core/json.ts';
import {quotedName, quotedTitle} from '../../core/names.ts';
import {conversationWords, type Origin, originOf} from '../../core/origin.ts';
import type {ServerView} from '../../core/tool-server.ts';
import {speakers, toolFrom, whereWords} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {bytes, printableTime} from '../../terminal/text/time.ts';
import {fact, type Fact, type Noun} from '../noun.ts';
import {askedBy, claimTexts} from './approval-words.ts';
import {approvalNoun, outcomeText, timeLeft} from './approval.ts';
import {previewTexts} from './preview-lines.ts';

/** What a request's facts depend on besides the request. */
export type RequestMore = {
	readonly rules?: readonly ApprovalRule[];
	/** Arguments that also occur in the event. */
	readonly fromEvent?: readonly FromEvent[];
};

/** The tool and its server: `create_issue`, `on github-tools (untrusted, http api.example.com)`. Unescaped. */
export function requestHead(approval: Approval): readonly [what: string, where?: string] {
	if (approval.kind === 'form') {
		return [`a form of ${approval.server} (${approval.host})`];
	}

	const from = toolFrom(approval.tool);
	const where = whereWords(from);
	return [
		quotedName(approval.tool.tool),
		from.kind === 'server' ? `${where} (${from.trust}, ${from.transport} ${from.host})` : where,
	];
}

/** The claims about a tool, its server's sandbox (looked up in `servers`), and why the tool's name has to be typed. */
export function toolFacts(
	approval: ToolApproval,
	servers: ReadonlyArray<Pick<ServerView, 'name' | 'profile' | 'sandbox'>> = [],
): readonly Fact[] {
	const {claims: claimed, server: name, profile} = approval.tool;
	const claims = claimTexts(claimed);
	const server = servers.find(one => one.name === name && one.profile === profile);
	return [
		toolFrom(approval.tool).kind === 'server'
			? {name: 'server says', value: `${claims}  · unverified`}
			: {name: 'svc says', value: claims},
		...(server?.sandbox === undefined
			? []
			: [{name: 'sandbox', value: escapeLine(server.sandbox)}]),
		...(approval.tool.why === undefined
			? []
			: [{name: 'why', value: escapeLine(approval.tool.why), tone: 'warn'} as const]),
		...cautions(approval).map((reason): Fact => ({name: '', value: `! ${reason}`, tone: 'warn'})),
	];
}

/** Why a tool's name has to be typed. */
export const cautions = ({tool, mustTypeName}: ToolApproval): readonly string[] => [
	...(tool.changed ? ['its definition is not the one that was seen before'] : []),
	...(tool.claims.destructive === true ? ['it says that it destroys'] : []),
	...(mustTypeName && !tool.changed && tool.claims.destructive !== true
		? ['it is used for the first time']
		: []),
];

/** Where a request comes from, which strangers' texts its agent had read, and its purpose. `delivery`: that of its event, if known. */
export function askerFacts(approval: Approval, delivery?: Delivery): readonly Fact[] {
	const {run, profile, prompt, node} = approval;
	const asker = run === undefined ? undefined : askerOf(originOf(approval), delivery);
	const of = profile === 'default' ? '' : `  profile ${escapeLine(profile)}`;
	const at = node === undefined ? '' : ` at gateway ${escapeLine(node)}`;
	const [, read] =
		/.*, read: (.*)$/s.exec(delivery?.trace.find(({step}) => step === 'prompt')?.detail ?? '') ??
		[];
	return [
		{
			name: 'asked by',
			value: `${askedBy(run)}${at}${asker?.by ?? ''}${of}`,
			...(run !== undefined && {see: `svc runs show ${run}`}),
		},
		...(asker?.untrusted === undefined
			? []
			: [{name: '', value: `the agent has read ${asker.untrusted}`, tone: 'warn'} as const]),
		// One row at most: the room is needed for what must be seen before a yes.
		...(read === undefined
			? []
			: [{name: '', value: readWords(escapeLine(read)), tone: 'quiet', most: 1} as const]),
		...context('asked to', prompt),
		...context('model says', approval.kind === 'tool' ? approval.said : undefined),
	];
}

/** Prefetched foreign text comes first in the row, being more than the prompt quotes. */
function readWords(read: string): string {
	const [fields = '', got] = read.split('; prefetch: ');
	const prompt = `its prompt read ${fields}`;
	return got === undefined ? prompt : `it has the ${got.replace(', ', ' and ')}; ${prompt}`;
}

/** A quoted explanation, not in the program's own words. */
const context = (name: string, text: string | undefined): readonly Fact[] =>
	text === undefined || text.trim() === ''
		? []
		: [{name, value: JSON.stringify(text), tone: 'quiet', most: 3}];

/** Where a call comes from, and which foreign texts its agent has read. */
function askerOf(
	origin: Origin,
	delivery: Delivery | undefined,
): {readonly by: string; readonly untrusted?: string} {
	switch (origin.kind) {
		case 'delivery': {
			const {route, job} = origin;
			if (origin.delivery === undefined) {
				return {by: ''};
			}

			const of = job ? jobWords(job.name) : '';
			// The end of an identifier, which every command accepts.
			const id = escapeLine(origin.delivery.slice(-6));
			const about = delivery
				? `: ${escapeLine(quotedName(delivery.event))}, ${bytes(delivery.bodyBytes)}`
				: '';
			return {
				by: `${of}  <- webhook ${escapeLine(route)} ${id}${senderWords(delivery)}`,
				untrusted: `text of the event, which is untrusted${about}`,
			};
		}

		case 'job':
			return {by: jobWords(origin.job.name)};

		case 'key':
			return {
				by: `  a chat of API key ${escapeLine(quotedName(origin.name))}`,
				untrusted: 'text of its client, which is untrusted',
			};

		case 'person':
			return {by: '  your chat'};

		case 'chat':
			return {
				by: `  ${escapeLine(conversationWords(origin))}, user ${escapeLine(quotedName(origin.user))}`,
				untrusted: 'text of that conversation, which is untrusted',
			};
	}
}

const jobWords = (name: string): string => `  of job ${escapeLine(quotedName(name))}`;

function senderWords(delivery: Delivery | undefined): string {
	const signature = delivery?.trace.find(({step}) => step === 'signature');
	if (!signature) {
		return '';
	}

	return signature.verdict === 'pass' ? ', sender signature ok' : ', sender not checked';
}

/** Why none of the standing rules decided a waiting call. */
export const sinceFacts = (
	approval: ToolApproval,
	rules: readonly ApprovalRule[],
): readonly Fact[] =>
	approval.decision
		? []
		: whyNotCovered(approval, rules).map((value, index) => ({
				name: index === 0 ? 'asks since' : '',
				value,
			}));

/** A request for the command line: everything needed to decide, and why no rule decided it. */
export const requestNoun: Pick<
	Noun<Approval, RequestMore>,
	'argument' | 'factCells' | 'facts' | 'head' | 'isNumbered' | 'missing' | 'one'
> = {
	...approvalNoun,
	factCells: 11,
	head: approval => [String(approval.id), ...requestHead(approval)].map((text = '') => ({text})),
	facts: (approval, {now, rules = [], fromEvent = []}) => [
		...(approval.kind === 'tool' ? toolFacts(approval) : []),
		...askerFacts(approval),
		...fact('delivery', approval.delivery),
		...fact('job', approval.job?.id),
		...(approval.kind === 'tool' ? sinceFacts(approval, rules) : []),
		{name: 'asked at', value: printableTime(approval.requestedAt)},
		deadlineFact(approval, now),
		...(approval.kind === 'tool' ? callFacts(approval, fromEvent) : formFacts(approval)),
	],
};

function deadlineFact(approval: Approval, now: number): Fact {
	const {decision, deadline} = approval;
	if (!decision) {
		return {
			name: 'denies in',
			value: `${timeLeft(approval, now)} (${printableTime(deadline)})`,
		};
	}

	const {by, at, reason} = decision;
	const why = reason === undefined ? '' : `: ${reason}`;
	return {
		name: 'settled',
		value: `${outcomeText(decision)} by ${by} at ${printableTime(at)}${why}`,
	};
}

function callFacts(
	{lasting, tool, args, argsBytes, preview, lastArgs, scopes, decision}: ToolApproval,
	fromEvent: readonly FromEvent[],
): readonly Fact[] {
	const speaker = speakers[toolFrom(tool).kind];
	const [found, ...fields] = fromEvent.length === 0 ? [] : fromEventLines(fromEvent);
	const always =
		lasting &&
		`for runs of job ${quotedName(lasting.owner.name)} alone${lasting.isBound ? `: --for always --tool ${quotedName(tool.tool)}, with --when exact or --when KEY=VALUE` : ''}`;
	return [
		...(decision
			? []
			: [
					...fact('allow', scopes.map(scope => `--for ${scope}`).join(', ')),
					...fact('always', always),
				]),
		...fact('definition', `sha256:${tool.definition}`),
		...(tool.changed
			? part(
					tool.changes
						? `what changed in what ${speaker} says of it`
						: 'what changed in it cannot be shown: it was not kept, or is above 16 KiB',
					tool.changes,
				)
			: []),
		...(preview ? [...preview.facts, ...part(preview.title, previewTexts(preview))] : []),
		...part(
			`arguments (${argsBytes} bytes)`,
			args === null && argsBytes > 4 ? ['(larger than 64 KiB: not kept)'] : json(args),
		),
		...(found === undefined
			? []
			: part(
					found,
					fields.map(row => row.trimStart()),
				)),
		...(lastArgs === undefined
			? []
			: part('arguments of the last call that was allowed', json(lastArgs))),
		...part(`description, by ${speaker}`, [tool.description]),
	];
}

const formFacts = ({id, message, fields}: FormApproval): readonly Fact[] => [
	{text: ''},
	{text: message},
	...part(
		`fields (svc approvals fill ${id})`,
		fields.map(
			({key, title, kind, required}) =>
				`${title === '' ? quotedName(key) : quotedTitle(title)}  ${kind}${required ? ', required' : ''}`,
		),
	),
];

const part = (title: string, rows: readonly string[] = []): readonly Fact[] => [
	{title},
	...(rows.length === 0 ? [] : [{text: rows.join('\n')}]),
];

const json = (value: JsonValue): readonly string[] => [JSON.stringify(value, null, 2)];
