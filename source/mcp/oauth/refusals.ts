import {isDeepJson, parsedObject, type JsonObject} from '../../core/json.ts';
import {createRedact, type Redact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';

/** Most characters of what an authorization server said that a message may hold. @see manual/tool-servers.md#states */
const maxExcerptLength = 200;

/** What an authorization server answered. */
export type OAuthAnswer = {readonly status: number; readonly text: string};

/** Form fields that must not come back in a message. */
const secretFields = ['code', 'code_verifier', 'refresh_token', 'client_secret', 'device_code'];

/**
 * The error answer of a token endpoint as the SDK is to see it: its code, and as description one redacted sentence with the status. The SDK would put
 * the whole body into its error otherwise.
 */
export function tokenRefusal(answer: OAuthAnswer, {form, redact}: Sent): Refusal {
	const what = form.get('grant_type') === 'refresh_token' ? 'refresh' : 'exchange';
	return refusalOf(`Token ${what}`, answer, {form, redact});
}

/** The same for a request for a code. */
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

/** What is granted, by its name, in JSON and in forms: an answer that cannot be used may hold it all the same. */
const granted =
	/(\b(?:access_token|refresh_token|id_token|client_secret|device_code)\b\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?)[^\s"'&,;\\]+/gi;

const grantedName = /^(?:access_token|refresh_token|id_token|client_secret|device_code)$/i;

/** The same of JSON as they are, with all characters; at any depth. */
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
			// No JSON.
		}
	}

	return found;
}

/** What a registration endpoint refused with: `404`, `400: invalid_redirect_uri …`; pages are left out. */
export function registrationRefusal({status, text}: OAuthAnswer, redact: Redact): string {
	return parsedObject(text) ? `${status}: ${excerpt(text, redact)}` : String(status);
}

/** The error and its description, or the beginning of whatever was answered; one cleaned, redacted line. */
function excerpt(text: string, redact: Redact): string {
	const {error, error_description: description} = parsedObject(text) ?? {};
	const said = [error, description].filter(part => typeof part === 'string').join(', ');
	const grants = grantedIn(text);
	// Redacted before it is cut: half a secret has no shape.
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
