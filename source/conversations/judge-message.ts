import {escapeLine} from '../core/untrusted.ts';
import type {ConversingSettings} from '../platforms/conversing.ts';
import type {InboundMessage} from '../platforms/listener.ts';

/** What a message asks for. */
export type JudgedMessage =
	/** `prompt`: the user message of its turn. */
	| {readonly kind: 'turn'; readonly prompt: string}
	| {readonly kind: 'command'; readonly command: ChatCommand}
	/** Answers a request for approval, from a person who may; `unclear`: with more than a simple yes. */
	| {
			readonly kind: 'answer';
			readonly choice: 'approve' | 'deny' | 'unclear';
			readonly code: string;
	  }
	/** From a person who may not: `approval` tries to answer a request, `talk` is anything else. */
	| {readonly kind: 'refused'; readonly of: 'approval' | 'talk'}
	/** A message in a room that is meant for others. */
	| {readonly kind: 'not-for-us'};

const commands = ['new', 'stop', 'status'] as const;

export type ChatCommand = (typeof commands)[number];

export type People = Pick<ConversingSettings, 'allowFrom' | 'approvers'> & {
	/** Whether requests for approval may be answered there; true when absent. */
	readonly approvals?: boolean;
};

export const mayTalk = ({allowFrom}: People, user: string): boolean => allowFrom.includes(user);

export const mayApprove = (
	{allowFrom, approvers = allowFrom, approvals = true}: People,
	user: string,
): boolean => approvals && approvers.includes(user);

const maxPrompt = 100_000;
/** Maximum length of a person's chosen name. */
export const maxName = 80;
const maxUser = 200;
const maxQuote = 4000;

/**
 * What a message asks for. `isCode`: whether a request with that code was sent to its chat. `isOurThread`: whether we have talked in its thread before.
 *
 * @see manual/conversations.md
 */
export function judgeMessage(
	message: InboundMessage,
	{
		settings,
		isCode,
		isOurThread,
	}: {
		readonly settings: People & Pick<ConversingSettings, 'groupMention'>;
		readonly isCode: (code: string) => boolean;
		readonly isOurThread: boolean;
	},
): JudgedMessage {
	const {user, isDirect, isForUs} = message;
	const text = message.text.trim();
	const isMeant = isDirect || isForUs || isOurThread || !settings.groupMention;
	const word = approvalWord(text, isCode);
	if (word && !mayApprove(settings, user)) {
		return {kind: 'refused', of: 'approval'};
	}

	// In a room, an answer in a message meant for others only counts if the request was sent to that room.
	if (word && (isMeant || isCode(word.code))) {
		return {kind: 'answer', ...word};
	}

	if (!isMeant) {
		return {kind: 'not-for-us'};
	}

	if (!mayTalk(settings, user)) {
		return {kind: 'refused', of: 'talk'};
	}

	const command = commands.find(name => text === `/${name}`);
	return command ? {kind: 'command', command} : {kind: 'turn', prompt: promptOf(message, text)};
}

const answerPattern = /^(approve|deny)\s+([A-Z0-9]{4,8})\b(.*)$/is;

/** Parses `approve K7QF`, alone or at the beginning of a text if a request with that code exists. Only when alone it is a yes: `approve K7QF or deny it?` is not. */
function approvalWord(text: string, isCode: (code: string) => boolean) {
	const [, verb = '', written = '', rest = ''] = answerPattern.exec(text) ?? [];
	const code = written.toUpperCase();
	const isAlone = /^[\s.!]*$/.test(rest);
	if (verb === '' || !(isAlone || isCode(code))) {
		return undefined;
	}

	return verb.toLowerCase() === 'deny'
		? {choice: 'deny' as const, code}
		: {choice: isAlone ? ('approve' as const) : ('unclear' as const), code};
}

/** The text; in a room preceded by the writer's name; followed by what it quotes. */
function promptOf({user, name = '', isDirect, quote}: InboundMessage, text: string): string {
	// Limited, so that a long name cannot push out the identifier.
	const id = escapeLine(user, maxUser);
	const who = name === '' ? id : `${shownName(name)} (${id})`;
	return [
		...(isDirect ? [] : [`[${who}]`]),
		isDirect ? headOf(text, maxPrompt) : withoutHeads(headOf(text, maxPrompt)),
		...(quote
			? [
					'',
					`[Quoted, untrusted text of ${escapeLine(quote.author, maxName)}:]`,
					...headOf(quote.text, maxQuote)
						.split(lineBreak)
						.map(line => `> ${line}`),
				]
			: []),
	].join('\n');
}

const lineBreak = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;

/** Puts a backslash before each line that consists of brackets alone: in a room such a line names the author or announces a quote. */
const withoutHeads = (text: string): string =>
	text
		.split(lineBreak)
		.map(line => line.replace(/^(?=[\s\p{C}\u2800]*\[[^\]]*\][\s\p{C}\u2800]*:?\s*$)/u, '\\'))
		.join('\n');

/** A person's chosen name without brackets, which surround the identifier. */
export const shownName = (name: string): string =>
	escapeLine(name.replaceAll(/[()[\]]/g, ''), maxName);

const headOf = (text: string, length: number): string =>
	text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
