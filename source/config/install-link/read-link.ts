import {SvcError} from '../../core/errors.ts';
import {isDeepJson, isJsonObject, parsedJson, type JsonObject} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import type {ErrorCode} from '../../manual/error-codes.ts';
import {repeatedKeysIn} from '../json-source.ts';
import {asPlainData} from '../plain-data.ts';
import {anyReference} from '../references.ts';

const linkPattern = /^svc:\/\/mcp\/install\/?(?:\?([^#]*))?(?:#.*)?$/is;

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

/** Most bytes of the decoded `config`. */
const maxConfigBytes = 32 * 1024;

/** Most characters of the encoded `config`. */
const maxConfigCharacters = 43_700;

const tooLarge = 'its "config" is larger than 32 KiB';

const maxIgnored = 20;

/** Whether a tool server from a link may have this name. */
export const isLinkName = (name: string): boolean => namePattern.test(name);

/** Refuses an invalid name that a person chose instead of the link's. @throws SvcError `invalid_name` */
export function requireLinkName(name: string): void {
	if (!isLinkName(name)) {
		fail('invalid_name', 'the name must be 1 to 64 characters of A-Z, a-z, 0-9, ".", "_" and "-"');
	}
}

/**
 * The server that `svc://mcp/install?name=…&config=…` describes. Reads nothing but the link, and writes nothing.
 *
 * @throws SvcError the first that is true of `invalid_link` (another link), `invalid_name`, `missing_config`, `payload_too_large` (more than 43,700 characters, or 32 KiB decoded), `bad_encoding` (no
 * base64 or base64url of UTF-8 of JSON), `not_an_object`, `invalid_shape` (not exactly one of `url` and `command`, or no plain data), `invalid_url`. Their messages hold nothing of the link.
 * @see manual/install-link.md#what-is-refused
 */
export function readInstallLink(link: string) {
	const [whole, query = ''] = linkPattern.exec(link.trim()) ?? [];
	if (whole === undefined) {
		fail('invalid_link', 'it must begin with svc://mcp/install?');
	}

	const parameters = parametersOf(query);
	const [writtenName = '', ...otherNames] = parameters.get('name') ?? [];
	const name = decoded(writtenName) ?? '';
	if (otherNames.length > 0 || !isLinkName(name)) {
		fail(
			'invalid_name',
			'it needs one "name" of 1 to 64 characters of A-Z, a-z, 0-9, ".", "_" and "-"',
		);
	}

	const [encoded = '', ...otherConfigs] = parameters.get('config') ?? [];
	if (encoded === '' || otherConfigs.length > 0) {
		fail(
			'missing_config',
			'it needs one "config"; in a shell the whole link stands in quotation marks, or it ends at "&"',
		);
	}

	return {
		name,
		/** The server entry of the link, with its `url` or its `command`. */
		config: readConfig(encoded),
		/** Names of parameters without a meaning, each once, at most 20. */
		ignored: [...parameters.keys()]
			.filter(key => key !== 'name' && key !== 'config')
			.slice(0, maxIgnored),
	};
}

/** Parameters with their values as written. A `+` is no blank: it is a character of base64. */
function parametersOf(query: string): ReadonlyMap<string, readonly string[]> {
	const parameters = new Map<string, string[]>();
	for (const part of query.split('&').filter(text => text !== '')) {
		const [, key = '', value = ''] = /^([^=]*)=?([^]*)$/.exec(part) ?? [];
		const name = decoded(key) ?? key;
		const values = parameters.get(name) ?? [];
		values.push(value);
		parameters.set(name, values);
	}

	return parameters;
}

const decoded = (text: string): string | undefined =>
	orElse(() => decodeURIComponent(text), undefined);

function readConfig(written: string): JsonObject {
	if (written.replaceAll(/%[\da-f]{2}/gi, '%').length > maxConfigCharacters) {
		fail('payload_too_large', tooLarge);
	}

	const bytes = decodeBase64(decoded(written) ?? written);
	if (!bytes) {
		fail('bad_encoding', 'its "config" must be base64url, or base64');
	}

	if (bytes.length > maxConfigBytes) {
		fail('payload_too_large', tooLarge);
	}

	return entryIn(textOf(bytes));
}

function textOf(bytes: Uint8Array): string {
	try {
		return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
	} catch {
		return fail('bad_encoding', 'its "config" must be UTF-8');
	}
}

function entryIn(json: string): JsonObject {
	const value = parsedJson(json);
	if (value === undefined) {
		fail('bad_encoding', 'its "config" must be JSON');
	}

	if (!isJsonObject(value)) {
		fail('not_an_object', 'its "config" must be a JSON object');
	}

	requirePlain(value, json);
	const {url, command} = value;
	const isRemote = typeof url === 'string' && isAbsent(command);
	if (!isRemote && !(typeof command === 'string' && command.trim() !== '' && isAbsent(url))) {
		fail('invalid_shape', 'its "config" must have "url" or "command", a text, and not both');
	}

	if (isRemote && !isWebAddress(url)) {
		fail(
			'invalid_url',
			'its "url" must begin with http:// or https://, and hold no user name and no password',
		);
	}

	return value;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Refuses JSON that two parsers might read differently: the value shown, written and used must be the same. */
function requirePlain(value: JsonObject, json: string): void {
	const data = isDeepJson(json) ? {ok: false, message: 'is nested too deep'} : asPlainData(value);
	if (!data.ok) {
		fail('invalid_shape', `a value of its "config" ${'message' in data ? data.message : ''}`);
	}

	if (holdsTornText(value)) {
		fail('invalid_shape', 'a text of its "config" holds half a character');
	}

	if (repeatedKeysIn(json).length > 0) {
		fail('invalid_shape', 'a key of its "config" stands twice');
	}
}

/** Whether a text has a lone surrogate, which `JSON.stringify` escapes in this form. */
const holdsTornText = (value: JsonObject): boolean =>
	/(?<!\\)(?:\\\\)*\\ud[89a-f][\da-f]{2}/.test(JSON.stringify(value));

/** Whether `url` is a URL for HTTP without credentials. References may replace any part but the scheme. */
function isWebAddress(url: string): boolean {
	// Stands in for references: a port must be a number, and no host name may end in one.
	const address = ['1', 'x']
		.map(stead => URL.parse(url.replaceAll(anyReference, stead)))
		.find(parsedUrl => parsedUrl !== null);
	return (
		/^https?:\/\//i.test(url) &&
		address !== undefined &&
		/^https?:$/.test(address.protocol) &&
		address.username + address.password === ''
	);
}

function fail(code: ErrorCode, reason: string): never {
	throw new SvcError(code, `Cannot use the install link: ${reason}`);
}

/** One of the two alphabets, with the padding that is checked below. */
const encodings = [/^[\w-]*(={0,2})$/, /^[A-Za-z0-9+/]*(={0,2})$/];

/**
 * Decodes base64url or base64, with or without padding; `undefined` for any other text: other characters, both alphabets in one text, an impossible length or padding,
 * unused bits that are not zero.
 *
 * @see RFC 4648 §4, §5, §3.5
 */
export function decodeBase64(text: string): Uint8Array | undefined {
	const padding = encodings
		.map(encoding => encoding.exec(text)?.[1])
		.find(end => end !== undefined);
	if (padding === undefined || (padding !== '' && text.length % 4 !== 0)) {
		return undefined;
	}

	const bytes = Buffer.from(text, 'base64');
	const digits = text.slice(0, text.length - padding.length);
	return bytes.toString('base64url') === digits.replaceAll('+', '-').replaceAll('/', '_')
		? bytes
		: undefined;
}
