import {createHash} from 'node:crypto';
import type {Ed25519Form, HmacForm, SignatureForm, TokenForm} from '../config/senders/sender.ts';
import type {SenderName} from '../config/senders/senders.ts';
import {parsedObject} from '../core/json.ts';
import {type RequestHeaders, headerOf} from './request-content.ts';
import {
	type HmacClaim,
	type ClaimReading,
	type Scheme,
	type TokenClaim,
	decodeDigest,
	describeSkew,
	digestSizes,
} from './signature-claim.ts';

/**
 * The problem with the time in a signed body, Unix milliseconds under `field`: it may differ from the clock of the server by
 * `toleranceMs` either side. It may be absent: a replayed request cannot remove it without breaking the signature.
 */
const problemOfBodyTime =
	({field, toleranceMs}: NonNullable<HmacForm['bodyTime']>) =>
	(body: Buffer, nowMs: number): string | undefined => {
		// Invalid JSON is refused by the next row of the response table.
		const payload = parsedObject(body.toString()) ?? {};
		const sentAt = Object.hasOwn(payload, field) ? payload[field] : undefined;
		if (sentAt === undefined) {
			return undefined;
		}

		if (typeof sentAt !== 'number') {
			return `${field} is not a number of milliseconds`;
		}

		const skewMs = sentAt - nowMs;
		return Math.abs(skewMs) <= toleranceMs
			? undefined
			: `${field}: ${describeSkew(Math.sign(skewMs) * Math.ceil(Math.abs(skewMs) / 1000), toleranceMs / 1000)}`;
	};

/**
 * A header with the secret itself after a prefix, whose case does not matter (RFC 9110 §11.1). Only the digest of the secret is kept. After `Basic` the value is decoded: there the
 * secret is `user:password` (RFC 7617).
 *
 * @see manual/signatures.md#tokens
 */
const prefixedTokenScheme = ({header, prefix}: TokenForm): Scheme => {
	const wanted = prefix.trim().toLowerCase();
	return {
		header,
		read: value => ({
			claim: value.toLowerCase().startsWith(wanted)
				? tokenClaim(header, prefix, value.slice(wanted.length).trimStart())
				: {...tokenClaim(header, prefix, value), lacksPrefix: wanted},
		}),
	};
};

/** The claim of a header without its prefix: the whole value, or the part after another word. */
export function withoutPrefix({header, prefix = ''}: TokenClaim, value: string): TokenClaim {
	const word = value.lastIndexOf(' ');
	return tokenClaim(header, prefix, value.slice(word + 1));
}

function tokenClaim(header: string, prefix: string, token: string): TokenClaim {
	const decoded =
		prefix.trim().toLowerCase() === 'basic' ? Buffer.from(token, 'base64') : undefined;
	// Several texts decode to the same bytes: only the canonical one counts.
	const bytes = decoded?.toString('base64') === token ? decoded : Buffer.from(token, 'latin1');
	return {scheme: 'token', header, prefix, digest: createHash('sha256').update(bytes).digest()};
}

/** The value of the header as a sender writes it. */
export function tokenText({prefix}: TokenForm, secret: string): string {
	const scheme = prefix.trim();
	const token = scheme.toLowerCase() === 'basic' ? Buffer.from(secret).toString('base64') : secret;
	return /\w$/.test(scheme) ? `${scheme} ${token}` : `${prefix}${token}`;
}

/** Most signatures in a header of 16 KiB: rotations send two, Stripe one for each secret and for tests. */
const maxItems = 32;

/** The scheme of the form of a preset or a route. @see manual/signatures.md#the-signature-of-a-route */
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
 * An HMAC of the body, possibly with a timestamp, in one header. During a rotation, or when the header is repeated, there are
 * several signatures separated by commas: any of them passes. A form without exactly one `{body}` fits no request.
 */
function hmacScheme(scheme: SenderName | 'custom', form: HmacForm): Scheme {
	const {header, algorithm, prefix, encoding, separator, bodyTime, contentOf, idHeader} = form;
	const [before, after, ...more] = wireText(form.signed).split('{body}');
	const size = digestSizes[algorithm];
	const problemOfBody = bodyTime && problemOfBodyTime(bodyTime);

	return {
		header,
		read(value, headers, url): ClaimReading {
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

/** The signed time, where the form has one. */
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

/** Configured text as UTF-8 bytes, one per character, which is the form of header values in Node. */
const wireText = (text: string) => Buffer.from(text).toString('latin1');

/** The texts after `prefix` in the items of a header; repeated headers are joined by commas. A prefix with a comma is only searched at the start of the whole header. */
function itemsOf(value: string, prefix: string, separator = ','): readonly string[] {
	const items = prefix.includes(',')
		? [value]
		: value.split(separator === ',' ? ',' : /[,;]/, maxItems).map(item => item.trim());
	return items.filter(item => item.startsWith(prefix)).map(item => item.slice(prefix.length));
}

const signatureBytes = 64;

/** An Ed25519 signature of `<timestamp><body>` in one header. The secrets of such a route are public keys, and never keys of an HMAC. */
const ed25519Scheme = (
	scheme: SenderName | 'custom',
	{header, timestampHeader}: Ed25519Form,
): Scheme => ({
	header,
	read(value, headers) {
		const text = headerOf(headers, timestampHeader);
		const signature = decodeDigest(value, 'hex', signatureBytes);
		return {
			claim: {
				scheme,
				header,
				algorithm: 'sha512',
				form: {prefix: '', encoding: 'hex', isEd25519: true},
				digests: [],
				ed25519Signatures: signature ? [signature] : [],
				before: text ?? '',
				after: '',
				keys: 'literal',
				timestamp: {header: timestampHeader, text},
			},
		};
	},
});
