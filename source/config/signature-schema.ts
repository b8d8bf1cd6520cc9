import {z} from 'zod';
import {nearestName} from '../core/nearest-name.ts';
import {checked, looseJsonOf, requiredSetting, setting} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import type {SignatureSpec} from './route.ts';
import {firstProblem} from './schema-issues.ts';
import {formOf, senderNames} from './senders/senders.ts';

const maxSignedLength = 256;

/** Name of a header. @see RFC 9110 §5.1 */
export const headerName = checked(z.string(), value =>
	/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(value)
		? undefined
		: "must be a header's name: 1 to 64 letters, digits and hyphens",
);

const prefixText = checked(z.string(), value =>
	/^[ -~]{0,64}$/.test(value) ? undefined : 'must be at most 64 characters of ASCII',
);

export const lowerCase = (header: string): string => header.toLowerCase();

/** A scheme of one's own. @see manual/signatures.md#the-signature-of-a-route */
export const signatureSettings = defineSettings({
	header: requiredSetting(headerName, {
		description: 'Header that holds the signature',
		to: lowerCase,
	}),
	algorithm: setting(z.enum(['sha1', 'sha256', 'sha512']), {
		description: 'Hash of the HMAC',
		default: 'sha256',
	}),
	prefix: setting(prefixText, {description: 'What stands before the digest', default: ''}),
	encoding: setting(z.enum(['hex', 'base64']), {
		description: 'How the digest is written',
		default: 'hex',
	}),
	token: setting(z.boolean(), {
		description:
			'The header is the secret itself, after `prefix` (`Bearer`; after `Basic` it is `user:password`); stands with `header` and `prefix` alone',
	}),
	timestamp_header: setting(headerName, {
		description: 'Header with the Unix seconds; within 300 s of our clock',
		to: lowerCase,
	}),
	signed: setting(checked(z.string(), problemWithSigned), {
		description:
			'What is signed; default {body}, with a timestamp_header {timestamp}.{body}; each stands in it once',
	}),
});

const fields = signatureSettings.schema;

const customSchema = checked(fields, spec => problemWithToken(spec) ?? problemWithTime(spec));

/** `signature` in the JSON Schema. */
export const signatureJson = looseJsonOf(z.union([z.enum(senderNames), fields]));

/** Why `written` (not absent) cannot be a route's `signature`; `undefined`: it can. Never holds what was written. @see manual/signatures.md#schemes */
export function problemWithSignature(written: unknown): string | undefined {
	if (typeof written !== 'string') {
		return firstProblem(customSchema, written);
	}

	if (presetNamed(written)) {
		return undefined;
	}

	const nearest = nearestName(written, senderNames);
	return nearest === undefined
		? `must be one of ${senderNames.join(', ')}, or a mapping with "header"`
		: `the preset is not known, did you mean "${nearest}"`;
}

/** `signature` as the receiver uses it; `undefined` when it is absent or wrong. */
export function signatureOf(written: unknown): SignatureSpec | undefined {
	const kind = presetNamed(written);
	if (kind) {
		return {kind};
	}

	const {data} = customSchema.safeParse(written);
	if (!data) {
		return undefined;
	}

	const {token, ...form} = signatureSettings.read(data);
	if (token) {
		return {kind: 'custom', token, header: form.header, prefix: form.prefix};
	}

	return {
		kind: 'custom',
		...form,
		signed: form.signed ?? (form.timestampHeader === undefined ? '{body}' : '{timestamp}.{body}'),
	};
}

/** Whether secrets beside `written` are public keys in hex. */
export const hasHexKeys = (written: unknown): boolean => {
	const spec = signatureOf(written);
	return spec !== undefined && 'ed25519' in formOf(spec);
};

/** Whether what it names signs the address that the sender was given. */
export const signsAddress = (written: unknown): boolean => {
	const spec = signatureOf(written);
	return spec !== undefined && 'contentOf' in formOf(spec);
};

const presetNamed = (written: unknown) => senderNames.find(name => name === written);

function problemWithSigned(signed: string): string | undefined {
	const placeholders = [...signed.matchAll(/\{[^{}]*\}/g)].map(([placeholder]) => placeholder);
	if (signed.length > maxSignedLength) {
		return `must be at most ${maxSignedLength} characters`;
	}

	if (placeholders.filter(placeholder => placeholder === '{body}').length !== 1) {
		return 'must hold {body} exactly once';
	}

	const times = placeholders.filter(placeholder => placeholder === '{timestamp}').length;
	return placeholders.length > times + 1 || times > 1
		? 'can hold no other placeholder than {body} and {timestamp}, each once'
		: undefined;
}

/** Of a token nothing is signed. */
function problemWithToken({token, ...spec}: z.output<typeof fields>): string | undefined {
	const others = (['algorithm', 'encoding', 'timestamp_header', 'signed'] as const).filter(
		key => spec[key] !== undefined && spec[key] !== null,
	);
	return token && others.length > 0
		? `has "token" together with "${others.join('", "')}", which say how a signature is made: keep one of them`
		: undefined;
}

/** A time that is not signed protects nothing, and one that nothing tells cannot be checked. */
function problemWithTime(spec: z.output<typeof fields>): string | undefined {
	const signsTime = spec.signed?.includes('{timestamp}');
	if (!spec.timestamp_header) {
		return signsTime ? 'needs "timestamp_header" beside {timestamp} in "signed"' : undefined;
	}

	if (spec.timestamp_header.toLowerCase() === spec.header.toLowerCase()) {
		return 'has the same header for the signature and the time';
	}

	return signsTime === false
		? 'needs {timestamp} in "signed" beside "timestamp_header": a time that is not signed can be changed by anybody'
		: undefined;
}
