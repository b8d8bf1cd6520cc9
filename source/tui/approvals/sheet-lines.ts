import type {Approval, FormApproval, ToolApproval} from '../../core/approval.ts';
import {type ToolFrom, toolFrom, whereWords} from '../../core/asked-tool.ts';
import type {Delivery} from '../../core/delivery.ts';
import {conversationWords, type Origin, originOf} from '../../core/origin.ts';
import {quotedName} from '../../core/quoted-name.ts';
import type {GatewayState} from '../../core/state.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import {askedBy, claimTexts} from '../../nouns/approval/approval-words.ts';
import {clip, fit, widthOf} from '../../terminal/text/fit.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {hardWrap} from '../../terminal/text/hard-wrap.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {bytes} from '../../terminal/text/time.ts';
import {shownId} from '../entries/result-word.ts';
import {clean, line, wrapText, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import type {ArgumentRows} from './argument-rows.ts';
import {asksSince} from './asks-since.ts';

const nameCells = 15;
const indent = 2;

const factRows = (name: Safe, value: Safe, look: {width: number; tone?: Tone}): readonly Line[] =>
	factRowsOf(name, wrapText(value, roomOf(look.width)), look.tone);

const roomOf = (width: number): number => width - indent - nameCells;

const factRowsOf = (name: Safe, rows: readonly Safe[], tone: Tone = 'plain'): readonly Line[] =>
	rows.map((row, index): Line => [
		{text: safe`${lead(index)}${fit(index === 0 ? name : literal(''), nameCells)}`, tone: 'quiet'},
		{text: row, tone},
	]);

/** The first two columns of a row; what goes on from the row above is marked, for its text begins anywhere. */
const lead = (index: number): Safe => (index === 0 ? literal('  ') : safe`${gutter.goesOn} `);

/** What the tool is, who asks, and the arguments; everything that has to be seen before it is allowed. */
export function callLines(
	approval: ToolApproval,
	{
		state,
		args,
		width,
	}: {state: Pick<GatewayState, 'deliveries' | 'approvalRules'>; args: ArgumentRows; width: number},
): readonly Line[] {
	const {tool} = approval;
	const name = clean(quotedName(tool.tool));
	const from = toolFrom(tool);
	return [
		...wrapText(safe`${name}  ${placeText(from)}`, width - indent).map((row, index) =>
			line(safe`${lead(index)}${row}`, index === 0 ? 'strong' : 'plain'),
		),
		...saysRows(from, claimTexts(tool.claims), width),
		...whyNameRows(approval, width),
		...changeRows(tool, width),
		...originRows(approval, {state, width}),
		...contextRows(literal('asked to'), approval.prompt, width),
		...contextRows(literal('model says'), approval.said, width),
		...asksSince(approval, state.approvalRules).flatMap((reason, index) =>
			factRows(index === 0 ? literal('asks since') : literal(''), reason, {width}),
		),
		...argumentHead(approval, {args, width}),
		...args.rows,
	];
}

/** How much there is, and what it is compared with; in a second row where it has no room. */
function argumentHead(
	approval: ToolApproval,
	{args, width}: {readonly args: ArgumentRows; readonly width: number},
): readonly Line[] {
	const note = noteOf(approval);
	const facts: Line = [
		{text: safe`  ${fit(literal('arguments'), nameCells)}`, tone: 'quiet'},
		{text: argumentFacts(approval, args)},
		...(args.flags > 0 ? [{text: safe`  ⚑ ${args.flags} control`, tone: 'warn'} as const] : []),
	];
	if (note === undefined) {
		return [facts];
	}

	const used = facts.reduce((sum, {text}) => sum + widthOf(text), 0);
	return used + 2 + widthOf(note) <= width
		? [[...facts, {text: safe`  ${note}`, tone: 'quiet'}]]
		: [
				facts,
				[{text: safe`${gutter.remark} ${fit(literal(''), nameCells)}${note}`, tone: 'quiet'}],
			];
}

function placeText(from: ToolFrom): Safe {
	const where = clean(whereWords(from));
	switch (from.kind) {
		case 'server':
			return safe`${where} (${clean(from.trust)}, ${clean(from.transport)} ${clean(from.host)})`;

		case 'built-in':
			return where;
	}
}

function saysRows(from: ToolFrom, claims: Safe, width: number): readonly Line[] {
	switch (from.kind) {
		case 'server':
			return factRows(literal('server says'), safe`${claims}  · unverified`, {width});

		case 'built-in':
			return factRows(literal('svc says'), claims, {width});
	}
}

/** What was decided is kept without the call that it was compared with. */
const noteOf = ({decision, lastArgs}: ToolApproval): Safe | undefined => {
	if (lastArgs !== undefined) {
		return literal('[diff when asked]');
	}

	return decision ? undefined : literal('[no call before]');
};

function whyNameRows({tool, mustTypeName}: ToolApproval, width: number): readonly Line[] {
	const reasons = [
		...(tool.changed ? [literal('! its definition is not the one that was seen before')] : []),
		...(tool.claims.destructive === true ? [literal('! it says that it destroys')] : []),
		...(mustTypeName && !tool.changed && tool.claims.destructive !== true
			? [literal('! it is used for the first time')]
			: []),
	];
	return reasons.flatMap(reason => factRows(literal(''), reason, {width, tone: 'warn'}));
}

const changeTones: Readonly<Record<string, Tone>> = {'+': 'good', '-': 'bad'};

const maxChangeRows = 40;

/** What a changed tool says otherwise than before, to be seen like the arguments. */
function changeRows({changed, changes}: ToolApproval['tool'], width: number): readonly Line[] {
	if (!changed) {
		return [];
	}

	return changes
		? changes.flatMap(change =>
				hardWrap(cell(change, Infinity).text, width - indent, maxChangeRows).rows.map(
					(row, index): Line => [
						{text: safe`${index === 0 ? gutter.line : gutter.goesOn} `, tone: 'warn'},
						{text: row, tone: changeTones[change[0] ?? ''] ?? 'quiet'},
					],
				),
			)
		: factRows(literal(''), literal('what changed was not kept, or is above 16 KiB'), {
				width,
				tone: 'quiet',
			});
}

function argumentFacts({argsBytes}: ToolApproval, {count, isWhole}: ArgumentRows): Safe {
	const fields =
		count === undefined
			? literal('no object')
			: safe`${count} ${count === 1 ? literal('field') : literal('fields')}`;
	return safe`${fields}, ${bytes(argsBytes)}, ${isWhole ? literal('all shown') : literal('not all shown')}`;
}

const maxContextRows = 3;

/** The beginning of a text that tells why, as rows that say when it goes on. None of it is the program's word. */
function contextRows(name: Safe, text: string | undefined, width: number): readonly Line[] {
	if (text === undefined || text.trim() === '') {
		return [];
	}

	const room = roomOf(width);
	const rows = wrapText(clean(JSON.stringify(text)), room);
	const [last, next] = rows.slice(maxContextRows - 1);
	return factRowsOf(
		name,
		last !== undefined && next !== undefined
			? [...rows.slice(0, maxContextRows - 1), fit(safe`${last} ${next}`, room)]
			: rows,
		'quiet',
	);
}

/** Where the request came from: its run, its route, its delivery, and whose words the agent had read. */
function originRows(
	approval: Approval,
	{state, width}: {readonly state: Pick<GatewayState, 'deliveries'>; readonly width: number},
): readonly Line[] {
	const {run, delivery, profile} = approval;
	const row = state.deliveries.find(other => other.delivery.id === delivery);
	const [, read] =
		/.*, read: (.*)$/s.exec(
			row?.delivery.trace.find(({step}) => step === 'prompt')?.detail ?? '',
		) ?? [];
	const asker = run === undefined ? undefined : askerOf(originOf(approval), row?.delivery);
	const of = profile === 'default' ? literal('') : safe`  profile ${clean(profile)}`;
	return [
		...factRows(literal('asked by'), safe`${askedBy(run)}${asker?.by ?? literal('')}${of}`, {
			width,
		}),
		...(asker?.untrusted
			? factRows(literal(''), safe`the agent has read ${asker.untrusted}`, {width, tone: 'warn'})
			: []),
		// One row of it: what must be seen before a yes is to have the room.
		...(read === undefined
			? []
			: factRowsOf(
					literal(''),
					[clip(safe`its prompt read ${clean(read)}`, roomOf(width))],
					'quiet',
				)),
	];
}

/** Where a call comes from, and whose text its agent has read. `delivery`: of its event, where that is known. */
function askerOf(
	origin: Origin,
	delivery: Delivery | undefined,
): {readonly by: Safe; readonly untrusted?: Safe} {
	switch (origin.kind) {
		case 'delivery': {
			const {route, job} = origin;
			if (origin.delivery === undefined) {
				return {by: literal('')};
			}

			const of = job ? jobWords(job.name) : literal('');
			const about = delivery
				? safe`: ${clean(quotedName(delivery.event))}, ${bytes(delivery.bodyBytes)}`
				: literal('');
			return {
				by: safe`${of}  <- webhook ${clean(route)} ${shownId({id: origin.delivery})}${senderWords(delivery)}`,
				untrusted: safe`text of the event, which is untrusted${about}`,
			};
		}

		case 'job':
			return {by: jobWords(origin.job.name)};

		case 'key':
			return {
				by: safe`  a chat of API key ${clean(quotedName(origin.name))}`,
				untrusted: literal('text of its client, which is untrusted'),
			};

		case 'person':
			return {by: literal('  your chat')};

		case 'chat':
			return {
				by: safe`  ${clean(conversationWords(origin))}, user ${clean(quotedName(origin.user))}`,
				untrusted: literal('text of that conversation, which is untrusted'),
			};
	}
}

const jobWords = (name: string): Safe => safe`  of job ${clean(quotedName(name))}`;

function senderWords(delivery: Delivery | undefined): Safe {
	const signature = delivery?.trace.find(({step}) => step === 'signature');
	if (!signature) {
		return literal('');
	}

	return signature.verdict === 'pass'
		? literal(', sender signature ok')
		: literal(', sender not checked');
}

/** Who wants a form filled in, and for what. */
export const formHead = (
	approval: FormApproval,
	{state, width}: {readonly state: Pick<GatewayState, 'deliveries'>; readonly width: number},
): readonly Line[] => [
	...wrapText(
		safe`a form of ${clean(approval.server)} (${clean(approval.host)})`,
		width - indent,
	).map((row, index) => line(safe`${lead(index)}${row}`, 'strong')),
	...originRows(approval, {state, width}),
];
