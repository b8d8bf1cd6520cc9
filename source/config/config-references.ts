import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {Environment} from './environment.ts';
import {mapTexts, type KeyPath} from './plain-data.ts';
import {resolveReferences} from './references.ts';

/**
 * `value` (all of `config.yaml`) with the references of `model`, `platforms.email` and the receiver's secrets resolved; prompts and filters keep
 * theirs. `unset` lists the places that name a variable that does not exist.
 *
 * @see Decisions 4, Interface 2.15
 */
export function resolveConfigReferences(
	value: JsonValue,
	environment: Environment,
): {
	readonly value: JsonValue;
	readonly unset: ReadonlyArray<{readonly path: KeyPath; readonly message: string}>;
} {
	const unset: Array<{path: KeyPath; message: string}> = [];
	const resolved = mapTexts(value, (text, path) => {
		if (!takesReferences(path)) {
			return text;
		}

		const result = resolveReferences(text, environment);
		for (const name of result.unset) {
			unset.push({path, message: unsetVariable(name)});
		}

		return result.text;
	});
	return {value: resolved, unset};
}

/** What to say of a reference to nothing. */
export const unsetVariable = (name: string): string =>
	`\${${name}} is not set in this profile's .env or in the environment`;

function takesReferences(path: KeyPath): boolean {
	const [section, part, ...rest] = path;
	if (section !== 'platforms') {
		return section === 'model';
	}

	if (part !== 'webhook') {
		return part === 'email';
	}

	const inside = rest[0] === 'extra' ? rest.slice(1) : rest;
	return (inside[0] === 'routes' ? inside[2] : inside[0]) === 'secret';
}

/** Places of route settings that this version accepts and does not use. */
export function findUnusedSettings(value: JsonValue): readonly KeyPath[] {
	const webhook = memberOf(memberOf(value, 'platforms'), 'webhook');
	const places: ReadonlyArray<readonly [KeyPath, JsonValue | undefined]> = [
		[['platforms', 'webhook', 'routes'], memberOf(webhook, 'routes')],
		[['platforms', 'webhook', 'extra', 'routes'], memberOf(memberOf(webhook, 'extra'), 'routes')],
	];
	return places.flatMap(([path, routes]) =>
		isJsonObject(routes)
			? Object.entries(routes).flatMap(([name, route]) =>
					unusedKeysOf(route).map(key => [...path, name, key]),
				)
			: [],
	);
}

const unusedKeys = ['overflow', 'concurrency', 'signature'] as const;

const unusedKeysOf = (route: JsonValue): readonly string[] =>
	unusedKeys.filter(key => {
		const value = memberOf(route, key);
		return value !== undefined && value !== null && value !== 'reject';
	});

const memberOf = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
	isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
