import {payloadOperators} from '../../core/payload-operators.ts';
import {splitGraphemes} from '../../terminal/text/line-editor.ts';
import {isArea, type Typing} from '../forms/typing.ts';
import type {EditorState} from './editor-state.ts';
import {isMember} from './list-setting.ts';
import {fieldNow} from './route-form.ts';

/** A word that was begun before the cursor, and what it can become. */
export type Begun = {
	readonly word: string;
	readonly candidates: readonly string[];
	/** Written behind what is taken. */
	readonly behind: string;
};

/** Where a `{` begins the name of a key. */
const takesTemplates: ReadonlySet<string> = new Set(['text', 'lines', 'mapping']);

/** The word that is typed now; `undefined` where nothing can be offered for it. */
export function begunWord(state: EditorState): Begun | undefined {
	const {place, keys} = state;
	const field = fieldNow(state);
	if (!place.editing || !field) {
		return undefined;
	}

	const before = beforeCursor(place.editing);
	const seen = (keys?.keys ?? []).map(({key}) => key);
	if (isMember(field.path)) {
		return field.path[0] === 'filters' ? begunInFilter(before, seen) : undefined;
	}

	const word = /\{([^{}]*)$/.exec(before)?.[1];
	return word === undefined || !takesTemplates.has(field.kind)
		? undefined
		: {word, candidates: [...seen, 'event_type', '__raw__'], behind: '}'};
}

/** `field operator value`: a field, then an operator. */
function begunInFilter(before: string, seen: readonly string[]): Begun | undefined {
	const [, field, operator] = /^([^\s{]+)(?:\s+(\S*))?$/.exec(before) ?? [];
	if (operator !== undefined) {
		return {word: operator, candidates: payloadOperators, behind: ' '};
	}

	return field === undefined
		? undefined
		: {word: field, candidates: [...seen, 'event'], behind: ' '};
}

/** What can be taken for what is typed, or was chosen, before the cursor. */
export function completionsOf(state: EditorState): readonly string[] {
	const begun = state.completion === undefined ? undefined : begunWord(state);
	return begun ? fitting(begun) : [];
}

/** What begins with the word before what holds it elsewhere, each in the order that it was seen. */
function fitting({word, candidates}: Begun): readonly string[] {
	const [begins, holds] = [true, false].map(isBeginning =>
		candidates.filter(
			key => key !== word && key.includes(word) && key.startsWith(word) === isBeginning,
		),
	);
	return [...(begins ?? []), ...(holds ?? [])];
}

function beforeCursor(typing: Typing): string {
	const [line, count] = isArea(typing)
		? [typing.lines[typing.row] ?? '', typing.column]
		: [typing.value, typing.cursor];
	return splitGraphemes(line).slice(0, count).join('');
}
