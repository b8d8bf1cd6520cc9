import type {Approval} from '../core/approval.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Maximum length of a message, including the arguments. @see manual/conversations.md#approvals */
const maxLength = 900;
const maxLine = 200;

/** Letters and digits without look-alikes. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const codeLength = 4;

/** Creates a code that is not in `taken`; `random` returns numbers below its argument. */
export function mintCode(taken: ReadonlySet<string>, random: (below: number) => number): string {
	for (;;) {
		const code = Array.from({length: codeLength}, () => letters[random(letters.length)]).join('');
		if (!taken.has(code)) {
			return code;
		}
	}
}

/** What a request is for: `crm/create_issue`; `terminal`, a built-in tool; `a form of crm`. */
export const askedWords = (approval: Approval): string =>
	escapeLine(
		approval.kind === 'form'
			? `a form of ${approval.server}`
			: `${approval.tool.server === undefined ? '' : `${approval.tool.server}/`}${approval.tool.tool}`,
		maxLine,
	);

/**
 * Formats a request for a chat, with its complete arguments, or without any: then it can only be denied there. `whose`: a description of the run that asks; `until`: the
 * time of its deadline; `hasRoom`: whether the chat has room for the arguments. `canAllow`: it is shown completely, and needs no typed name.
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
): {readonly text: string; readonly canAllow: boolean} {
	const head = `Approval ${code}: ${inMarkdown(askedWords(approval))}`;
	const asks = inMarkdown(`${escapeLine(whose, maxLine)}${whose === '' ? '' : ', '}until ${until}`);
	const why = approval.kind === 'tool' ? approval.tool.why : undefined;
	const told = why === undefined ? [] : [inMarkdown(escapeLine(why, maxLine))];
	const args = approval.kind === 'tool' ? shownArguments(approval.args) : undefined;
	const denyAlone = [whyNot(approval), `Answer: deny ${code}`];
	const canAllow = approval.kind === 'tool' && !approval.mustTypeName;
	const tail = canAllow ? [`Answer: approve ${code} or deny ${code}`] : denyAlone;
	const whole = [head, args, ...told, asks, ...tail].join('\n');
	// A text with a secret is not shown whole.
	const isShown =
		hasRoom && args !== undefined && whole.length <= maxLength && redact(whole) === whole;
	return isShown
		? {text: whole, canAllow}
		: {text: [head, ...told, asks, ...denyAlone].join('\n'), canAllow: false};
}

function whyNot(approval: Approval): string {
	if (approval.kind === 'form') {
		return 'A form is filled in at the terminal; here it can only be denied.';
	}

	return approval.mustTypeName
		? 'The tool is new, has changed, or may destroy something: its name has to be typed, so the first yes is given at the terminal. Here it can only be denied.'
		: 'Its arguments do not fit whole: it can be allowed at the terminal, and here only be denied.';
}

/** Escapes a text so that Markdown shows it unchanged. */
export const inMarkdown = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

const fence = '```';

/** The arguments as a code block: JSON in which every character is visible; `undefined` when they contain the end of a block. */
function shownArguments(args: unknown): string | undefined {
	const json = JSON.stringify(args, null, 2).replaceAll(hidden, escaped);
	return json.includes(fence) ? undefined : [`${fence}json`, json, fence].join('\n');
}

/** Characters that are invisible, reorder others, or look like a blank. */
const hidden = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]|\p{M}{3,}/gu;

/** Each UTF-16 unit as a JSON escape with its number (`\u200b`). */
const escaped = (text: string): string =>
	text.replaceAll(/[^]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
