import {isDeepJson, parsedObject, type JsonObject} from '../../core/json.ts';
import {createRedact, type Redact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';

/** How many characters of an authorization server's words a message may contain. @see manual/tool-servers.md#states */
const maxExcerptLength = 200;

/** An authorization server's answer. */
export type OAuthAnswer = {readonly status: number; readonly text: string};

/** Form fields that a message must not repeat. */
const secretFields = ['code', 'code_verifier', 'refresh_token', 'client_secret', 'device_code'];

/**
 * Rewrites a token endpoint's error for the SDK: its code, and as description one redacted sentence with the status. Otherwise the SDK would put the whole body
 * into its error.
 */
export function tokenRefusal(answer: OAuthAnswer, {form, redact}: Sent): Refusal {
	const what = form.get('grant_type') === 'refresh_token' ? 'refresh' : 'exchange';
	return refusalOf(`Token ${what}`, answer, {form, redact});
}

/** Rewrites an error for a request for a device code in the same way. */
export const codeRefusal = (answer: OAuthAnswer, sent: Sent): Refusal =>
	refusalOf('Device authorization', answer, sent);

type Sent = {readonly form: URLSearchParams; readonly redact: Redact};

type Refusal = {readonly code: string; readonly message: string};

function refusalOf(what: string, answer: OAuthAnswer, {form, redact}: Sent): Refusal {
	const sent = secretFields.flatMap(field => form.getAll(field));
	const said = excerpt(answer.text, text => redact(createRedact(() => sent)(text)));
	return {
		code: errorCode(parsedObject(answer.text)),
		message: `${what} failed (HTTP ${answer.status})${said && `: ${said}`}`,
	};
}

/** Finds granted secrets in JSON and forms by their names: even an unusable answer may contain them. */
const granted =
	/(\b(?:access_token|refresh_token|id_token|client_secret|device_code)\b\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?)[^\s"'&,;\\]+/gi;

const grantedName = /^(?:access_token|refresh_token|id_token|client_secret|device_code)$/i;

/** Finds the same secrets in parsed JSON at any depth, without its escapes. */
function grantedIn(text: string): readonly string[] {
	const found: string[] = [];
	if (!isDeepJson(text)) {
		try {
			JSON.parse(text, (key, value: unknown) => {
				if (typeof value === 'string' && grantedName.test(key)) {
					found.push(value);
				}

				return value;
			});
		} catch {
			// Not JSON.
		}
	}

	return found;
}

/** A registration endpoint's refusal: `404`, `400: invalid_redirect_uri …`; web pages are left out. */
export function registrationRefusal({status, text}: OAuthAnswer, redact: Redact): string {
	return parsedObject(text) ? `${status}: ${excerpt(text, redact)}` : String(status);
}

/** The error and its description, or else the beginning of the answer; one escaped, redacted line. */
function excerpt(text: string, redact: Redact): string {
	const {error, error_description: description} = parsedObject(text) ?? {};
	const said = [error, description].filter(part => typeof part === 'string').join(', ');
	const grants = grantedIn(text);
	// Redacted before it is cut: half a secret is not recognised.
	return escapeLine(
		redact(createRedact(() => grants)(said || text))
			.replaceAll(granted, '$1[redacted]')
			.replaceAll(/\s+/g, ' ')
			.trim(),
		maxExcerptLength,
	);
}

function errorCode(body: JsonObject | undefined): string {
	const code = body?.['error'];
	return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : 'server_error';
}
