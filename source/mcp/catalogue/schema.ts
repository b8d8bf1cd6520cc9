import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import {isArgumentName, plainKeywords, withoutNullBranch} from './schema-keywords.ts';

/** A schema converted for models. */
export type CleanSchema = {
	/** Always of type `object`, with `properties`. */
	readonly schema: JsonObject;
	/** Arguments left out because no model API accepts their names. At most 20. */
	readonly lost: readonly string[];
};

const maxNodes = 5000;
const maxDepth = 32;
const maxSchemaLength = 256 * 1024;
const maxLost = 20;

type Walk = {
	readonly root: JsonObject;
	/** Whether references are resolved. */
	readonly follows: boolean;
	readonly lost: Set<string>;
	nodes: number;
};

/** The position in the walk. */
type Place = {readonly through: ReadonlySet<string>; readonly depth: number};

/**
 * Converts a tool's argument schema for model APIs: internal references are resolved, others dropped and never fetched; unknown keywords are dropped; alternatives
 * at the top are merged, since some APIs refuse them there. The result may be less strict than the original, but never contradicts it. Never throws. Bounded: a
 * schema that grows beyond 256 KiB or 5,000 parts by its references is converted without them.
 */
export function cleanSchema(schema: unknown): CleanSchema {
	const root = isJsonObject(schema) ? schema : {};
	const followed = cleanRoot(root, true);
	const {schema: clean, lost} = followed.isWhole ? followed : cleanRoot(root, false);
	return {schema: isTooLong(clean) ? {type: 'object', properties: {}} : clean, lost};
}

const isTooLong = (schema: JsonObject): boolean => JSON.stringify(schema).length > maxSchemaLength;

function cleanRoot(root: JsonObject, follows: boolean): CleanSchema & {readonly isWhole: boolean} {
	const walk: Walk = {root, follows, lost: new Set(), nodes: 0};
	const joined = joinAlternatives(cleanPart(root, walk, {through: new Set(), depth: 0}));
	const {properties} = joined;
	const schema: JsonObject = {
		...joined,
		type: 'object',
		properties: isJsonObject(properties) ? properties : {},
	};
	return {
		schema,
		lost: [...walk.lost].slice(0, maxLost),
		isWhole: walk.nodes <= maxNodes && !isTooLong(schema),
	};
}

function cleanPart(value: unknown, walk: Walk, {through, depth}: Place): JsonObject {
	walk.nodes += 1;
	if (!isJsonObject(value) || walk.nodes > maxNodes || depth > maxDepth) {
		return {};
	}

	const {schema, through: ahead} = walk.follows
		? followReference(value, walk.root, through)
		: {schema: value, through};
	const place = {through: ahead, depth: depth + 1};
	const known = plainKeywords.flatMap(([keyword, keep]) => {
		const kept = Object.hasOwn(schema, keyword) ? keep(schema[keyword]) : undefined;
		return kept === undefined ? [] : [[keyword, kept] as const];
	});
	const result: Record<string, JsonValue> = {
		...Object.fromEntries(known),
		...cleanProperties(schema, walk, place),
		...cleanParts(schema, walk, place),
	};
	return withoutNullBranch(withoutNullBranch(result, 'anyOf'), 'oneOf');
}

function cleanProperties(schema: JsonObject, walk: Walk, place: Place): JsonObject {
	const {properties, required} = schema;
	if (!isJsonObject(properties)) {
		return {};
	}

	const kept: Array<readonly [string, JsonObject]> = [];
	for (const [name, property] of Object.entries(properties)) {
		if (!isArgumentName(name)) {
			walk.lost.add(name);
		} else if (walk.nodes <= maxNodes) {
			kept.push([name, cleanPart(property, walk, place)]);
		}
	}

	const names = new Set(kept.map(([name]) => name));
	const needed = [...new Set(Array.isArray(required) ? required : [])].filter(
		name => typeof name === 'string' && names.has(name),
	);
	return {properties: Object.fromEntries(kept), ...(needed.length > 0 ? {required: needed} : {})};
}

