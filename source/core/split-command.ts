/**
 * The words of a command line such as `$EDITOR` holds, without a shell: blanks separate, quotes keep together, a backslash
 * takes the next character as it is (within double quotes only `\"` and `\\`). Nothing is expanded. `['']` never occurs: an empty
 * line gives `[]`.
 */
export function splitCommand(line: string): readonly string[] {
	const words = line.matchAll(wordPattern);
	return [...words].map(([word]) => word.replaceAll(parts, unquote));
}

const wordPattern = /(?:[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*')+/g;

/** Whether a quote, or a backslash at the end, waits for more: {@link splitCommand} leaves such a rest out. */
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
