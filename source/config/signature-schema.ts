import {z} from 'zod';
import {didYouMean} from '../core/names.ts';
import {checked, looseJsonOf, requiredSetting, setting} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import type {SignatureSpec} from './route.ts';
import {firstProblem} from './schema-issues.ts';
import {formOf, takesHexKeys, senderNames} from './senders/senders.ts';

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

/** A custom signature scheme. @see manual/signatures.md#the-signature-of-a-route */
export const signatureSettings = defineSettings({
	header: requiredSetting(headerName, 'Header that holds the signature', {to: lowerCase}),
	preset: setting(
		z.enum(senderNames),
		'A preset whose signature is in `header` instead of its own header; only `header` is allowed beside it',
	),
	algorithm: setting(z.enum(['sha1', 'sha256', 'sha512']), 'Hash of the HMAC', {default: 'sha256'}),
	prefix: setting(prefixText, 'Text before the digest', {default: ''}),
	encoding: setting(z.enum(['hex', 'base64']), 'How the digest is written', {default: 'hex'}),
	token: setting(
		z.boolean(),
		'`true`: the header holds the secret itself, after `prefix` (`Bearer`; after `Basic` the secret is `user:password`); only `header` and `prefix` are allowed beside it',
	),
	timestamp_header: setting(
		headerName,
		'Header with the time: Unix seconds, milliseconds (13 digits) or RFC 3339; it may differ from the clock of this machine by 300 s',
		{to: lowerCase},
	),
	id_header: setting(
		headerName,
		'Header with the identifier that `{id}` in `signed` stands for; it becomes the identifier of the delivery, too',
		{to: lowerCase},
	),
	signed: setting(
		checked(z.string(), problemWithSigned),
		'The text that is signed: {body} once, {timestamp} and {id} at most once each; default {body}, with a timestamp_header {timestamp}.{body}',
	),
});

const fields = signatureSettings.schema;

const customSchema = checked(
	fields,
	spec =>
		problemWithPreset(spec) ??
		problemWithToken(spec) ??
		problemWithTime(spec) ??
		problemWithId(spec),
);

/** The JSON Schema of `signature`. */
export const signatureJson = looseJsonOf(z.union([z.enum(senderNames), fields]));

/** Why `written` (not absent) cannot be a route's `signature`; `undefined`: it can. Does not repeat `written`. @see manual/signatures.md#schemes */
export function problemWithSignature(written: unknown): string | undefined {
	if (typeof written !== 'string') {
		return firstProblem(customSchema, written);
	}

	if (presetNamed(written)) {
		return undefined;
	}

	const meant = didYouMean(written, senderNames);
	return meant === ''
		? `must be one of ${senderNames.join(', ')}, or a mapping with "header"`
		: `the preset is not known${meant}`;
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

	const {token, preset, ...form} = signatureSettings.read(data);
	if (preset) {
		return {kind: preset, header: form.header};
	}

	if (token) {
		return {kind: 'custom', token, header: form.header, prefix: form.prefix};
	}

	return {
		kind: 'custom',
		...form,
		...(form.timestampHeader !== undefined && {timeFormat: 'any'}),
		signed: form.signed ?? (form.timestampHeader === undefined ? '{body}' : '{timestamp}.{body}'),
	};
}

/** Whether the secrets of a route with this `signature` are public keys in hex. */
export const hasHexKeys = (written: unknown): boolean => takesHexKeys(signatureOf(written));

/** Whether signatures of this `signature` cover the address of the route. */
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

	const others = placeholders.filter(placeholder => placeholder !== '{body}');
	return others.length > new Set(others).size || !others.every(other => isSignedBeside.has(other))
		? 'can hold no other placeholder than {body}, {timestamp} and {id}, each once'
		: undefined;
}

const isSignedBeside: ReadonlySet<string> = new Set(['{timestamp}', '{id}']);

type Written = z.output<typeof fields>;

const madeBy = ['algorithm', 'encoding', 'timestamp_header', 'id_header', 'signed'] as const;

const keysIn = (spec: Written, keys: ReadonlyArray<keyof Written>): readonly string[] =>
	keys.filter(key => spec[key] !== undefined && spec[key] !== null);

/** A preset allows no other key than `header`. */
function problemWithPreset(spec: Written): string | undefined {
	const others = keysIn(spec, ['prefix', 'token', ...madeBy]);
	return spec.preset && others.length > 0
		? `has "preset" together with "${others.join('", "')}", which it says itself: keep one of them`
		: undefined;
}

/** With `token` nothing is signed. */
function problemWithToken(spec: Written): string | undefined {
	const others = keysIn(spec, madeBy);
	return spec.token && others.length > 0
		? `has "token" together with "${others.join('", "')}", which say how a signature is made: keep one of them`
		: undefined;
}

/** `id_header` is the header of a signed identifier; an unsigned one belongs to `id_header` of the route. */
function problemWithId({id_header: header, signed}: Written): string | undefined {
	const isSigned = signed?.includes('{id}') ?? false;
	if (isSigned === Boolean(header)) {
		return undefined;
	}

	return isSigned
		? 'needs "id_header" beside {id} in "signed"'
		: 'needs {id} in "signed" beside "id_header"; an identifier that is not signed is "id_header" of the route';
}

/** An unsigned time protects nothing, and a signed time without a header cannot be checked. */
function problemWithTime(spec: Written): string | undefined {
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