/** Converts the keywords that contain schemas, except `properties`. */
function cleanParts(schema: JsonObject, walk: Walk, place: Place): JsonObject {
	const parts: Record<string, JsonValue> = {};
	if (isJsonObject(schema['items']) || typeof schema['items'] === 'boolean') {
		parts['items'] = cleanPart(schema['items'], walk, place);
	} else if (schema['type'] === 'array') {
		// Some APIs refuse an array without `items`.
		parts['items'] = {};
	}

	const {additionalProperties} = schema;
	if (typeof additionalProperties === 'boolean') {
		parts['additionalProperties'] = additionalProperties;
	} else if (isJsonObject(additionalProperties)) {
		parts['additionalProperties'] = cleanPart(additionalProperties, walk, place);
	}

	for (const keyword of ['prefixItems', ...alternatives]) {
		const branches = schema[keyword];
		if (Array.isArray(branches) && branches.length > 0 && walk.nodes <= maxNodes) {
			parts[keyword] = branches
				.slice(0, 100)
				.map((branch: unknown) => cleanPart(branch, walk, place));
		}
	}

	return parts;
}

const alternatives = ['anyOf', 'oneOf', 'allOf'] as const;

/** An object schema without alternatives at its top: it accepts the arguments of every branch, and requires those that all branches require. */
function joinAlternatives(schema: JsonObject): JsonObject {
	// `additionalProperties` is dropped: one branch may forbid what another allows.
	const {anyOf, oneOf, allOf, additionalProperties: _, ...beside} = schema;
	if (!anyOf && !oneOf && !allOf) {
		return schema;
	}

	const all = objectsOf(allOf);
	const choices = [objectsOf(anyOf), objectsOf(oneOf)].filter(branches => branches.length > 0);
	const properties = Object.fromEntries(
		[...all, ...choices.flat(), beside].flatMap(({properties: some}) =>
			isJsonObject(some) ? Object.entries(some) : [],
		),
	);
	const required = new Set([
		...namesOf(beside),
		...all.flatMap(namesOf),
		...choices.flatMap(branches =>
			namesOf(branches[0] ?? {}).filter(name =>
				branches.every(other => namesOf(other).includes(name)),
			),
		),
	]);
	return {...beside, properties, ...(required.size > 0 ? {required: [...required]} : {})};
}

const objectsOf = (branches: JsonValue | undefined): readonly JsonObject[] =>
	Array.isArray(branches) ? branches.filter(isJsonObject).map(joinAlternatives) : [];

const namesOf = ({required}: JsonObject): readonly string[] =>
	Array.isArray(required) ? required.filter(name => typeof name === 'string') : [];

/** The longest chain of references that is resolved. */
const maxChainLength = 16;

/** A schema after resolving its `$ref`, and the references on the way. */
type Followed = {
	readonly schema: JsonObject;
	readonly through: ReadonlySet<string>;
};

/**
 * Replaces the `$ref` of `schema` by its target within `root`; sibling keywords win. A reference to outside, to nothing, or to one on its own path (`through`) is
 * dropped: nothing is ever fetched.
 */
function followReference(
	schema: JsonObject,
	root: JsonObject,
	through: ReadonlySet<string>,
): Followed {
	if (typeof schema['$ref'] !== 'string') {
		return {schema, through};
	}

	const seen = new Set(through);
	let current = schema;
	for (let count = 0; typeof current['$ref'] === 'string' && count < maxChainLength; count += 1) {
		const {$ref: reference, ...beside} = current;
		const target = typeof reference === 'string' ? lookUp(root, reference) : undefined;
		if (typeof reference !== 'string' || !target || seen.has(reference)) {
			return {schema: beside, through: seen};
		}

		seen.add(reference);
		current = {...target, ...beside};
	}

	return {schema: current, through: seen};
}

/** The target of a JSON pointer in a fragment. @see RFC 6901 §6 */
function lookUp(root: JsonObject, reference: string): JsonObject | undefined {
	if (reference !== '#' && !reference.startsWith('#/')) {
		return undefined;
	}

	let target: unknown = root;
	for (const step of reference.split('/').slice(1)) {
		target = memberOf(target, decode(step));
	}

	return isJsonObject(target) ? target : undefined;
}

function memberOf(value: unknown, key: string): unknown {
	if (Array.isArray(value)) {
		return /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined;
	}

	return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

const decode = (step: string): string =>
	orElse(() => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'), step);
