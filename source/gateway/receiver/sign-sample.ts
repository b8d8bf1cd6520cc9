import {createSecretKey, randomUUID} from 'node:crypto';
import type {Route} from '../../config/route.ts';
import type {HmacForm, TokenForm} from '../../config/senders/sender.ts';
import {formOf} from '../../config/senders/senders.ts';
import {isHmacForm, isTokenForm, tokenText} from '../../webhook/form-scheme.ts';
import {hmacOf} from '../../webhook/signature-claim.ts';
import {hubScheme, schemeOf} from '../../webhook/signature-schemes.ts';

/** Prefix of keys that can check signatures but not create them. */
const publicPrefix = 'whpk_';

/** The headers that authenticate a test event. */
export type SampleSignature = {
	readonly headers: Readonly<Record<string, string>>;
	/** The header that holds the secret itself: the text before it, and a shell expression for it with the secret as `$SECRET`. */
	readonly secretHeader?: {readonly name: string; readonly before: string; readonly shell: string};
};

/**
 * The headers that sign `body` as senders of `route` do: by its scheme, or like GitHub. `undefined` when the gateway has no secret to sign with, or the sender signs its
 * own URL, which is not the one that a test is sent to. `nowMs` is the timestamp, if the scheme has one.
 */
export function signSample(
	{signature, secrets}: Pick<Route, 'signature' | 'secrets'>,
	body: string,
	nowMs: number,
): SampleSignature | undefined {
	const secret = secrets.find(text => text !== '' && !text.startsWith(publicPrefix));
	if (secret === undefined) {
		return undefined;
	}

	const form = signature && formOf(signature);
	if (form && isTokenForm(form)) {
		return {
			headers: {[form.header]: tokenText(form, secret)},
			secretHeader: {name: form.header, ...shellTextOf(form)},
		};
	}

	if (form && !isHmacForm(form)) {
		return undefined;
	}

	const scheme = signature ? schemeOf(signature) : hubScheme;
	const time = timeText(form, nowMs);
	const stamped =
		form?.timestampItem === undefined ? '' : `${form.timestampItem}${time}${form.separator ?? ','}`;
	const headers = {
		...(form?.timestampHeader !== undefined && {[form.timestampHeader]: time}),
		...(form?.idHeader !== undefined && {[form.idHeader]: randomUUID()}),
	};
	// Reads these headers as the receiver does, to learn which bytes are signed and how the signature is encoded.
	const reading = scheme.read(stamped, headers);
	if ('problem' in reading || reading.claim.scheme === 'token') {
		return undefined;
	}

	const {claim} = reading;
	const digest = hmacOf(createSecretKey(Buffer.from(secret)), claim, Buffer.from(body));
	const {prefix, encoding} = claim.form;
	return {
		headers: {...headers, [scheme.header]: `${stamped}${prefix}${digest.toString(encoding)}`},
	};
}

const timeText = (form: HmacForm | undefined, nowMs: number): string =>
	form?.timeFormat === 'iso' ? new Date(nowMs).toISOString() : String(Math.floor(nowMs / 1000));

/** For the shell of the reading person: the secret itself is never printed. */
const shellTextOf = (form: TokenForm) =>
	form.prefix.trim().toLowerCase() === 'basic'
		? {before: 'Basic ', shell: '"$(printf %s "$SECRET" | base64 | tr -d "\\n")"'}
		: {before: tokenText(form, ''), shell: '"$SECRET"'};
