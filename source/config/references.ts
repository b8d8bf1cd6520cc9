import {type JsonValue, isJsonObject} from '../core/json.ts';
import {platformNamed} from '../platforms/platforms.ts';
import type {ApiConfig} from './config.ts';
import {variable, type Environment} from './environment.ts';
import {defaultProfile} from './home-paths.ts';
import {mapTexts, valueAt, type KeyPath} from './plain-data.ts';

const reference = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Any `${...}`: in the entry of a tool server all of them are references. @see manual/tool-servers.md#variable-references */
export const anyReference = /\$\{([^{}]+)\}/g;

/** Whether a text of a tool server's entry has references. */
export const hasReference = (text: string): boolean => text.search(anyReference) !== -1;

/** The references in a text as written. */
export const referencesIn = (text: string): readonly string[] =>
	[...text.matchAll(reference)].map(([placeholder]) => placeholder);

/**
 * `text` with `${VAR}` and `${env:VAR}` replaced, in one pass: values of variables are not searched for references. `unset` lists missing variables, each once; their
 * placeholders stay in `text`. `isMalformed`: another `${` in the text begins no valid reference.
 *
 * @see manual/tool-servers.md#variable-references
 */
export function resolveReferences(
	text: string,
	environment: Environment,
): {readonly text: string; readonly unset: readonly string[]; readonly isMalformed: boolean} {
	const unset = new Set<string>();
	const resolved = text.replaceAll(reference, (placeholder, name: string) => {
		const value = variable(environment, name);
		if (value === undefined) {
			unset.add(name);
		}

		return value ?? placeholder;
	});
	// A blank keeps the texts around a reference from joining into one.
	const around = text.replaceAll(reference, ' ');
	return {text: resolved, unset: [...unset], isMalformed: around.includes('${')};
}

/**
 * `resolveReferences` for a URL. A value is percent-encoded where it is a part of the URL, so that a password may contain any character; if the whole text is one
 * reference, its value is the URL.
 */
export function resolveInUrl(
	text: string,
	environment: Environment,
): ReturnType<typeof resolveReferences> {
	const [whole] = referencesIn(text);
	return whole === text.trim()
		? resolveReferences(text.trim(), environment)
		: resolveReferences(text, encoded(environment));
}

const encoded = (environment: Environment): Environment =>
	Object.fromEntries(
		Object.entries(environment).map(([name, value]) => [name, encodeURIComponent(value)]),
	);

/** The variables that replace references, and the profile they belong to. */
type ProfileVariables = {readonly profile: string; readonly environment: Environment};

/**
 * `value` (all of `config.yaml`) with the references in `model`, `gateway`, the messaging platforms and the receiver's secrets resolved; references in prompts and filters
 * stay. `scopeOf` gives the variables for a route with that `profile`; `undefined`: the route is not served, and its references stay. `findings` lists the paths of
 * references to missing variables and of malformed references.
 *
 * @see manual/runs.md#bounds, manual/tool-servers.md#variable-references
 */
export function resolveConfigReferences(
	value: JsonValue,
	scopeOf: (profile: unknown) => ProfileVariables | undefined,
): {
	readonly value: JsonValue;
	readonly findings: ReadonlyArray<{readonly path: KeyPath; readonly message: string}>;
} {
	return resolveTexts(value, path =>
		takesReferences(path) ? scopeOf(profileOf(value, path)) : undefined,
	);
}

/** `resolveConfigReferences` for any plain data. `scopeAt` gives the variables for the text at a path; `undefined`: the text stays. */
export function resolveTexts(
	value: JsonValue,
	scopeAt: (path: KeyPath) => ProfileVariables | undefined,
): ReturnType<typeof resolveConfigReferences> {
	const findings: Array<{path: KeyPath; message: string}> = [];
	const resolved = mapTexts(value, (text, path) => {
		const scope = scopeAt(path);
		if (!scope) {
			return text;
		}

		const result = isStore(path)
			? resolveInUrl(text, scope.environment)
			: resolveReferences(text, scope.environment);
		findings.push(
			...problemsWithReferences(result, scope.profile).map(message => ({path, message})),
		);
		return result.text;
	});
	return {value: resolved, findings};
}

