import {Tokenizer} from 'htmlparser2';

const maxHtmlLength = 2_000_000;
const hidden: ReadonlySet<string> = new Set(['head', 'script', 'style', 'template', 'title']);
const blocks: ReadonlySet<string> = new Set(
	'address article blockquote div dl dt dd footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul'.split(
		' ',
	),
);

/** Converts HTML to text, with quotes as in plain mails (`> `). Takes linear time, even for malformed HTML. */
export function textOfHtml(whole: string): string {
	const html = whole.slice(0, maxHtmlLength);
	const lines: string[] = [];
	let line = '';
	let quoted = 0;
	let unseen = 0;
	const add = (text: string) => {
		line += unseen === 0 ? text : '';
	};
	const end = () => {
		const text = line.replaceAll(/\s+/g, ' ').trim();
		lines.push(text === '' ? '' : '> '.repeat(Math.min(quoted, 10)) + text);
		line = '';
	};
	const endBlock = () => {
		if (line.trim() === '') {
			line = '';
		} else {
			end();
		}
	};
	const tokenizer = new Tokenizer(
		{decodeEntities: true},
		{
			...nothing,
			onopentagname(from, to) {
				const name = html.slice(from, to).toLowerCase();
				if (hidden.has(name)) {
					unseen += 1;
				} else if (name === 'body') {
					unseen = 0;
				} else if (name === 'br') {
					end();
				} else if (blocks.has(name)) {
					endBlock();
					quoted += name === 'blockquote' ? 1 : 0;
					add(name === 'li' ? '- ' : '');
				} else if (name === 'td' || name === 'th') {
					add(' ');
				}
			},
			onclosetag(from, to) {
				const name = html.slice(from, to).toLowerCase();
				if (hidden.has(name)) {
					unseen = Math.max(0, unseen - 1);
				} else if (blocks.has(name)) {
					endBlock();
					quoted = Math.max(0, quoted - (name === 'blockquote' ? 1 : 0));
					if (name === 'p') {
						end();
					}
				}
			},
			ontext(from, to) {
				add(html.slice(from, to));
			},
			ontextentity(codePoint) {
				add(codePoint > 0x10_ff_ff ? '\ufffd' : String.fromCodePoint(codePoint));
			},
		},
	);
	tokenizer.write(html);
	tokenizer.end();
	endBlock();
	return lines
		.join('\n')
		.replaceAll(/\n{3,}/g, '\n\n')
		.trim();
}

const ignore = () => {};

/** Handlers for tokens other than text. */
const nothing = {
	onattribdata: ignore,
	onattribend: ignore,
	onattribentity: ignore,
	onattribname: ignore,
	oncdata: ignore,
	oncomment: ignore,
	ondeclaration: ignore,
	onend: ignore,
	onopentagend: ignore,
	onprocessinginstruction: ignore,
	onselfclosingtag: ignore,
};

/** Separator lines that Outlook puts before the quoted mail. */
const separator =
	/^\s*-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht)\s*-{2,}\s*$/i;
const rule = /^\s*_{20,}\s*$/;
const headerLine = (names: string) => new RegExp(`^\\s*\\*?(?:${names})\\s*:\\*?\\s`, 'i');
const fromLine = headerLine('from|von|de|da|van');
const sentLine = headerLine('sent|date|gesendet|datum|envoyé|enviado(?: el)?|inviato|verzonden');
const toLine = headerLine('to|an|à|para|a|aan');
const subjectLine = headerLine('subject|betreff|objet|asunto|oggetto|onderwerp|assunto');

/** @see RFC 3676 §4.3 */
const signature = /^-- ?$/;

const attributionStart = /^\s*(?:on|am|le|el|il|op|em|den)\s/i;
const attributionEnd =
	/(?:wrote|schrieb[^:]{0,200}|a écrit|escribió|ha scritto|schreef[^:]{0,200}|escreveu|skrev)\s*:\s*$/i;

/** The text that a person wrote in a mail, without signature and quotes below it. Quotes between its lines are kept; if nothing would be left, the whole text is returned. */
export function replyText(text: string): string {
	const lines = text.replaceAll('\r\n', '\n').split('\n');
	const cut = lines.findIndex((_, index) => beginsQuotedMail(lines, index));
	const own = cut === -1 ? lines : lines.slice(0, cut);
	const reply = withoutTrailingQuote(own).join('\n').trim();
	return reply === '' ? text.trim() : reply;
}

function beginsQuotedMail(lines: readonly string[], index: number): boolean {
	const line = lines[index] ?? '';
	if (separator.test(line) || signature.test(line)) {
		return true;
	}

	const start = rule.test(line) ? index + 1 : index;
	const next = lines.slice(start, start + 8).filter(one => one.trim() !== '');
	return (
		fromLine.test(next[0] ?? '') &&
		(start > index || line === next[0]) &&
		[sentLine, toLine, subjectLine].every(form => next.some(one => form.test(one)))
	);
}

const isPast = (line: string) => line.trim() === '' || /^\s*>/.test(line);

/** Removes quoted lines at the end, and the line above them that names their author. */
function withoutTrailingQuote(lines: readonly string[]): readonly string[] {
	const last = lines.findLastIndex(line => !isPast(line));
	const left = lines.slice(0, last + 1);
	if (!lines.slice(last + 1).some(line => line.trim() !== '')) {
		return left;
	}

	// It may be wrapped over several lines.
	for (const count of [1, 2, 3, 4]) {
		const attribution = left.slice(-count);
		if (
			attributionStart.test(attribution[0] ?? '') &&
			attributionEnd.test(attribution.join(' ').slice(-1000))
		) {
			return left.slice(0, -count);
		}
	}

	return left;
}
