import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';
import {notedRouteSchemaJson} from '../config-schema-json.ts';
import {alternatives} from '../schema-issues.ts';

/** The settings of a route as fields of a form, in the order of the declarations; a mapping with known keys becomes a field for each key. */
export function routeFields(): readonly RouteField[] {
	const root = notedRouteSchemaJson();
	const [route = {}] = alternatives(root, root);
	return fieldsIn(route, [], root);
}

function fieldsIn(
	schema: JsonObject,
	path: readonly string[],
	root: JsonObject,
): readonly RouteField[] {
	const {properties, required} = schema;
	return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, member]) => {
		if (!isJsonObject(member)) {
			return [];
		}

		const shapes = alternatives(member, root).filter(({type}) => type !== 'null');
		const [only] = shapes;
		return shapes.length === 1 && only && isJsonObject(only['properties'])
			? fieldsIn(only, [...path, key], root)
			: [
					fieldOf(member, shapes, {
						path: [...path, key],
						isRequired: Array.isArray(required) && required.includes(key),
					}),
					...settingsOf(shapes).flatMap(shape =>
						fieldsIn(shape, [...path, key], root).map(field => ({
							...field,
							inMapping: true as const,
						})),
					),
				];
	});
}

/** The mapping form of a setting that may also be a name. */
const settingsOf = (shapes: readonly JsonObject[]): readonly JsonObject[] =>
	shapes.some(({enum: names}) => Array.isArray(names))
		? shapes.filter(({properties}) => isJsonObject(properties))
		: [];

function fieldOf(
	member: JsonObject,
	shapes: readonly JsonObject[],
	{path, isRequired}: {readonly path: readonly string[]; readonly isRequired: boolean},
): RouteField {
	const description = member['description'];
	const standard = member['default'];
	return {
		path,
		kind: kindOf(member, shapes),
		description: typeof description === 'string' ? withoutMarkup(description) : '',
		...(standard !== undefined && {default: standard}),
		...boundsOf(shapes),
		...optionsOf(shapes),
		...(isRequired && path.length > 1 && {required: true}),
		...(member['x-secret'] === true && {secret: true}),
		...(member['x-by-hand'] === true && {byHand: true}),
	};
}

/** The kind of editor: `texts` if a list or one text is allowed, `json` if no narrower kind covers all allowed values. */
function kindOf(member: JsonObject, shapes: readonly JsonObject[]): RouteField['kind'] {
	const kinds = new Set(shapes.map(kindOfShape));
	const [only = 'json'] = kinds;
	if (kinds.size === 1) {
		return only === 'text' && member['x-lines'] === true ? 'lines' : only;
	}

	return kinds.size === 2 && kinds.has('text') && kinds.has('texts') ? 'texts' : 'json';
}

function kindOfShape(given: JsonObject): RouteField['kind'] {
	const {type, enum: options, items, additionalProperties} = given;
	const types = [type].flat().filter(name => name !== 'null');
	const [name] = types;
	if (types.length !== 1) {
		return 'json';
	}

	switch (typeof name === 'string' ? name : '') {
		case 'string':
			return Array.isArray(options) ? 'choice' : 'text';
		case 'integer':
			return 'integer';
		case 'number':
			return 'number';
		case 'boolean':
			return 'boolean';
		case 'array':
			return isJsonObject(items) && items['type'] === 'string' ? 'texts' : 'json';
		case 'object':
			return isJsonObject(additionalProperties) ? 'mapping' : 'json';
		default:
			return 'json';
	}
}

/** Inclusive bounds, and `above` as an exclusive one. */
function boundsOf(shapes: readonly JsonObject[]): Pick<RouteField, 'least' | 'most' | 'above'> {
	const shape = shapes.find(({type}) => type === 'integer' || type === 'number') ?? {};
	const {minimum, maximum, exclusiveMinimum} = shape;
	return {
		...(typeof minimum === 'number' && {least: minimum}),
		...(typeof maximum === 'number' && {most: maximum}),
		...(typeof exclusiveMinimum === 'number' && {above: exclusiveMinimum}),
	};
}

/** The allowed names, such as presets beside other forms. */
function optionsOf(shapes: readonly JsonObject[]): Pick<RouteField, 'options'> {
	const options = shapes
		.flatMap((shape): readonly JsonValue[] => (Array.isArray(shape['enum']) ? shape['enum'] : []))
		.filter(option => typeof option === 'string');
	return options.length === 0 ? {} : {options};
}

/** Markdown as plain text for a terminal: without the marks of links and code. */
const withoutMarkup = (text: string): string =>
	text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
