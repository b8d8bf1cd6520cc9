import type {JsonValue} from '../core/json.ts';
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
