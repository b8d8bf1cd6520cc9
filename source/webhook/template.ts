import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {lookUp} from '../core/payload.ts';
import {dumpJson} from './dump-json.ts';

/** Most characters (Unicode code points) of `{__raw__}` and of the default prompt. @see manual/filters-and-templates.md#templates */
const rawLimit = 4000;

/** Most characters of a nested value. @see manual/filters-and-templates.md#templates */
const nestedLimit = 2000;

/** Longest rendered text, in UTF-16 units: beyond any context window, and a bound for the memory. */
const renderedLimit = 1_048_576;

const maxKeyLength = 256;

/** A place for a value. `literal`: the key in braces, shown if there is no value. */
export type TemplatePlace = {
	readonly literal: string;
	readonly key: string;
	readonly path: readonly string[];
};

/** Texts and places for values. */
export type Template = ReadonlyArray<string | TemplatePlace>;

export type RenderContext = {readonly payload: JsonValue; readonly event: string};

export type Rendered = {
	readonly text: string;
	/** Keys of the payload whose values are in `text`, without repetitions: at most 40, then `…`. */
	readonly read: readonly string[];
	/** Keys without a value, without repetitions, at most 20. */
	readonly unresolved: readonly string[];
	/** The offsets of unresolved keys in `text` (UTF-16 units), at most 100. */
	readonly unresolvedAt: ReadonlyArray<{readonly key: string; readonly at: number}>;
};

const maxRead = 40;
const maxUnresolved = 20;
const maxUnresolvedPlaces = 100;

/**
 * Parses the `{key}` places of a template, in linear time. A key has 1 to 256 characters other than braces and line ends; anything else is text.
 *
 * @see manual/filters-and-templates.md#templates
 */
export function parseTemplate(source: string): Template {
	const parts: Array<string | TemplatePlace> = [];
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
			if (key !== '' && key.length <= maxKeyLength) {
				parts.push(source.slice(textFrom, open), placeOfKey(key));
				textFrom = index + 1;
			}

			open = -1;
		}
	}

	parts.push(source.slice(textFrom));
	return parts.filter(part => part !== '');
}

export const placeOfKey = (key: string): TemplatePlace => ({
	literal: `{${key}}`,
	key,
	path: key.split('.'),
});

/**
 * Fills in the places of a template; values are not parsed for further places. The text is well-formed Unicode and
 * at most `limit` UTF-16 units long.
 *
 * @see manual/filters-and-templates.md#templates
 */
export function renderTemplate(
	template: Template,
	context: RenderContext,
	limit = renderedLimit,
): Rendered {
	const read = new Set<string>();
	const unresolved = new Set<string>();
	const unresolvedAt: Array<Rendered['unresolvedAt'][number]> = [];
	let text = '';
	for (const part of template) {
		if (typeof part === 'string') {
			text += part;
			continue;
		}

		const value = textAt(part, context);
		if (value === undefined && unresolved.size < maxUnresolved) {
			unresolved.add(part.key);
		}

		if (value === undefined && unresolvedAt.length < maxUnresolvedPlaces) {
			unresolvedAt.push({key: part.key, at: text.length});
		}

		if (value !== undefined && part.key !== 'event_type' && read.size <= maxRead) {
			read.add(read.size < maxRead || read.has(part.key) ? part.key : '…');
		}

		text += value ?? part.literal;
		if (text.length > limit) {
			break;
		}
	}

	return {
		text: text.slice(0, limit).toWellFormed(),
		read: [...read],
		unresolved: [...unresolved],
		unresolvedAt,
	};
}

/** The default prompt: the whole payload. @see manual/routes.md#keys */
export const rawDump = (payload: JsonValue): string => dumpJson(payload, rawLimit).toWellFormed();

function textAt(place: TemplatePlace, context: RenderContext): string | undefined {
	return place.key === '__raw__'
		? dumpJson(context.payload, rawLimit)
		: textOf(valueOfPlace(place, context));
}

/** The raw value for a place; `undefined` when it is missing. */
export function valueOfPlace(
	{key, path}: TemplatePlace,
	{payload, event}: RenderContext,
): JsonValue | undefined {
	switch (key) {
		case '__raw__':
			return payload;
		case 'event_type':
			return event;
		default:
			return lookUp(payload, path);
	}
}

function textOf(value: JsonValue | undefined): string | undefined {
	if (value === undefined || typeof value === 'string') {
		return value;
	}

	return typeof value === 'object' && value !== null
		? dumpJson(value, nestedLimit)
		: JSON.stringify(value);
}

/** Characters left for the texts of one `deliver_extra`. */
type Budget = {left: number};

/** Renders the value for one event. */
type Renderer<Value extends JsonValue> = (context: RenderContext, budget: Budget) => Value;

/**
 * Compiles `deliver_extra`: strings, also nested ones, are templates; other values stay as they are. All strings together have at most 1,048,576 UTF-16 units; further
 * strings are empty.
 *
 * @see manual/filters-and-templates.md#templates
 */
export function compileExtra(extra: JsonObject): (context: RenderContext) => JsonObject {
	const render = compileMembers(extra);
	return context => render(context, {left: renderedLimit});
}

function compileMembers(extra: JsonObject): Renderer<JsonObject> {
	const members = Object.entries(extra).map(([key, value]) => [key, compileValue(value)] as const);
	return members.length === 0
		? () => extra
		: (context, budget) =>
				// fromEntries keeps a key named __proto__ an ordinary key.
				Object.fromEntries(members.map(([key, render]) => [key, render(context, budget)]));
}

const hasLostDigits = (value: JsonValue | undefined): boolean =>
	typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);

function compileValue(value: JsonValue): Renderer<JsonValue> {
	if (typeof value === 'string') {
		const template = parseTemplate(value);
		return (context, budget) => {
			// An integer that lost digits could name another chat: its place stays unresolved.
			const exact = template.map(part =>
				typeof part !== 'string' && hasLostDigits(valueOfPlace(part, context))
					? part.literal
					: part,
			);
			const {text} = renderTemplate(budget.left > 0 ? exact : [], context, budget.left);
			budget.left -= text.length;
			return text;
		};
	}

	if (isJsonObject(value)) {
		return compileMembers(value);
	}

	if (!Array.isArray(value)) {
		return () => value;
	}

	const items = value.map((item: JsonValue) => compileValue(item));
	return (context, budget) => items.map(render => render(context, budget));
}
