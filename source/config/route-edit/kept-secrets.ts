import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import {notedRouteSchemaJson} from '../config-schema-json.ts';
import {itemKey} from '../item-errors.ts';
import type {KeyPath} from '../plain-data.ts';
import {referencesIn} from '../references.ts';
import {insecureSecret} from '../route-refusals.ts';
import {shapeOf} from '../schema-issues.ts';
import {isSecretName} from '../secret-values.ts';

/** Stands for a secret that is in the file and stays there: `<kept: secret, 43 bytes>`. The path says which. */
const mark = /^<kept: ([^,<>\s]+), \d+ bytes>$/;

/** An entry of a route with a mark in the place of every secret. References and the literal that switches validation off are no secrets. */
export const withoutSecrets = (entry: JsonValue): JsonValue =>
	mapSecrets(entry, (value, path) => (isOpen(value) ? value : markOf(value, path)));

/** An entry that shows of its secrets only whether they are those of `before`. */
export function withHiddenSecrets(entry: JsonValue, before: JsonValue | undefined): JsonValue {
	const known = new Set(placedSecrets(before).map(({value}) => value));
	return mapSecrets(entry, value =>
		isOpen(value) ? value : `<${known.has(value) ? '' : 'new '}secret, ${bytesOf(value)} bytes>`,
	);
}

type PlacedSecret = {readonly path: KeyPath; readonly value: JsonValue};

/** The secrets of an entry with their places; none where it is absent. */
export function placedSecrets(entry: JsonValue | undefined): readonly PlacedSecret[] {
	const secrets: PlacedSecret[] = [];
	mapSecrets(entry ?? null, (value, path) => {
		if (!isOpen(value)) {
			secrets.push({path, value});
		}

		return value;
	});
	return secrets;
}

/** What a person wrote, with the secrets of `kept` (the entry in the file) in the place of their marks. A mark counts only where a secret stands. */
export function withKeptSecrets(
	entry: JsonValue,
	kept: JsonValue | undefined,
): {readonly entry: JsonValue; readonly missing: readonly KeyPath[]} {
	const missing: KeyPath[] = [];
	return {
		entry: mapSecrets(entry, (value, path) => {
			const [, from] = typeof value === 'string' ? (mark.exec(value) ?? []) : [];
			if (from === undefined) {
				return value;
			}

			const secret = secretAt(kept, pathOf(from));
			if (secret === undefined) {
				missing.push(path);
			}

			return secret ?? value;
		}),
		missing,
	};
}

/** Nothing but a secret can be fetched by a mark. */
function secretAt(kept: JsonValue | undefined, path: KeyPath): JsonValue | undefined {
	const wanted = itemKey(path.map(String));
	return placedSecrets(kept).find(one => itemKey(one.path.map(String)) === wanted)?.value;
}

const markOf = (value: JsonValue, path: KeyPath): string =>
	`<kept: ${path.map(step => encodeURIComponent(step).replaceAll('.', '%2E')).join('.')}, ${bytesOf(value)} bytes>`;

const pathOf = (written: string): KeyPath =>
	orElse(() => written.split('.').map(decodeURIComponent), []);

const bytesOf = (value: JsonValue): number =>
	Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

/** Whether a value at the place of a secret is not secret. A number may be a secret without quotes; `token: true` is a signature option. */
function isOpen(value: JsonValue): boolean {
	if (typeof value !== 'string') {
		return value === null || typeof value === 'boolean';
	}

	return value === '' || value === insecureSecret || referencesIn(value)[0] === value;
}

type Walk = {
	readonly root: JsonObject;
	readonly change: (value: JsonValue, path: KeyPath) => JsonValue;
};

/** A copy of an entry with what `change` makes of each text and number that is a secret, by the schema of routes or by the name of its key. */
function mapSecrets(entry: JsonValue, change: Walk['change']): JsonValue {
	const root = notedRouteSchemaJson();
	return mapIn(entry, {schema: root, path: [], isSecret: false}, {root, change});
}

function mapIn(
	value: JsonValue,
	at: {readonly schema: JsonObject | undefined; readonly path: KeyPath; readonly isSecret: boolean},
	walk: Walk,
): JsonValue {
	const shape = at.schema && shapeOf(value, at.schema, walk.root);
	if (Array.isArray(value)) {
		return value.map((member: JsonValue, index) =>
			mapIn(
				member,
				{schema: schemaIn(shape, index), path: [...at.path, index], isSecret: at.isSecret},
				walk,
			),
		);
	}

	if (!isJsonObject(value)) {
		return at.isSecret ? walk.change(value, at.path) : value;
	}

	return Object.fromEntries(
		Object.entries(value).map(([key, member]) => {
			const schema = schemaIn(shape, key);
			// A list below such a name is a list of them.
			const isNamed =
				!isJsonObject(member) &&
				isSecretName(key, typeof member === 'object' ? '' : String(member));
			const isSecret =
				schema === undefined ? at.isSecret || isNamed : schema['x-secret'] === true || isNamed;
			return [key, mapIn(member, {schema, path: [...at.path, key], isSecret}, walk)];
		}),
	);
}

function schemaIn(shape: ReturnType<typeof shapeOf>, key: string | number): JsonObject | undefined {
	const schema = shape?.of(key);
	return isJsonObject(schema) ? schema : undefined;
}
