/** Quotes a name, if necessary, as one word of a shell. */
export const asWord = (name: string): string =>
	/^[\w.@:/][\w.@:/-]*$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;

/** The command that logs in to a tool server of a profile. */
export const loginCommand = ({
	profile,
	name,
}: {
	readonly profile: string;
	readonly name: string;
}): string => `svc ${profile === 'default' ? '' : `-p ${profile} `}mcp login ${asWord(name)}`;

/** Quotes a text as one word of a shell. Control characters are escaped by `$'…'`, so that pasting it triggers none of them. */
export function quotedWord(text: string): string {
	// oxlint-disable-next-line no-control-regex
	if (!/[\u0000-\u0008\u000A-\u001F\u007F-\u009F]/.test(text)) {
		return `'${text.replaceAll("'", String.raw`'\''`)}'`;
	}

	const spelled = text
		.replaceAll('\\', String.raw`\\`)
		.replaceAll("'", String.raw`\'`)
		.replaceAll(
			// oxlint-disable-next-line no-control-regex
			/[\u0000-\u001F\u007F-\u009F]/g,
			character => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
		);
	return `$'${spelled}'`;
}

/**
 * Splits a command line such as `$EDITOR` into words, without a shell: blanks separate, quotes group, a backslash
 * escapes the next character (within double quotes only `\"` and `\\`). Nothing is expanded. An empty
 * line gives `[]`.
 */
export function splitCommand(line: string): readonly string[] {
	const words = line.matchAll(wordPattern);
	return [...words].map(([word]) => word.replaceAll(parts, unquote));
}

const wordPattern = /(?:[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*')+/g;

/** Whether a line has an open quote or ends in a backslash; {@link splitCommand} drops that rest. */
export const isUnfinished = (line: string): boolean =>
	line.replaceAll(wordPattern, '').trim() !== '';

const parts = /\\([^])|"((?:[^"\\]|\\[^])*)"|'([^']*)'/g;

function unquote(_: string, ...groups: readonly unknown[]): string {
	const [escaped, double, single] = groups;
	if (typeof double === 'string') {
		return double.replaceAll(/\\(["\\])/g, '$1');
	}

	return [escaped, single].find(part => typeof part === 'string') ?? '';
}
