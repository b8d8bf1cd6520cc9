import type {JsonValue} from '../../core/json.ts';

/** `{` and the name of a key, behind which no `}` comes in its line. */
const open = /\{([a-z_][\w.]*)(?![\w.])(?![^{}\n]*\})/gi;

/** What to know of a template with keys that nobody closed: they stay as they are written, which may be meant. Empty where there are none. */
export function openBraces(template: JsonValue | undefined): readonly string[] {
	const texts =
		typeof template === 'string'
			? [template]
			: typeof template === 'object' && template !== null
				? Object.values(template).filter(text => typeof text === 'string')
				: [];
	const names = texts.flatMap(text => [...text.matchAll(open)].map(([, name = '']) => name));
	return [...new Set(names)].map(name => `{${name} has no closing }, and stays as it is written`);
}
