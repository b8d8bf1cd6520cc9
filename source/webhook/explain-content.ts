import {isUtf8} from 'node:buffer';
import {type JsonValue, escapedUnits, isDeepJson, parsedJson} from '../core/json.ts';
import {headerOf} from './request-content.ts';
import type {Claim, HmacClaim} from './signature-claim.ts';
import type {RefusedSignature} from './signature-probe.ts';
import {signatureKeysOf} from './signature.ts';

/** Looks for changed content that the signature matches: the body in another encoding, or with or without its timestamp. Returns a sentence about it; `undefined`: no match. */
export function explainContent(refusal: RefusedSignature, claim: Claim): string | undefined {
	if (claim.scheme === 'token') {
		return undefined;
	}

	const {request, route, probe} = refusal;
	const keys = signatureKeysOf(route);
	const {body} = request;
	for (const [finding, variant] of claimVariantsOf(claim, timestampOf(refusal))) {
		if (probe(variant, keys, body)) {
			return finding;
		}
	}

	for (const {name, bytes} of bodyVariantsOf(body)) {
		if (probe(claim, keys, bytes)) {
			return `matches ${name}`;
		}
	}

	return undefined;
}

/** The `X-Webhook-Timestamp` of the request, which the claimed scheme does not sign. */
const timestampOf = ({request: {headers}}: RefusedSignature) =>
	headerOf(headers, 'x-webhook-timestamp');

function* claimVariantsOf(
	claim: HmacClaim,
	timestamp: string | undefined,
): Generator<readonly [finding: string, claim: HmacClaim]> {
	if (claim.before !== '' || claim.after !== '') {
		yield [
			'matches the body alone: the sender did not sign what belongs before it',
			{...claim, before: '', after: ''},
		];
	} else if (timestamp !== undefined) {
		yield [
			'matches the timestamp and the body: that is X-Webhook-Signature-V2',
			{...claim, before: `${timestamp}.`},
		];
	}
}

/** Bytes that the sender may have signed instead of the received ones. */
type BodyVariant = {
	/** Completes the sentence `matches …`. */
	readonly name: string;
	readonly bytes: Buffer;
};

/** Most characters of indentation for which indented forms are tried: deeply nested JSON would grow out of proportion. */
const maxIndentation = 1_048_576;

/**
 * Forms that `body` may have had when it was signed: empty, with other line ends or byte order mark, or the same JSON formatted by another program. Invalid UTF-8 has only the
 * empty form; invalid JSON, or JSON nested more than 128 levels deep, has no JSON forms. A generator: each form is made on demand.
 */
function* bodyVariantsOf(body: Buffer): Generator<BodyVariant> {
	yield {name: 'an empty body: the body was lost where it was signed', bytes: Buffer.alloc(0)};
	if (!isUtf8(body)) {
		return;
	}

	const text = body.toString();
	for (const [name, variant] of textVariantsOf(text)) {
		yield {name: `the body ${name}: something changed it on the way`, bytes: Buffer.from(variant)};
	}

	for (const [name, variant] of jsonVariantsOf(text)) {
		if (variant !== text) {
			yield {
				name: `the body as ${name}: something re-serialised it on the way`,
				bytes: Buffer.from(variant),
			};
		}
	}
}

type Variant = readonly [name: string, text: string];

const byteOrderMark = '\ufeff';

function* textVariantsOf(text: string): Generator<Variant> {
	if (text.endsWith('\n')) {
		yield ['without the line feed at its end', text.replace(/\r?\n$/, '')];
	} else {
		yield ['with a line feed at its end', `${text}\n`];
	}

	if (text.includes('\r\n')) {
		yield ['with LF instead of CRLF', text.replaceAll('\r\n', '\n')];
	} else if (text.includes('\n')) {
		yield ['with CRLF instead of LF', text.replaceAll('\n', '\r\n')];
	}

	yield text.startsWith(byteOrderMark)
		? ['without the byte order mark', text.slice(1)]
		: ['with a byte order mark', byteOrderMark + text];
}

function* jsonVariantsOf(text: string): Generator<Variant> {
	const value = parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
	if (value === undefined) {
		return;
	}

	const compact = JSON.stringify(value);
	yield ['compact JSON', compact];
	if (fitsIndented(value)) {
		yield ['JSON with 2 spaces', JSON.stringify(value, null, 2)];
		yield ['JSON with 2 spaces and a line feed', `${JSON.stringify(value, null, 2)}\n`];
		yield ['JSON with 4 spaces', JSON.stringify(value, null, 4)];
		const spaced = withSpaces(value);
		yield ['JSON with spaces (Python)', spaced];
		yield ['JSON with spaces and unicode escapes (Python)', withEscapes(spaced)];
	}

	yield ['compact JSON with unicode escapes', withEscapes(compact)];
	yield ['JSON with escaped slashes (PHP)', compact.replaceAll('/', '\\/')];
	yield [
		'JSON with escaped slashes and unicode escapes (PHP)',
		withEscapes(compact.replaceAll('/', '\\/')),
	];
	yield [
		'JSON with <, > and & escaped (Go)',
		compact.replaceAll(/[<>&\u2028\u2029]/g, escapedUnits),
	];
}

const parse = (text: string): JsonValue | undefined =>
	isDeepJson(text) ? undefined : parsedJson(text);

function fitsIndented(value: JsonValue): boolean {
	let left = maxIndentation;
	const fits = (part: JsonValue, depth: number): boolean => {
		left -= 4 * depth;
		return (
			left >= 0 &&
			(typeof part !== 'object' ||
				part === null ||
				Object.values(part).every(member => fits(member, depth + 1)))
		);
	};

	return fits(value, 0);
}

/** Formats JSON as `{"a": 1, "b": [2, 3]}`. Replacing line feeds is safe: strings in JSON contain none. */
const withSpaces = (value: JsonValue): string =>
	JSON.stringify(value, null, 1).replaceAll(/,\n */g, ', ').replaceAll(/\n */g, '');

const withEscapes = (json: string): string => json.replaceAll(/[\u007f-\uffff]/g, escapedUnits);
