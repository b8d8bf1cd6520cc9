import {createHash} from 'node:crypto';
import postalMime from 'postal-mime';
import type {InboundMessage} from '../listener.ts';
import type {EmailSettings} from './descriptor.ts';
import {
	automaticIn,
	headersNamed,
	type MailHeaders,
	messageIdIn,
	passesDmarc,
	senderOf,
} from './mail-headers.ts';
import {mailAddressOf} from './recipients.ts';
import {replyText, textOfHtml} from './reply-text.ts';

const maxTextLength = 100_000;

/** Who wrote a mail, or why it is left out. */
export type Judged =
	| {readonly sender: string; readonly leftOut?: never}
	| {readonly leftOut: string; readonly sender: string | undefined};

/** Whether a mail is of a person whom our server knows for its sender. Mails of our own, of programs and lists are left out. */
export function judgeMail(
	headers: MailHeaders,
	{from, authservId}: Pick<EmailSettings, 'from' | 'authservId'>,
): Judged {
	const sender = senderOf(headers);
	const own = mailAddressOf(from)?.toLowerCase();
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

	return authservId !== undefined && passesDmarc(headers, authservId, sender)
		? {sender}
		: leftOut(`"${authservId ?? ''}" does not say dmarc=pass of its sender`);
}

/** As the sender of mails makes them. */
const isOurs = (id: string | undefined, own: string | undefined): boolean =>
	id !== undefined &&
	/^svc\.[0-9a-f]{25}@/.test(id) &&
	id.split('@').at(-1) === (own?.split('@').at(-1) ?? 'svc.invalid');

/** The message of a mail; `undefined` where it has no text. Rejects where the mail cannot be read. */
export async function messageOf(
	raw: Uint8Array,
	{
		headers,
		sender,
		at,
	}: {readonly headers: MailHeaders; readonly sender: string; readonly at: number},
): Promise<InboundMessage | undefined> {
	const mail = await postalMime.parse(raw, {rfc822Attachments: true});
	const written = mail.text?.trim() ? mail.text : textOfHtml(mail.html ?? '');
	const text = replyText(written).slice(0, maxTextLength).toWellFormed();
	if (text.trim() === '') {
		return undefined;
	}

	const first = (name: string) => headersNamed(headers, name)[0];
	const own = messageIdIn(first('message-id'));
	const id = own ?? `sha256:${createHash('sha256').update(raw).digest('hex')}`;
	const root = messageIdIn(first('references')) ?? messageIdIn(first('in-reply-to'));
	const thread = root ?? id;
	const name = mail.from?.name?.slice(0, 200).toWellFormed();
	return {
		id,
		chat: sender,
		user: sender,
		...(name && {name}),
		thread,
		text,
		at,
		isDirect: true,
		isForUs: true,
		answer: {
			...((root ?? own) !== undefined && {thread_id: thread}),
			...(own !== undefined && {reply_to: own}),
		},
	};
}
