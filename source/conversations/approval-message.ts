import type {Approval} from '../core/approval.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';

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
	escapeLine(
		approval.kind === 'form'
			? `a form of ${approval.server}`
			: `${approval.tool.server === undefined ? '' : `${approval.tool.server}/`}${approval.tool.tool}`,
		maxLine,
	);

/**
 * The request as it stands in a chat, with its arguments whole, or without them: then it can only be denied there. `whose`: the run that asks, in words; `until`: the time of its deadline; `hasRoom`: whether the chat has room
 * for the arguments.
 */
export function approvalMessage(
	approval: Approval,
	{
		code,
		whose,
		until,
		redact,
		hasRoom = true,
	}: {
		readonly code: string;
		readonly whose: string;
		readonly until: string;
		readonly redact: Redact;
		readonly hasRoom?: boolean;
	},
): ApprovalMessage {
	const head = `Approval ${code}: ${inMarkdown(askedWords(approval))}`;
	const asks = inMarkdown(`${escapeLine(whose, maxLine)}${whose === '' ? '' : ', '}until ${until}`);
	const why = approval.kind === 'tool' ? approval.tool.why : undefined;
	const told = why === undefined ? [] : [inMarkdown(escapeLine(why, maxLine))];
	const args = approval.kind === 'tool' ? shownArguments(approval.args) : undefined;
	const isOnlyDenied = approval.kind === 'form' || approval.mustTypeName;
	const tail = isOnlyDenied
		? [...told, asks, whyNot(approval), denyBy(code)]
		: [...told, asks, answerBy(code)];
	const whole = [head, ...(args === undefined ? [] : [args]), ...tail].join('\n');
	// What has to be hidden is not shown whole.
	const isShown =
		hasRoom && args !== undefined && whole.length <= maxLength && redact(whole) === whole;
	return isShown
		? {text: whole, canAllow: !isOnlyDenied}
		: {
				text: [head, ...told, asks, whyNot(approval), denyBy(code)].join('\n'),
				canAllow: false,
			};
}

function whyNot(approval: Approval): string {
	if (approval.kind === 'form') {
		return 'A form is filled in at the terminal; here it can only be denied.';
	}

	return approval.mustTypeName
		? 'The tool is new, has changed, or may destroy something: its name has to be typed, so the first yes is given at the terminal. Here it can only be denied.'
		: 'Its arguments do not fit whole: it can be allowed at the terminal, and here only be denied.';
}

/** A text as Markdown that shows it as it is. */
export const inMarkdown = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

const answerBy = (code: string): string => `Answer: approve ${code} or deny ${code}`;

const denyBy = (code: string): string => `Answer: deny ${code}`;

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
