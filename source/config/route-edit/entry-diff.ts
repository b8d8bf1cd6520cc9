import type {JsonValue} from '../../core/json.ts';
import {unifiedDiff} from '../../core/unified-diff.ts';
import {editYaml} from '../edit-yaml.ts';
import {valueAt, type KeyPath} from '../plain-data.ts';
import {isSecretName} from '../secret-values.ts';
import {parseYamlSource} from '../yaml-source.ts';
import {placedSecrets, withHiddenSecrets} from './kept-secrets.ts';

/** An entry before and after an edit; absent if it does not exist. Both contain secrets. */
export type EntryChange = {
	readonly before?: JsonValue | undefined;
	readonly after: JsonValue;
};

type Named = {
	/** The name before the edit. */
	readonly from: string;
};

/** The change of the file of dynamic routes, as `unifiedDiff` writes it, without secrets. */
export const subscriptionDiff = (
	name: string,
	{before, after, from}: EntryChange & Named,
	line: number,
): readonly string[] =>
	hideKnown(
		unifiedDiff(
			before === undefined ? '' : jsonLines(from, withHiddenSecrets(before, before)),
			jsonLines(name, withHiddenSecrets(after, before)),
			Math.max(line, 1),
		),
		[before, after],
	);

/** A member of an object as it is in the file, without the braces around it. */
const jsonLines = (name: string, entry: JsonValue): string =>
	JSON.stringify({[name]: entry}, null, 2)
		.split('\n')
		.slice(1, -1)
		.join('\n');

/** The text of `config.yaml` before and after an edit of the entry at `path`. */
export type ConfigChange = {
	readonly textBefore: string;
	readonly textAfter: string;
	/** Path in the text after. */
	readonly path: KeyPath;
	/** Path in the text before, if its last key differs. */
	readonly from?: KeyPath;
};

/** The change of the entry's lines in `config.yaml`, with comments and without secrets. */
export function configDiff(
	{before, after}: EntryChange,
	{textBefore, textAfter, path, from = path}: ConfigChange,
): readonly string[] {
	const {line} = parseYamlSource(textBefore).positionOfKey(from);
	const old = before === undefined ? '' : hiddenLines(textBefore, from, {before, after: before});
	const next = hiddenLines(textAfter, path, {before, after});
	return old === undefined || next === undefined
		? subscriptionDiff(String(path.at(-1)), {before, after, from: String(from.at(-1))}, line)
		: hideKnown(unifiedDiff(old, next, line), [before, after]);
}

/** Whether an edit also changed lines of other entries: then the whole text was written anew. */
export function movesOthers({textBefore, textAfter, path, from = path}: ConfigChange): boolean {
	const places = [
		[textBefore, from],
		[textAfter, path],
	] as const;
	const [old, next] = places.map(([text, place]) => {
		const lines = linesAt(text, place);
		return lines === undefined ? undefined : text.replace(lines, '');
	});
	return old !== next;
}

/** The lines of an entry with its secrets hidden; `undefined` if they cannot be replaced one by one. */
function hiddenLines(
	text: string,
	path: KeyPath,
	{before, after}: EntryChange,
): string | undefined {
	const hidden = withHiddenSecrets(after, before);
	try {
		const without = placedSecrets(after).reduce(
			(rest, {path: place}) =>
				editYaml(rest, {path: [...path, ...place], value: String(valueAt(hidden, place))}),
			text,
		);
		return linesAt(without, path)?.replaceAll(commentedOut, hideCommented);
	} catch {
		// A value that an alias shares cannot be replaced in one place.
		return undefined;
	}
}

/** A commented-out key with its value. */
const commentedOut = /(#[ \t]*(?:- )?["']?([\w-]{1,64})["']?[ \t]*:[ \t]+)(\S.*)$/gm;

/** Hides the value of a commented-out secret, which may still be in use. */
const hideCommented = (
	comment: string,
	...[before = '', key = '', value = '']: readonly string[]
): string => (isSecretName(key, value) && !isSwitch.test(value) ? `${before}<hidden>` : comment);

/** A boolean, perhaps with a comment: `# token: true` is no secret. */
const isSwitch = /^(?:true|false),?[ \t]*(?:#.*)?$/;

/** The lines of the key at `path` with everything below it; `undefined` if it shares its line with other keys. */
function linesAt(text: string, path: KeyPath): string | undefined {
	const {line, column} = parseYamlSource(text).positionOfKey(path);
	const lines = text.split('\n');
	if ((lines[line - 1] ?? '').slice(0, column - 1).trim() !== '') {
		return undefined;
	}

	const rest = lines.slice(line);
	const end = rest.findIndex(one => one.trim() !== '' && one.search(/\S/) < column);
	return lines
		.slice(line - 1, end === -1 ? undefined : line + end)
		.join('\n')
		.trimEnd();
}

const hidden = '<hidden>';

/** Length in UTF-16 units from which a secret is hidden anywhere: shorter ones may be common words. */
const minLength = 8;

/** The line from its first `#`, which may begin a comment. */
const comment = /#.*$/;

/** The spellings of a secret in a file: bare, in double quotes, in single quotes. */
const spellings = (secret: string): readonly string[] => [
	secret,
	JSON.stringify(secret).slice(1, -1),
	secret.replaceAll("'", "''"),
];

/** Lines of a diff without the secrets of these entries: long ones are hidden anywhere, such as in a description, short ones as whole words in comments. */
function hideKnown(
	lines: readonly string[],
	entries: ReadonlyArray<JsonValue | undefined>,
): readonly string[] {
	const secrets = entries
		.flatMap(placedSecrets)
		.flatMap(({value}) => spellings(typeof value === 'string' ? value : JSON.stringify(value)))
		.toSorted((one, other) => other.length - one.length);
	const long = secrets.filter(({length}) => length >= minLength);
	const short = secrets
		.filter(({length}) => length > 0 && length < minLength)
		.map(secret => new RegExp(`(?<!\\w)${RegExp.escape(secret)}(?!\\w)`, 'g'));
	return lines.map(line =>
		long
			.reduce((rest, secret) => rest.replaceAll(secret, hidden), line)
			.replace(comment, text =>
				short.reduce((rest, secret) => rest.replaceAll(secret, hidden), text),
			),
	);
}
