import {domainToASCII} from 'node:url';
import type {JsonObject} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import {
	type Checked,
	extraValue,
	incompleteTarget,
	invalidTarget,
	requiredText,
} from '../target-keys.ts';

const maxRecipients = 10;
const maxSubjectLength = 200;

/**
 * The recipients of a mail: `deliver_extra.chat_id` (an address, several separated by commas, or a list; empty entries are ignored), otherwise the home channel. At most
 * 10, joined by `, `.
 *
 * @see manual/delivery-email.md
 */
export function recipientsOf(extra: JsonObject, homeChannel: string | undefined): Checked<string> {
	const named = extraValue(extra, 'chat_id') ?? homeChannel;
	if (named === undefined) {
		return incompleteTarget(
			'deliver_extra.chat_id is missing and platforms.email.home_channel is not set',
		);
	}

	const filled = [named].flat().filter(entry => entry !== '');
	const entries = filled.length === 0 ? [''] : filled.slice(0, maxRecipients + 1);
	const recipients = new Set<string>();
	for (const entry of entries) {
		const written = requiredText({chat_id: entry}, 'chat_id');
		if (!written.ok) {
			return written;
		}

		for (const text of written.value.split(/[,;]/)) {
			const address = mailAddressOf(text);
			if (address === undefined) {
				return invalidTarget(
					`deliver_extra.chat_id has "${escapeLine(text.trim(), 80)}", which is not an e-mail address`,
				);
			}

			recipients.add(address);
		}
	}

	return recipients.size > maxRecipients
		? invalidTarget(`deliver_extra.chat_id names more than ${maxRecipients} recipients`)
		: {ok: true, value: [...recipients].join(', ')};
}

/** Parses `name@domain`, or `Name <name@domain>`, into an address with an ASCII domain. `undefined` for anything else. */
export function mailAddressOf(text: string): string | undefined {
	const [, inBrackets] = /^[^<>\r\n]*<([^<>]*)>$/.exec(text.trim()) ?? [];
	const [, name = '', domain = ''] =
		/^([\w.!#$%&'*+/=?^`{|}~-]{1,64})@([^@\s]{1,253})$/.exec(inBrackets ?? text.trim()) ?? [];
	const ascii = domainToASCII(domain);
	return name !== '' && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(ascii) && !ascii.includes('..')
		? `${name}@${ascii}`
		: undefined;
}

/** `deliver_extra.subject`, or `[svc] <route or job>: <event>`: one line of at most 200 characters, without hidden ones. */
export function mailSubjectOf(
	extra: JsonObject,
	{route, event, job}: Pick<OutgoingMessage, 'event' | 'job' | 'route'>,
): string {
	const written = extraValue(extra, 'subject');
	const subject = typeof written === 'string' ? oneLine(written) : '';
	return subject === '' ? oneLine(`[svc] ${job?.name ?? route}: ${event}`) : subject;
}

const oneLine = (text: string) =>
	Array.from(
		text
			.slice(0, maxSubjectLength * 4)
			.toWellFormed()
			.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
			// The beginning of an encoded word (RFC 2047), in which anything could be hidden.
			.replaceAll('=?', '= ?')
			.trim(),
	)
		.slice(0, maxSubjectLength)
		.join('');
