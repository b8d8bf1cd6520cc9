import type {HmacForm, SignatureForm, TokenForm} from '../config/senders/sender.ts';
import type {SenderName} from '../config/senders/senders.ts';
import {problemOfBodyTime} from './body-time.ts';
import {ed25519Scheme} from './ed25519-scheme.ts';
import {headerOf} from './headers.ts';
import type {RequestHeaders} from './headers.ts';
import {prefixedTokenScheme} from './prefixed-token.ts';
import type {HmacClaim, Reading, Scheme} from './signature-claim.ts';
import {decodeDigest, digestSizes} from './signature-digest.ts';

/** Rotations send two, and Stripe one for each secret and for tests; a header of 16 KiB must not cost hundreds of comparisons. */
const maxItems = 32;

/** The scheme of a form that a preset or a route describes. @see manual/signatures.md#the-signature-of-a-route */
export function formScheme(scheme: SenderName | 'custom', form: SignatureForm): Scheme {
	if ('token' in form) {
		return prefixedTokenScheme(form);
	}

	return 'ed25519' in form ? ed25519Scheme(scheme, form) : hmacScheme(scheme, form);
}

/** Whether a form is an HMAC. */
export const isHmacForm = (form: SignatureForm): form is HmacForm =>
	!('token' in form) && !('ed25519' in form);

export const isTokenForm = (form: SignatureForm): form is TokenForm => 'token' in form;

/**
 * A scheme that is an HMAC of the body, perhaps with a timestamp, in one header. A sender that rotates its secret, or a header that comes twice, gives
 * several signatures separated by commas: any of them passes. A form that `{body}` does not stand in exactly once fits no request.
 */
function hmacScheme(scheme: SenderName | 'custom', form: HmacForm): Scheme {
	const {header, algorithm, prefix, encoding, separator, bodyTime, contentOf, idHeader} = form;
	const [before, after, ...more] = wireText(form.signed).split('{body}');
	const size = digestSizes[algorithm];
	const problemOfBody = bodyTime && problemOfBodyTime(bodyTime);

	return {
		header,
		read(value, headers, url): Reading {
			if (before === undefined || after === undefined || more.length > 0) {
				return {problem: `${scheme}: {body} is to stand in "signed" exactly once`};
			}

			if (contentOf && url === undefined) {
				return {problem: `${scheme}: signs its address, and the route has no "public_url"`};
			}

			const time = timeIn(form, value, headers);
			if (time === 'several') {
				return {problem: `${header} holds several timestamps`};
			}

			const id = idHeader === undefined ? '' : headerOf(headers, idHeader);
			if (id === undefined) {
				return {problem: `${idHeader} is missing`};
			}

			const signed: Readonly<Record<string, string>> = {timestamp: time?.text ?? '', id};
			const fill = (text: string) =>
				text.replaceAll(/\{(timestamp|id)\}/g, (_, name: string) => signed[name] ?? '');
			const contentType = headerOf(headers, 'content-type');
			return {
				claim: {
					scheme,
					header,
					algorithm,
					form: {prefix, encoding},
					digests: itemsOf(value, prefix, separator).flatMap(
						item => decodeDigest(item, encoding, size) ?? [],
					),
					ed25519Signatures: [],
					before: fill(before),
					after: fill(after),
					keys: 'literal',
					...(time && {timestamp: time}),
					...(idHeader !== undefined && {signedIdHeader: idHeader}),
					...(problemOfBody && {problemOfBody}),
					...(contentOf && {
						contentOf: (body: Buffer) => contentOf({url: url ?? '', body, contentType}),
					}),
				},
			};
		},
	};
}

/** The time that is signed, where the form has one. */
function timeIn(
	{header, timestampHeader, timestampItem, separator, timeFormat}: HmacForm,
	value: string,
	headers: RequestHeaders,
): HmacClaim['timestamp'] | 'several' {
	const format = timeFormat && {format: timeFormat};
	if (timestampHeader !== undefined) {
		return {header: timestampHeader, text: headerOf(headers, timestampHeader), ...format};
	}

	if (timestampItem === undefined) {
		return undefined;
	}

	const times = new Set(itemsOf(value, timestampItem, separator));
	const [text] = times;
	return times.size > 1
		? 'several'
		: {header: `${timestampItem.replace(/=$/, '')} of ${header}`, text, ...format};
}

/** Configured text as its UTF-8 bytes, one a character: the form in which header text comes. */
const wireText = (text: string) => Buffer.from(text).toString('latin1');

/** What stands behind `prefix` in the items of a header; one that came twice is joined by a comma. A prefix that holds a comma itself is looked for in the whole header only. */
function itemsOf(value: string, prefix: string, separator = ','): readonly string[] {
	const items = prefix.includes(',')
		? [value]
		: value.split(separator === ',' ? ',' : /[,;]/, maxItems).map(item => item.trim());
	return items.filter(item => item.startsWith(prefix)).map(item => item.slice(prefix.length));
}
