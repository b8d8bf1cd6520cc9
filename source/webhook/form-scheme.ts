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
 * Checks the time in a signed body, Unix milliseconds under `field`. Returns a problem if it differs from the clock of the server by more than `toleranceMs`. The time may be
 * absent: removing it from a captured request would break the signature.
 */
const problemOfBodyTime =
	({field, toleranceMs}: NonNullable<HmacForm['bodyTime']>) =>
	(body: Buffer, nowMs: number): string | undefined => {
		// Invalid JSON passes here; parsing the body refuses it.
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
 * A header that holds the secret itself after a prefix in any case (RFC 9110 §11.1). Keeps only the digest of the secret. After `Basic` the value is base64 of `user:password`
 * (RFC 7617).
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

/** The claim of a header that lacks the configured prefix: its secret is the last word of `value`. */
export function withoutPrefix({header, prefix = ''}: TokenClaim, value: string): TokenClaim {
	const word = value.lastIndexOf(' ');
	return tokenClaim(header, prefix, value.slice(word + 1));
}

function tokenClaim(header: string, prefix: string, token: string): TokenClaim {
	const decoded =
		prefix.trim().toLowerCase() === 'basic' ? Buffer.from(token, 'base64') : undefined;
	// Several base64 texts decode to the same bytes; only the canonical one is decoded.
	const bytes = decoded?.toString('base64') === token ? decoded : Buffer.from(token, 'latin1');
	return {scheme: 'token', header, prefix, digest: createHash('sha256').update(bytes).digest()};
}

/** The header value that a sender with this secret sends. */
export function tokenText({prefix}: TokenForm, secret: string): string {
	const scheme = prefix.trim();
	const token = scheme.toLowerCase() === 'basic' ? Buffer.from(secret).toString('base64') : secret;
	return /\w$/.test(scheme) ? `${scheme} ${token}` : `${prefix}${token}`;
}

/** Most signatures that are read from a header (16 KiB hold more). Rotations send two; Stripe sends one per secret, and one for tests. */
const maxItems = 32;

/** Makes the scheme for the signature form of a preset or a route. @see manual/signatures.md#the-signature-of-a-route */
export function formScheme(scheme: SenderName | 'custom', form: SignatureForm): Scheme {
	if ('token' in form) {
		return prefixedTokenScheme(form);
	}

	return 'ed25519' in form ? ed25519Scheme(scheme, form) : hmacScheme(scheme, form);
}

export const isHmacForm = (form: SignatureForm): form is HmacForm =>
	!('token' in form) && !('ed25519' in form);

export const isTokenForm = (form: SignatureForm): form is TokenForm => 'token' in form;

/**
 * An HMAC of the body, possibly with a timestamp, in one header. During a rotation, or when the header is repeated, it holds several signatures separated by commas; one valid
 * signature is enough. A form without exactly one `{body}` refuses every request.
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

/** The signed time; `undefined` if the form has none, `several` if the header holds different times. */
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

/** Encodes configured text like header values in Node: UTF-8 bytes, one per character. */
const wireText = (text: string) => Buffer.from(text).toString('latin1');

/** The items of a header that start with `prefix`, without it; Node joins repeated headers by commas. If the prefix contains a comma, the whole header is one item. */
function itemsOf(value: string, prefix: string, separator = ','): readonly string[] {
	const items = prefix.includes(',')
		? [value]
		: value.split(separator === ',' ? ',' : /[,;]/, maxItems).map(item => item.trim());
	return items.filter(item => item.startsWith(prefix)).map(item => item.slice(prefix.length));
}

const signatureBytes = 64;

/** An Ed25519 signature of `<timestamp><body>` in one header. The secrets of such a route are public keys, and are never used for an HMAC. */
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
