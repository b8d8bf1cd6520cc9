import type {JsonValue} from '../core/json.ts';
import {platformNamed} from '../targets/targets.ts';
import type {Environment} from './environment.ts';
import {defaultProfile} from './home-paths.ts';
import {mapTexts, valueAt, type KeyPath} from './plain-data.ts';
import {resolveReferences} from './references.ts';

/** The variables that references are resolved with, and the profile that they belong to. */
export type Scope = {readonly profile: string; readonly environment: Environment};

/**
 * `value` (all of `config.yaml`) with the references of `model`, the messaging platforms and the receiver's secrets resolved; prompts and filters keep
 * theirs. `scopeOf` gives the variables for a route with that `profile`; without any, the route is not served and its references are left alone.
 * `unset` lists the places that name a variable that does not exist.
 *
 * @see manual/runs.md#bounds, manual/tool-servers.md#variable-references
 */
export function resolveConfigReferences(
	value: JsonValue,
	scopeOf: (profile: unknown) => Scope | undefined,
): {
	readonly value: JsonValue;
	readonly unset: ReadonlyArray<{readonly path: KeyPath; readonly message: string}>;
} {
	const unset: Array<{path: KeyPath; message: string}> = [];
	const resolved = mapTexts(value, (text, path) => {
		const scope = takesReferences(path) ? scopeOf(profileOf(value, path)) : undefined;
		if (!scope) {
			return text;
		}

		const result = resolveReferences(text, scope.environment);
		for (const name of result.unset) {
			unset.push({path, message: unsetVariable(name, scope.profile)});
		}

		return result.text;
	});
	return {value: resolved, unset};
}

/** What to say of a reference to nothing. */
export const unsetVariable = (name: string, profile: string): string =>
	profile === defaultProfile
		? `\${${name}} is not set in this profile's .env or in the environment`
		: `\${${name}} is not set in the .env of profile "${profile}" or in the environment`;

function takesReferences(path: KeyPath): boolean {
	const [section, part] = path;
	if (section !== 'platforms') {
		return section === 'model';
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
