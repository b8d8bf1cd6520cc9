import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {unifiedDiff} from '../../core/unified-diff.ts';
import {escapeLine} from '../../core/untrusted.ts';

/** Longer definitions are not compared; in UTF-16 units. */
const maxCompared = 16 * 1024;

/** The most lines shown of a diff. */
const maxLines = 120;

/** Longer lines are wrapped, so that none is cut. */
const lineLength = 160;

/** Escapes are longer than the control characters they replace. */
const maxCleanLength = lineLength * 12;

/**
 * The diff from definition `before` to `after`, both canonical JSON: escaped lines as in `unifiedDiff`, at most 120, then the number of further lines. `undefined`
 * if either is longer than 16 KiB.
 */
export function definitionChanges(before: string, after: string): readonly string[] | undefined {
	if (Math.max(before.length, after.length) > maxCompared) {
		return undefined;
	}

	const lines = unifiedDiff(readable(before), readable(after));
	const shown = lines.slice(0, maxLines).map(line => escapeLine(line, maxCleanLength));
	return lines.length > maxLines ? [...shown, `… ${lines.length - maxLines} lines more`] : shown;
}

const partNames = ['name', 'title', 'description', 'annotations', 'inputSchema', 'outputSchema'];

/** A definition in lines: a heading for each part, texts unquoted, and the rest as JSON. */
function readable(text: string): string {
	const definition: JsonValue = JSON.parse(text);
	return partNames
		.flatMap(name => {
			const value = isJsonObject(definition) ? definition[name] : undefined;
			return value === undefined ? [] : [name, ...linesOf(value).flatMap(pieces)];
		})
		.join('\n');
}

const linesOf = (value: JsonValue): readonly string[] =>
	(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)).split('\n');

const pieces = (line: string): readonly string[] =>
	line === ''
		? ['  ']
		: (line.match(new RegExp(`.{1,${lineLength}}`, 'gsu')) ?? []).map(piece => `  ${piece}`);
