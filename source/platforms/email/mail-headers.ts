import {mailAddressOf} from './recipients.ts';

/** The headers of a mail from top to bottom, with lower-case names and unfolded values. */
export type MailHeaders = ReadonlyArray<readonly [name: string, value: string]>;

/** Parses headers. Only CRLF and LF end a line, as for the servers that processed the mail before: text after a bare CR is not a header. */
export function mailHeadersOf(raw: string): MailHeaders {
	const end = /\r?\n\r?\n/.exec(raw)?.index ?? raw.length;
	return raw
		.slice(0, end)
		.replaceAll(/\r?\n[\t ]+/g, ' ')
		.split(/\r?\n/)
		.flatMap(line => {
			const at = line.indexOf(':');
			const name = line.slice(0, Math.max(at, 0)).trimEnd().toLowerCase();
			return /^[!-9;-~]+$/.test(name) ? [[name, line.slice(at + 1).trim()] as const] : [];
		});
}

export const headersNamed = (headers: MailHeaders, name: string): readonly string[] =>
	headers.filter(([own]) => own === name).map(([, value]) => value);

const idForm = /^[!-;=?A-~]{1,250}@[!-;=?A-~]{1,250}$/;

/** The first Message-ID of a header, without its angle brackets. @see RFC 5322 §3.6.4 */
export function messageIdIn(value: string | undefined): string | undefined {
	const [, id] = /<([^<>\s]{3,300})>/.exec(value ?? '') ?? [];
	return id !== undefined && id.length <= maxIdLength && idForm.test(id) ? id : undefined;
}

const maxIdLength = 290;

/** The sender of a mail, in lower case: its only `From` header with one address; `undefined` if there is none, or several. */
export function mailSenderOf(headers: MailHeaders): string | undefined {
	const [from, ...others] = headersNamed(headers, 'from');
	if (from === undefined || others.length > 0) {
		return undefined;
	}

	const {text, isWhole} = withoutComments(from, '');
	const address = isWhole && !/[,;:]/.test(text) ? mailAddressOf(text) : undefined;
	return address?.toLowerCase();
}

/** The addresses in `To` and `Cc`, in small letters. */
export const recipientsIn = (headers: MailHeaders): readonly string[] =>
	['to', 'cc']
		.flatMap(name => headersNamed(headers, name))
		.flatMap(value => withoutComments(value, '').text.split(/[,;:]/))
		.flatMap(text => mailAddressOf(text)?.toLowerCase() ?? []);

/** The `Date` of a mail, milliseconds since 1970; NaN where it has none. */
export const writtenAt = (headers: MailHeaders): number =>
	Date.parse(withoutComments(headersNamed(headers, 'date')[0] ?? '', '').text);

/** Headers that must not be repeated. A signature covers only the last one, so that another one could be added above it. @see RFC 5322 §3.6, RFC 6376 §8.15 */
const single = ['message-id', 'date', 'to', 'cc', 'content-type', 'content-transfer-encoding'];

/** The first header that is repeated although it must not be; `undefined` if there is none. */
export const repeatedIn = (headers: MailHeaders): string | undefined =>
	single.find(name => headersNamed(headers, name).length > 1);

/** Why a mail is not a person's message to us; `undefined` if it may be one. @see RFC 3834 §2 */
export function automaticIn(headers: MailHeaders): string | undefined {
	const first = (name: string) => headersNamed(headers, name)[0]?.toLowerCase() ?? '';
	const automatic = first('auto-submitted').split(';')[0]?.trim() ?? '';
	if (automatic !== '' && automatic !== 'no') {
		return 'a program wrote it';
	}

	if (/^(?:bulk|list|junk)\b/.test(first('precedence')) || hasListHeader(headers)) {
		return 'it comes from a mailing list';
	}

	return /^<\s*>$/.test(first('return-path')) ||
		first('content-type').startsWith('multipart/report')
		? 'it is a report'
		: undefined;
}

const hasListHeader = (headers: MailHeaders): boolean =>
	headers.some(([name]) => name.startsWith('list-'));

/**
 * Whether our server verified that the mail comes from the domain in its `From`. Senders can write any header, but our server adds its own above theirs: only its topmost
 * result counts.
 *
 * @see RFC 8601 §2.2, §5, RFC 7489 §11.2
 */
export function passesDmarc(headers: MailHeaders, authservId: string, sender: string): boolean {
	const ours = headersNamed(headers, 'authentication-results')
		.map(value => withoutComments(value, '_'))
		.find(
			({text}) => text.trimStart().split(/[\s;]/)[0]?.toLowerCase() === authservId.toLowerCase(),
		);
	const [, ...results] = ours?.isWhole ? ours.text.split(';') : [];
	const found = results
		.map(result => result.trim())
		.filter(result => /^dmarc\s*[/=]/i.test(result));
	const [result = ''] = found;
	const domains = [...result.matchAll(/\sheader\.from\s*=\s*(\S+)/gi)].map(([, value = '']) =>
		value.toLowerCase().split('@').at(-1),
	);
	return (
		found.length === 1 &&
		/^dmarc\s*(?:\/\s*\d+\s*)?=\s*pass(?:\s|$)/i.test(result) &&
		domains.every(domain => domain === sender.split('@').at(-1))
	);
}

/**
 * Removes comments from a header, and quotes from quoted strings, in which `special` replaces special characters. `isWhole`: every comment and string is closed.
 *
 * @see RFC 5322 §3.2.2
 */
function withoutComments(value: string, special: string): {text: string; isWhole: boolean} {
	let text = '';
	let depth = 0;
	let isQuoted = false;
	let isEscaped = false;
	for (const character of value) {
		if (isEscaped) {
			isEscaped = false;
			text += depth === 0 ? special : '';
		} else if (character === '\\' && (isQuoted || depth > 0)) {
			isEscaped = true;
		} else if (isQuoted) {
			isQuoted = character !== '"';
			// If `special` is empty, quoted strings are removed.
			const isKept = special !== '' && /[\w.@-]/.test(character);
			text += isQuoted ? (isKept ? character : special) : '';
		} else if (character === '(') {
			depth += 1;
			text += ' ';
		} else if (depth > 0) {
			depth -= character === ')' ? 1 : 0;
		} else if (character === '"') {
			isQuoted = true;
		} else {
			text += character;
		}
	}

	return {text, isWhole: depth === 0 && !isQuoted};
}
