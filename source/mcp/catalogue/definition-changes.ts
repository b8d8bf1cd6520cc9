import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {unifiedDiff} from '../../core/unified-diff.ts';
import {escapeLine} from '../../core/untrusted.ts';

/** Longer definitions are not compared, in UTF-16 units. */
const maxCompared = 16 * 1024;

/** What is shown of the differences. */
const maxLines = 120;

/** What is longer goes on in another line, so that no line is cut. */
const lineLength = 160;

/** What a control character becomes has more characters. */
const maxCleanLength = lineLength * 12;

/**
 * What makes the definition `after` of `before`, both as canonical JSON: clean lines as `unifiedDiff` has them, at most 120, then how many more there are. `undefined`
 * when one of them is longer than 16 KiB.
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

/** A definition in lines: a heading for each part of it, texts as they are, and the rest as JSON. */
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
