import type {Approval} from '../core/approval.ts';
import type {Redact} from '../core/redact.ts';
import {cell} from '../core/untrusted.ts';

/** What a request for approval is in a chat. */
export type ApprovalMessage = {
	readonly text: string;
	/** Whether it can be allowed there: it was shown whole, and needs no typed name. */
	readonly canAllow: boolean;
};

/** Characters of one message, the arguments with it. @see manual/conversations.md#approvals */
const maxLength = 900;
const maxLine = 200;

/** No look-alikes. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const codeLength = 4;

/** A code that none of `taken` is; `random` gives numbers below its argument. */
export function mintCode(taken: ReadonlySet<string>, random: (below: number) => number): string {
	for (;;) {
		const code = Array.from({length: codeLength}, () => letters[random(letters.length)]).join('');
		if (!taken.has(code)) {
			return code;
		}
	}
}

/** `crm/create_issue`; `terminal`, a tool of svc's own; `a form of crm`. */
export const askedWords = (approval: Approval): string =>
	cell(
		approval.kind === 'form'
			? `a form of ${approval.server}`
			: `${approval.tool.server === undefined ? '' : `${approval.tool.server}/`}${approval.tool.tool}`,
		maxLine,
	).text;

/**
 * The request as it stands in a chat, with its arguments whole, or without them: then it can only be denied there. `whose`: the run that asks, in words; `until`: the time of its deadline.
 */
export function approvalMessage(
	approval: Approval,
	{
		code,
		whose,
		until,
		redact,
	}: {
		readonly code: string;
		readonly whose: string;
		readonly until: string;
		readonly redact: Redact;
	},
): ApprovalMessage {
	const head = `Approval ${code}: ${inMarkdown(askedWords(approval))}`;
	const asks = inMarkdown(`${cell(whose, maxLine).text}${whose === '' ? '' : ', '}until ${until}`);
	const why = approval.kind === 'tool' ? approval.tool.why : undefined;
	const told = why === undefined ? [] : [inMarkdown(cell(why, maxLine).text)];
	const whole =
		approval.kind === 'tool' && !approval.mustTypeName ? shownArguments(approval.args) : undefined;
	const text = [head, ...(whole === undefined ? [] : [whole]), ...told, asks, answerBy(code)].join(
		'\n',
	);
	// What has to be hidden is not shown whole.
	if (whole !== undefined && text.length <= maxLength && redact(text) === text) {
		return {text, canAllow: true};
	}

	return {
		text: [head, whyNot(approval), ...told, asks, `Answer: deny ${code}`].join('\n'),
		canAllow: false,
	};
}

function whyNot(approval: Approval): string {
	if (approval.kind === 'form') {
		return 'A form is filled in at the terminal; here it can only be denied.';
	}

	return approval.mustTypeName
		? 'Its name has to be typed: the first yes is given at the terminal. Here it can only be denied.'
		: 'Its arguments do not fit whole: it can be allowed at the terminal, and here only be denied.';
}

/** A text as Markdown that shows it as it is. */
export const inMarkdown = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

const answerBy = (code: string): string => `Answer: approve ${code} or deny ${code}`;

const fence = '```';

/** The arguments as JSON in which every character shows, as a block of code; `undefined` where a mark would end the block. */
function shownArguments(args: unknown): string | undefined {
	const json = JSON.stringify(args, null, 2).replaceAll(hidden, escaped);
	return json.includes(fence) ? undefined : [`${fence}json`, json, fence].join('\n');
}

/** What is not seen, moves others around, or looks like a blank: as JSON writes it by numbers. */
const hidden = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]|\p{M}{3,}/gu;

const escaped = (text: string): string =>
	Array.from(
		{length: text.length},
		(_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
	).join('');
