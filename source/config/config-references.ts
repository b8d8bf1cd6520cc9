import type {JsonValue} from '../core/json.ts';
import {platformNamed} from '../platforms/platforms.ts';
import type {Environment} from './environment.ts';
import {defaultProfile} from './home-paths.ts';
import {mapTexts, valueAt, type KeyPath} from './plain-data.ts';
import {resolveInUrl, resolveReferences} from './references.ts';

/** The variables that references are resolved with, and the profile that they belong to. */
export type ProfileVariables = {readonly profile: string; readonly environment: Environment};

/**
 * `value` (all of `config.yaml`) with the references of `model`, `gateway`, the messaging platforms and the receiver's secrets resolved; prompts and filters keep
 * theirs. `scopeOf` gives the variables for a route with that `profile`; without any, the route is not served and its references are left alone.
 * `findings` lists the places that name a variable that does not exist, or whose `${` begins no reference.
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
	const findings: Array<{path: KeyPath; message: string}> = [];
	const resolved = mapTexts(value, (text, path) => {
		const scope = takesReferences(path) ? scopeOf(profileOf(value, path)) : undefined;
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

/** What to say of references that cannot be resolved: of those to nothing, and of what only looks like one. Never holds the text: it may be a secret. */
export const problemsWithReferences = (
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

	const [key, , ofRoute, , ofRetired] = insideReceiver(path);
	return key === 'routes'
		? ofRoute === 'secret' || (ofRoute === 'retired_secrets' && ofRetired === 'secret')
		: key === 'secret';
}

/** What follows `platforms.webhook` or `platforms.webhook.extra`. */
function insideReceiver(path: KeyPath): KeyPath {
	const [, , extra, ...rest] = path;
	return extra === 'extra' ? rest : path.slice(2);
}

/** `profile` of the route that a path leads into; `undefined` outside of routes. */
function profileOf(value: JsonValue, path: KeyPath): unknown {
	const inside = insideReceiver(path);
	const routePath = path.slice(0, path.length - inside.length + 2);
	return path[0] === 'platforms' && inside[0] === 'routes'
		? valueAt(value, [...routePath, 'profile'])
		: undefined;
}
