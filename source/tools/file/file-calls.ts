import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {
	type HelperAsk,
	maxContentBytes,
	maxHits,
	maxReadBytes,
	maxReadLines,
} from './helper/contract.ts';

/** A tool for the model, with its translation to a call of the helper. */
type FileTool =
	| FileToolOf<Exclude<FileAsk, FileChangeAsk>, true>
	| FileToolOf<FileChangeAsk, false>;

type FileToolOf<Ask extends FileAsk, ReadOnly extends boolean> = {
	readonly name: string;
	readonly does: string;
	readonly fields: Readonly<Record<string, JsonObject>>;
	readonly required: readonly string[];
	readonly readOnly: ReadOnly;
	/** The helper's call, or the problem with the arguments. */
	readonly read: (path: string, args: JsonObject) => Ask | string;
};

export type FileAsk = Exclude<HelperAsk, {readonly act: 'preview'}>;

type FileChangeAsk = Extract<FileAsk, {readonly act: 'change'}>;

const pathField = {
	type: 'string',
	description: 'Absolute, or relative to the working folder',
} as const;

/** In the order shown to models. */
export const fileCalls: readonly FileTool[] = [
	{
		name: 'read_file',
		does: `Reads a text file as it is, at most ${maxReadLines} lines and ${Math.floor(maxReadBytes / 1000)} kB a call; of a folder, lists what is in it`,
		fields: {
			path: pathField,
			offset: {type: 'integer', minimum: 1, description: 'First line, from 1'},
			limit: {type: 'integer', minimum: 1, maximum: maxReadLines, description: 'Lines at most'},
		},
		required: ['path'],
		readOnly: true,
		read(path, {offset, limit}) {
			const [first, most] = [count(offset, 1), count(limit, maxReadLines)];
			return first === undefined || most === undefined
				? '"offset" and "limit" are whole numbers from 1'
				: {act: 'read', path, offset: first, limit: most};
		},
	},
	{
		name: 'search_files',
		does: `Finds lines that match a regular expression (RE2), in a folder or a file: "path:line: text", at most ${maxHits}. Folders .git and node_modules are left out`,
		fields: {
			pattern: {type: 'string', description: 'Begin with (?i) for any case'},
			path: {...pathField, description: `${pathField.description}; absent: the working folder`},
			glob: {type: 'string', description: 'Files that are meant: *.ts, src/**/*.{js,ts}'},
		},
		required: ['pattern'],
		readOnly: true,
		read(path, {pattern, glob}) {
			if (typeof pattern !== 'string' || pattern === '') {
				return '"pattern" is no text, or is empty';
			}

			return glob !== undefined && glob !== null && typeof glob !== 'string'
				? '"glob" is no text'
				: {
						act: 'search',
						path,
						pattern,
						...(typeof glob === 'string' && glob !== '' && {glob}),
					};
		},
	},
	{
		name: 'write_file',
		does: 'Writes a whole file, a new one or in place of what is there, and makes folders on the way to it',
		fields: {path: pathField, content: {type: 'string', description: 'All of the file'}},
		required: ['path', 'content'],
		readOnly: false,
		read: (path, {content}) =>
			isContent(content)
				? {act: 'change', change: {kind: 'write', path, content}}
				: `"content" ${noContent}`,
	},
	{
		name: 'edit_file',
		does: 'Puts a text in the place of another that stands in a file exactly once',
		fields: {
			path: pathField,
			old_text: {
				type: 'string',
				description: 'As it stands in the file, with blanks and line breaks',
			},
			new_text: {type: 'string', description: 'May be empty'},
		},
		required: ['path', 'old_text', 'new_text'],
		readOnly: false,
		read(path, {old_text: oldText, new_text: newText}) {
			if (!isContent(oldText) || oldText === '') {
				return `"old_text" ${noContent}, or is empty`;
			}

			if (!isContent(newText) || newText === oldText) {
				return `"new_text" ${noContent}, or is the same as "old_text"`;
			}

			return {act: 'change', change: {kind: 'edit', path, oldText, newText}};
		},
	},
];

const isContent = (value: JsonValue | undefined): value is string =>
	typeof value === 'string' && value.isWellFormed() && Buffer.byteLength(value) <= maxContentBytes;

const noContent = `is no text, or is longer than ${maxContentBytes / 1_000_000} MB`;

/** `undefined` if it is not a whole number from 1. */
const count = (value: JsonValue | undefined, absent: number): number | undefined =>
	value === undefined || value === null
		? absent
		: typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
			? value
			: undefined;

const maxPathLength = 4096;

const isPath = (value: JsonValue | undefined): value is string =>
	typeof value === 'string' &&
	value !== '' &&
	value.length <= maxPathLength &&
	value.isWellFormed() &&
	!value.includes('\0');

/** The helper's call, or an answer for the model. */
export function askOf<Ask extends FileAsk>(
	{name, required, read}: Pick<FileToolOf<Ask, boolean>, 'name' | 'required' | 'read'>,
	args: JsonValue,
): Ask | string {
	const given = isJsonObject(args) ? args : {};
	const path = given['path'] ?? (required.includes('path') ? undefined : '.');
	const ask = isPath(path)
		? read(path, given)
		: `"path" is no text, is empty, is longer than ${maxPathLength} characters or holds a NUL`;
	return typeof ask === 'string' ? `Cannot call ${name}: ${ask}` : ask;
}
