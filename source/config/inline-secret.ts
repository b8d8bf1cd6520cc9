import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {createRedact} from '../core/redact.ts';
import {hasReference} from './references.ts';
import {serverSecrets} from './server-secrets.ts';
import {toolServersSchema} from './tool-server-schema.ts';
import {toolServersOf} from './tool-servers.ts';

/** A secret in an entry that belongs into `.env`. */
export type InlineSecret = {
	/** The place of the secret in words: `the value of "GITHUB_TOKEN"`. */
	readonly where: string;
	/** Suggested name of the variable for the secret. */
	readonly variable: string;
	/** Suggested replacement: `${GITHUB_TOKEN}`, `Authorization=Bearer ${CRM_AUTHORIZATION}`. */
	readonly instead: string;
};

const byShape = createRedact(() => []);

/** The first text of an entry that is no reference and is a secret by its name (`GITHUB_TOKEN`, `Authorization`, `--password`) or its shape (`ghp_…`). */
export function inlineSecret(name: string, entry: JsonObject): InlineSecret | undefined {
	const parsed = toolServersSchema.safeParse({[name]: entry});
	const server = parsed.success ? toolServersOf(parsed.data).get(name) : undefined;
	const byName = new Set(server ? serverSecrets(server) : []);
	const isSecret = (text: string) =>
		!hasReference(text) && (byName.has(text) || byShape(text) !== text);

	for (const [key, text] of namedTexts(entry)) {
		if (isSecret(text)) {
			const variable = variableFor(name, key);
			const [scheme] = /^(?:Basic|Bearer|Token) +/i.exec(text) ?? [''];
			return {
				where: `the value of "${key}"`,
				variable,
				instead: scheme === '' ? referenceTo(variable) : `${key}=${scheme}${referenceTo(variable)}`,
			};
		}
	}

	const {url, args} = entry;
	if (typeof url === 'string' && !hasReference(url) && secretInUrl(url, byName)) {
		return {where: 'a part of the URL', ...tokenFor(name)};
	}

	const texts = Array.isArray(args) ? args.filter(arg => typeof arg === 'string') : [];
	const found = texts.find(arg => isSecret(arg) || isFlagWith(arg, byName));
	return found === undefined ? undefined : {where: 'an argument', ...argumentFor(name, found)};
}

/** The part of an argument before its secret, which may be shown: `--token=`, `x-api-key: `, `Authorization: Bearer `. */
const openPart = /^-{0,2}([A-Za-z][\w-]*)(?:=|\s*:(?!\/\/)\s*)(?:(?:Basic|Bearer|Token) +)?/i;

function argumentFor(server: string, arg: string): Pick<InlineSecret, 'variable' | 'instead'> {
	const [start, key] = openPart.exec(arg) ?? [];
	if (start === undefined || key === undefined) {
		return tokenFor(server);
	}

	const variable = variableFor(server, key);
	return {variable, instead: `${start}${referenceTo(variable)}`};
}

const referenceTo = (variable: string): string => `\${${variable}}`;

const tokenFor = (name: string): Pick<InlineSecret, 'variable' | 'instead'> => {
	const variable = variableFor(name, 'token');
	return {variable, instead: referenceTo(variable)};
};

const namedTexts = ({env, headers}: JsonObject): ReadonlyArray<readonly [string, string]> =>
	[env, headers].flatMap(pairs =>
		Object.entries<JsonValue>(isJsonObject(pairs) ? pairs : {}).flatMap(([key, value]) =>
			typeof value === 'string' ? [[key, value] as const] : [],
		),
	);

/** Whether an argument ends in a secret after `=` or `:`: `--token=abc`, `x-api-key: abc`. */
const isFlagWith = (arg: string, secrets: ReadonlySet<string>): boolean =>
	!hasReference(arg) &&
	[...secrets].some(
		secret => arg.endsWith(secret) && /[=:]\s*$/.test(arg.slice(0, -secret.length)),
	);

function secretInUrl(url: string, secrets: ReadonlySet<string>): boolean {
	const parsed = URL.parse(url);
	return (
		byShape(url) !== url ||
		(parsed?.password ?? '') !== '' ||
		[...(parsed?.searchParams.values() ?? [])].some(value => secrets.has(value))
	);
}

/** The name of a variable: `GITHUB_TOKEN` stays; a header gets the name of the server as prefix: `CRM_AUTHORIZATION`. */
function variableFor(server: string, key: string): string {
	const isVariable = /^[A-Z][A-Z0-9_]*$/.test(key);
	const text = isVariable ? key : `${server}_${key}`;
	return text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}
