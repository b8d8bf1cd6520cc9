import {createHash} from 'node:crypto';
import PostalMime, {addressParser} from 'postal-mime';
import type {InboundMessage} from '../listener.ts';
import {bounded, maxTextLength} from '../message-text.ts';
import type {EmailSettings} from './descriptor.ts';
import {
	automaticIn,
	headersNamed,
	type MailHeaders,
	messageIdIn,
	passesDmarc,
	recipientsIn,
	repeatedIn,
	mailSenderOf,
	writtenAt,
} from './mail-headers.ts';
import {mailAddressOf} from './recipients.ts';
import {replyText, textOfHtml} from './reply-text.ts';

const maxIdLength = 300;
/** Maximum size of all headers of a mail, including those of its parts, bytes. */
export const maxHeaderBytes = 128 * 1024;
/** Maximum number of lines: the parser needs memory and time for each. A picture in a mail of the largest size has 14,000. */
const maxLines = 20_000;
/** How long a repeated mail is recognised, milliseconds: an older mail could be accepted twice. */
const maxAgeMs = 24 * 3_600_000;
/** How far clocks of others may be ahead, milliseconds. */
const maxAheadMs = 600_000;

/** The sender of a mail, or why it is ignored. */
type JudgedMail =
	| {readonly sender: string; readonly leftOut?: never}
	| {readonly leftOut: string; readonly sender: string | undefined};

/**
 * Whether a mail is recent, addressed to us, and from a person whom our server has verified as its sender. Old mails are ignored, since anybody can send a signed mail
 * again; so are our own mails and those of programs and lists. `now`: milliseconds since 1970.
 */
export function judgeMail(
	headers: MailHeaders,
	{from, authservId, imap: {username = ''}}: Pick<EmailSettings, 'from' | 'authservId' | 'imap'>,
	now: number,
): JudgedMail {
	const sender = mailSenderOf(headers);
	const [own, login] = [from, username].map(text => mailAddressOf(text)?.toLowerCase());
	const leftOut = (why: string) => ({leftOut: why, sender});
	if (sender === undefined) {
		return leftOut('it does not name one sender');
	}

	if (sender === own || isOurs(messageIdIn(headersNamed(headers, 'message-id')[0]), own)) {
		return leftOut('it is our own');
	}

	const automatic = automaticIn(headers);
	if (automatic !== undefined) {
		return leftOut(automatic);
	}

	if (authservId === undefined || !passesDmarc(headers, authservId, sender)) {
		return leftOut(`"${authservId ?? ''}" does not say dmarc=pass of its sender`);
	}

	const repeated = repeatedIn(headers);
	if (repeated !== undefined) {
		return leftOut(`its header "${repeated}" comes twice`);
	}

	if (!recipientsIn(headers).some(address => address === own || address === login)) {
		return leftOut('our address is not among its recipients ("To", "Cc")');
	}

	const ageMs = now - writtenAt(headers);
	return ageMs <= maxAgeMs && ageMs >= -maxAheadMs
		? {sender}
		: leftOut('its "Date" is not one of the last 24 hours');
}

/** Whether a Message-ID has the format of those that the sender of mails creates. */
const isOurs = (id: string | undefined, own: string | undefined): boolean =>
	id !== undefined &&
	/^svc\.[0-9a-f]{25}@/.test(id) &&
	id.split('@').at(-1) === (own?.split('@').at(-1) ?? 'svc.invalid');

/** The message for a mail's text and headers. */
export function messageWith(
	text: string,
	{headers, sender}: {readonly headers: MailHeaders; readonly sender: string},
): InboundMessage {
	const first = (name: string) => headersNamed(headers, name)[0];
	const own = messageIdIn(first('message-id'));
	// The same for repeated copies of a mail, whatever headers servers add.
	const told = own ?? hash(first('date') ?? '', text);
	const root = messageIdIn(first('references')) ?? messageIdIn(first('in-reply-to'));
	const thread = root ?? told;
	const [author] = addressParser(first('from')?.slice(0, maxFromLength) ?? '');
	// Includes the sender, since senders choose their Message-ID, and must not use that of another's mail.
	const id = `${sender}/${told}`;
	return {
		id: id.length <= maxIdLength ? id : hash(id),
		chat: sender,
		user: sender,
		name: bounded(author?.name ?? '', 200) || undefined,
		thread,
		text,
		isDirect: true,
		isForUs: true,
		answer: {
			...((root ?? own) !== undefined && {thread_id: thread}),
			...(own !== undefined && {reply_to: own}),
		},
	};
}

const maxFromLength = 1000;

const hash = (...parts: readonly string[]): string =>
	`sha256:${createHash('sha256').update(parts.join('\n')).digest('hex')}`;

/** The text that a person wrote in a mail; may be empty. Rejects where the mail cannot be read. */
export async function textOfMail(raw: Uint8Array): Promise<string> {
	if (raw.reduce((lines, byte) => lines + (byte === 0x0a ? 1 : 0), 0) > maxLines) {
		throw new Error(`it has more than ${maxLines} lines`);
	}

	const {text = ''} = await new Texts({
		forceRfc822Attachments: true,
		maxHeadersSize: maxHeaderBytes,
	}).parse(raw);
	const reply = bounded(replyText(text), maxTextLength);
	return reply.trim() === '' ? '' : reply;
}

/** The versions of a text in a mail. */
type Forms = {
	readonly [Form in 'html' | 'plain']?: ReadonlyArray<{readonly value: string}>;
};

/** A parser that converts HTML differently: the original takes time quadratic in the length. */
class Texts extends PostalMime {
	declare readonly textMap: ReadonlyMap<unknown, Forms>;
	declare readonly textContent: {plain?: string};

	renderTextContent(): void {
		this.textContent.plain = [...this.textMap.values()]
			.map(({plain = [], html = []}) => {
				const text = plain.map(({value}) => value).join('\n');
				return text.trim() === '' ? html.map(({value}) => textOfHtml(value)).join('\n') : text;
			})
			.join('\n');
	}
}
