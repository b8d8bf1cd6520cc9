import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import {notedRouteSchemaJson} from '../config-schema-json.ts';
import {itemKey} from '../item-errors.ts';
import type {KeyPath} from '../plain-data.ts';
import {referencesIn} from '../references.ts';
import {insecureSecret} from '../route-refusals.ts';
import {shapeOf} from '../schema-issues.ts';
import {isSecretName} from '../secret-values.ts';

/** A mark that replaces a secret of the file which stays there: `<kept: secret, 43 bytes>`, with the path of the secret. */
const mark = /^<kept: ([^,<>\s]+), \d+ bytes>$/;

/** The entry of a route with a mark in place of every secret. References and `INSECURE_NO_AUTH` are no secrets. */
export const withoutSecrets = (entry: JsonValue): JsonValue =>
	mapSecrets(entry, (value, path) => (isOpen(value) ? value : markOf(value, path)));

/** An entry with its secrets hidden; only whether they differ from those of `before` is shown. */
export function withHiddenSecrets(entry: JsonValue, before: JsonValue | undefined): JsonValue {
	const known = new Set(placedSecrets(before).map(({value}) => value));
	return mapSecrets(entry, value =>
		isOpen(value) ? value : `<${known.has(value) ? '' : 'new '}secret, ${bytesOf(value)} bytes>`,
	);
}

type PlacedSecret = {readonly path: KeyPath; readonly value: JsonValue};

/** The secrets of an entry with their paths; none for an absent entry. */
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

/**
 * The entry that a person wrote, with marks replaced by the secrets of `kept` (the entry in the file). Marks are replaced only in place of secrets; `missing`: paths of
 * marks without a secret in the file.
 */
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

/** The secret at a path; no other value can be copied by a mark. */
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

/** Whether a value in place of a secret is not secret. An unquoted number may be a secret; `token: true` is an option of a signature. */
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

/** A copy of an entry with `change` applied to each secret, judged by the schema of routes or by the name of the key. */
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
			// A list under such a key is a list of secrets.
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