/** Messages about unset variables and malformed references. They never hold the text, which may be a secret. */
const problemsWithReferences = (
	{unset, isMalformed}: Pick<ReturnType<typeof resolveReferences>, 'unset' | 'isMalformed'>,
	profile: string,
): readonly string[] => [
	...unset.map(name => unsetVariable(name, profile)),
	...(isMalformed ? ['has a reference that cannot be read: write ${NAME}'] : []),
];

const unsetVariable = (name: string, profile: string): string =>
	profile === defaultProfile
		? `\${${name}} is not set in this profile's .env or in the environment`
		: `\${${name}} is not set in the .env of profile "${profile}" or in the environment`;

const isStore = (path: KeyPath): boolean => path.join('.') === 'gateway.store';

function takesReferences(path: KeyPath): boolean {
	const [section, part] = path;
	if (section !== 'platforms') {
		return section === 'model' || section === 'gateway';
	}

	if (part !== 'webhook') {
		return typeof part === 'string' && platformNamed(part) !== undefined;
	}

	const [key, , ...ofRoute] = insideReceiver(path);
	return key === 'routes' ? isRouteSecret(ofRoute) : key === 'secret';
}

/** Whether a path within a route leads to a secret, retired or not. */
export const isRouteSecret = ([key, , ofRetired]: KeyPath): boolean =>
	key === 'secret' || (key === 'retired_secrets' && ofRetired === 'secret');

/** The path below `platforms.webhook` or `platforms.webhook.extra`. */
function insideReceiver(path: KeyPath): KeyPath {
	const [, , extra, ...rest] = path;
	return extra === 'extra' ? rest : path.slice(2);
}

/** The `profile` of the route that contains a path; `undefined` outside of routes. */
function profileOf(value: JsonValue, path: KeyPath): unknown {
	const inside = insideReceiver(path);
	const routePath = path.slice(0, path.length - inside.length + 2);
	return path[0] === 'platforms' && inside[0] === 'routes'
		? valueAt(value, [...routePath, 'profile'])
		: undefined;
}

/** A variable with an invalid value. */
export type VariableProblem = {
	readonly name: string;
	/** The setting that the variable replaces. */
	readonly key: string;
	readonly message: string;
};

/** The value of a variable for `enabled`; `undefined` if it is missing or empty. */
export function switchIn(
	environment: Environment,
	name: string,
): boolean | VariableProblem | undefined {
	const written = variable(environment, name)?.trim().toLowerCase();
	if (!written) {
		return undefined;
	}

	if (onWords.has(written)) {
		return true;
	}

	return offWords.has(written) ? false : {name, key: 'enabled', message: 'must be true or false'};
}

const onWords: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1']);

const offWords: ReadonlySet<string> = new Set(['false', 'no', 'off', '0']);

const maxPort = 65_535;

/** The value of a variable for `port`; `undefined` if it is missing or empty. */
export function portIn(
	environment: Environment,
	name: string,
): number | VariableProblem | undefined {
	const written = variable(environment, name)?.trim();
	if (!written) {
		return undefined;
	}

	const port = /^\d{1,5}$/.test(written) ? Number(written) : Number.NaN;
	return port <= maxPort
		? port
		: {name, key: 'port', message: `must be a whole number from 0 to ${maxPort}`};
}

/**
 * The chat API's settings with `API_ENABLED` and `API_PORT`, which apply where `written` (the section in the file) lacks the setting. An invalid variable breaks the
 * section: the default would not be what the person meant.
 */
export function withApiVariables(
	api: ApiConfig,
	{
		written,
		environment,
	}: {readonly written: JsonValue | undefined; readonly environment: Environment},
): {readonly api: ApiConfig; readonly problems: readonly VariableProblem[]} {
	const says = (key: string) =>
		isJsonObject(written) && Object.hasOwn(written, key) && written[key] !== null;
	const enabled = says('enabled') ? undefined : switchIn(environment, 'API_ENABLED');
	const port = says('port') ? undefined : portIn(environment, 'API_PORT');
	const problems = [enabled, port].filter(value => typeof value === 'object');
	const [problem] = problems;
	return {
		problems,
		api: {
			...api,
			...(typeof enabled === 'boolean' && {enabled}),
			...(typeof port === 'number' && {port}),
			...(problem && {broken: `${problem.name} ${problem.message}`}),
		},
	};
}
