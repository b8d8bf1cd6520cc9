import {createInterface, type Interface, type ReadLineOptions} from 'node:readline/promises';
import {characterKind, escapeLine} from '../../core/untrusted.ts';

type EditorOptions = Omit<ReadLineOptions, 'output'> & {
	readonly history?: string[] | undefined;
	readonly environment: Readonly<Record<string, string | undefined>>;
};

/**
 * A line editor for a person. A hidden character that is typed or pasted, such as one that turns the direction of text, is shown as `\u{202e}`; `asTyped` gives it back. `history`: lines of before, the newest first, which gets what is typed.
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
	// After the line editor, which has inserted the character by then.
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

/** A line of the editor, with the hidden characters that were typed. */
export const asTyped = (line: string): string =>
	ascii(
		line.replaceAll(escapes, (_, digits: string) =>
			String.fromCodePoint(Number.parseInt(ascii(digits), 16)),
		),
	);

/** The terminal, to which hidden characters are written as they are shown. */
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

// The editor counts cells of its line to place the cursor. In the line stands an escape of as many cells as are shown, in private characters: so is it told from one that was typed in letters.
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
