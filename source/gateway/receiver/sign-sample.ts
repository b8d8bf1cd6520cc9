import {createSecretKey, randomUUID} from 'node:crypto';
import type {Route} from '../../config/route.ts';
import type {HmacForm, TokenForm} from '../../config/senders/sender.ts';
import {formOf} from '../../config/senders/senders.ts';
import {isHmacForm, isTokenForm, tokenText} from '../../webhook/form-scheme.ts';
import {hmacOf} from '../../webhook/signature-claim.ts';
import {hubScheme, schemeOf} from '../../webhook/signature-schemes.ts';

/** Begins a key with which signatures are checked and none can be made. */
const publicPrefix = 'whpk_';

/** What shows that a test event may come. */
export type SampleSignature = {
	readonly headers: Readonly<Record<string, string>>;
	/** The header that holds the secret itself: what stands before it, and the words of a shell for it, with the secret as `$SECRET`. */
	readonly secretHeader?: {readonly name: string; readonly before: string; readonly shell: string};
};

/**
 * The headers that sign `body` as the senders of `route` do: by the scheme that it names, else as GitHub does. `undefined` when the gateway
 * holds no secret to sign with, or the sender signs its address, which is not the one that a test goes to. A timestamp, where the scheme has one, is `nowMs`.
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
	// Reads these headers as the receiver does: the result says which bytes have to be signed, and how the signature is written.
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

/** For the shell of the person who reads it: the secret itself is never printed. */
const shellTextOf = (form: TokenForm) =>
	form.prefix.trim().toLowerCase() === 'basic'
		? {before: 'Basic ', shell: '"$(printf %s "$SECRET" | base64 | tr -d "\\n")"'}
		: {before: tokenText(form, ''), shell: '"$SECRET"'};
