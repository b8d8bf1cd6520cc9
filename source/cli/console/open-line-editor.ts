import {createInterface, type Interface, type ReadLineOptions} from 'node:readline/promises';
import {characterKind, escapeLine} from '../../core/untrusted.ts';

type EditorOptions = Omit<ReadLineOptions, 'output'> & {
	readonly history?: string[] | undefined;
	readonly environment: Readonly<Record<string, string | undefined>>;
};

/**
 * A line editor. Hidden characters that are typed or pasted, such as one that changes the text's direction, are shown as `\u{202e}`; `asTyped` restores them.
 * `history`: earlier lines, newest first; new ones are added.
 */
export function openLineEditor(
	output: NodeJS.WritableStream,
	{input, history, environment, ...options}: EditorOptions,
): Interface {
	const editor = createInterface({
		...options,
		input,
		output: showing(output),
		...(history ? {history: history.map(stoodFor)} : {historySize: 0}),
	});
	editor.on('history', (now: readonly string[]) => {
		history?.splice(0, history.length, ...now.map(asTyped));
	});
	// Runs after the line editor has inserted the character.
	const onKey = (text: string | undefined) => {
		if (environment['TERM'] === 'dumb' || text === undefined || stoodFor(text) === text) {
			return;
		}

		const {line, cursor} = editor;
		Object.assign(editor, {line: stoodFor(line), cursor: stoodFor(line.slice(0, cursor)).length});
		editor.prompt(true);
	};
	input.on('keypress', onKey);
	editor.once('close', () => {
		input.off('keypress', onKey);
	});
	return editor;
}

/** The editor's line with the original hidden characters. */
export const asTyped = (line: string): string =>
	ascii(
		line.replaceAll(escapes, (_, digits: string) =>
			String.fromCodePoint(Number.parseInt(ascii(digits), 16)),
		),
	);

/** The terminal, with hidden characters written visibly. */
const showing = <Output extends NodeJS.WritableStream>(output: Output): Output =>
	new Proxy(output, {
		get(target, key) {
			const member: unknown = Reflect.get(target, key, target);
			if (typeof member !== 'function') {
				return member;
			}

			return key === 'write'
				? (chunk: string) => target.write(ascii(stoodFor(chunk)))
				: member.bind(target);
		},
	});

// The editor counts cells to place the cursor, so its line contains an escape as wide as what is shown, made of private-use characters: these tell it from a typed
// escape.
const first = 0xf4_00;
const escapes = /\uf45c\uf475\uf47b([\uf430-\uf466]{1,6})\uf47d/g;

const stoodFor = (text: string): string =>
	text.replaceAll(/[^\0-\u007e]/gu, character =>
		characterKind(character) === 'hidden'
			? escapeLine(character).replaceAll(/[^]/g, letter =>
					String.fromCharCode(first + letter.charCodeAt(0)),
				)
			: character,
	);

const ascii = (text: string): string =>
	text.replaceAll(/[\uf400-\uf47f]/g, letter => String.fromCharCode(letter.charCodeAt(0) - first));
