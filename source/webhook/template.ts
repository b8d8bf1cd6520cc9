import {isJsonObject} from '../core/json.ts';
import type {JsonObject, JsonValue} from '../core/json.ts';
import {dumpJson} from './dump-json.ts';

/** Characters (Unicode code points) of `{__raw__}` and of the default prompt. @see Interface 8 */
const rawLimit = 4000;

/** Characters of a nested value. @see Interface 8 */
const nestedLimit = 2000;

/** Nobody's context window holds more; what a template repeats cannot fill the memory. UTF-16 units. */
const renderedLimit = 1_048_576;

const longestKey = 256;

type Part =
	| string
	| {readonly literal: string; readonly key: string; readonly path: readonly string[]};

/** Text with the places where values go. */
export type Template = readonly Part[];

export type RenderContext = {readonly payload: JsonValue; readonly event: string};

export type Rendered = {
	readonly text: string;
	/** Keys that stayed as they are written, without repetitions, at most 20. */
	readonly unresolved: readonly string[];
};

const mostUnresolved = 20;

/**
 * Finds the `{key}` places of a template. A key is 1 to 256 characters other than braces and line ends; anything else is
 * text. One pass, linear.
 *
 * @see Interface 2.7
 */
export function parseTemplate(source: string): Template {
	const parts: Part[] = [];
	let textFrom = 0;
	let open = -1;
	for (let index = 0; index < source.length; index++) {
		const character = source[index];
		if (character === '{') {
			open = index;
		} else if (character === '\n') {
			open = -1;
		} else if (character === '}' && open !== -1) {
			const key = source.slice(open + 1, index);
			if (key !== '' && key.length <= longestKey) {
				parts.push(source.slice(textFrom, open), {
					literal: source.slice(open, index + 1),
					key,
					path: key.split('.'),
				});
				textFrom = index + 1;
			}

			open = -1;
		}
	}

	parts.push(source.slice(textFrom));
	return parts.filter(part => part !== '');
}

/**
 * Puts values in the places of a template; values are not looked at for further places. The text is well-formed Unicode and
 * at most 1,048,576 UTF-16 units long.
 *
 * @see Interface 2.7, Decisions 3
 */
export function renderTemplate(template: Template, context: RenderContext): Rendered {
	const unresolved = new Set<string>();
	let text = '';
	for (const part of template) {
		if (typeof part === 'string') {
			text += part;
			continue;
		}

		const value = valueAt(part.path, part.key, context);
		if (value === undefined && unresolved.size < mostUnresolved) {
			unresolved.add(part.key);
		}

		text += value ?? part.literal;
		if (text.length > renderedLimit) {
			break;
		}
	}

	return {text: text.slice(0, renderedLimit).toWellFormed(), unresolved: [...unresolved]};
}

/** The prompt of a route that has none: the whole payload. @see Interface 2.5 */
export const rawDump = (payload: JsonValue): string => dumpJson(payload, rawLimit).toWellFormed();

function valueAt(
	path: readonly string[],
	key: string,
	{payload, event}: RenderContext,
): string | undefined {
	if (key === '__raw__') {
		return dumpJson(payload, rawLimit);
	}

	return key === 'event_type' ? event : textOf(lookUp(payload, path));
}

/** Own properties of objects only: no list indexes, nothing inherited. */
function lookUp(payload: JsonValue, path: readonly string[]): JsonValue | undefined {
	let value: JsonValue | undefined = payload;
	for (const name of path) {
		if (!isJsonObject(value) || !Object.hasOwn(value, name)) {
			return undefined;
		}

		value = value[name];
	}

	return value;
}

function textOf(value: JsonValue | undefined): string | undefined {
	if (value === undefined || typeof value === 'string') {
		return value;
	}

	return typeof value === 'object' && value !== null
		? dumpJson(value, nestedLimit)
		: JSON.stringify(value);
}

/** The strings of `deliver_extra` rendered, also nested ones; everything else as it is. @see Decisions 3 */
export function renderExtra(extra: JsonObject, context: RenderContext): JsonObject {
	// fromEntries keeps a key named __proto__ an ordinary key.
	return Object.fromEntries(
		Object.entries(extra).map(([key, value]) => [key, renderValue(value, context)]),
	);
}

function renderValue(value: JsonValue, context: RenderContext): JsonValue {
	if (typeof value === 'string') {
		return renderTemplate(parseTemplate(value), context).text;
	}

	if (isJsonObject(value)) {
		return renderExtra(value, context);
	}

	return Array.isArray(value) ? value.map((item: JsonValue) => renderValue(item, context)) : value;
}
