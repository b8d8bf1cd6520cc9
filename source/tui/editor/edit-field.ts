import {payloadOperators} from '../../core/payload.ts';
import type {RouteDefinition} from '../../core/route-editor.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {splitGraphemes} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {placeNow} from '../acts/place.ts';
import {
	actOnField,
	pasteInto,
	typeInto,
	type FormState,
	isArea,
	type Typing,
} from '../forms/form.ts';
import type {PaneSection} from '../panes/pane.ts';
import type {Shell} from '../shell/shell.ts';
import {afterOwnEdit} from './draft.ts';
import {changeEditor, editorNow, type EditorState} from './editor-state.ts';
import {isListMember} from './list-setting.ts';
import {refresh, updateDraft} from './refresh.ts';
import {
	allFieldsOf,
	fieldNow,
	shownFields,
	foldField,
	keyOf,
	routeForm,
	withForm,
} from './route-form.ts';
import {sayProblem} from './save-draft.ts';

/** Changes the route's form, and checks the draft again if more than the cursor changed. */
export function changeRouteForm(shell: Shell, update: (form: FormState) => FormState): void {
	const before = editorNow(shell);
	changeEditor(shell, state => {
		const next = withForm(state, update(routeForm(state)));
		const isTyping = next.place.editing !== undefined;
		return {...next, completion: isTyping ? beginsCompletion(next, state) : undefined};
	});
	const after = editorNow(shell);
	if (before?.draft !== after?.draft || before?.place.editing !== after?.place.editing) {
		refresh(shell);
	}
}

/** Offers completions as soon as the typed text begins a word that has some. */
const beginsCompletion = (state: EditorState, before: EditorState): number | undefined =>
	before.place.editing && begunWord(state) ? 0 : undefined;

/** Starts typing in the field, or takes its next value. */
export function enterField(shell: Shell): void {
	const state = editorNow(shell);
	const field = state && fieldNow(state);
	if (field === foldField) {
		unfold(shell);
	} else if (field?.byHand === true) {
		editByHand(shell, keyOf(field));
	} else {
		changeRouteForm(shell, actOnField);
	}
}

/** Unfolds the fields without a value and goes to the first, or folds them. */
function unfold(shell: Shell): void {
	changeEditor(shell, state => {
		const shown = new Set(shownFields(state).map(keyOf));
		const first = allFieldsOf(state).find(field => !shown.has(keyOf(field)));
		return state.isUnfolded === true || !first
			? {...state, isUnfolded: false}
			: {...state, isUnfolded: true, place: {key: keyOf(first), option: 0}};
	});
}

/** The text of the field being typed in. */
export const typingField: NonNullable<PaneSection['typing']> = {
	key: (shell, key) => changeRouteForm(shell, form => typeInto(form, key)),
	paste: (shell, pasted) => changeRouteForm(shell, form => pasteInto(form, pasted)),
};

/** Inserts the selected completion. */
export function writeChosenWord(shell: Shell): void {
	const state = editorNow(shell);
	const chosen = state && completionsOf(state)[state.completion ?? 0];
	const begun = state && begunWord(state);
	if (chosen === undefined || begun === undefined) {
		return;
	}

	changeRouteForm(shell, form =>
		pasteInto(
			splitGraphemes(begun.word).reduce(rest => typeInto(rest, {id: 'backspace', text: ''}), form),
			chosen + begun.behind,
		),
	);
}

/** Selects another completion. */
export const moveCompletion = (step: 1 | -1) => (shell: Shell) =>
	changeEditor(shell, state => {
		const {length} = completionsOf(state);
		const {completion = 0} = state;
		return {...state, completion: length === 0 ? 0 : (completion + step + length) % length};
	});

/** The word before the cursor and its possible completions. */
type Begun = {
	readonly word: string;
	readonly candidates: readonly string[];
	/** Inserted after the completed word. */
	readonly behind: string;
};

/** The kinds of fields in which `{` begins a key's name. */
const takesTemplates: ReadonlySet<string> = new Set(['text', 'lines', 'mapping']);

/** The word being typed; `undefined` if it has no completions. */
function begunWord(state: EditorState): Begun | undefined {
	const {place, keys} = state;
	const field = fieldNow(state);
	if (!place.editing || !field) {
		return undefined;
	}

	const before = beforeCursor(place.editing);
	const seen = (keys?.keys ?? []).map(({key}) => key);
	if (isListMember(field.path)) {
		return field.path[0] === 'filters' ? begunInFilter(before, seen) : undefined;
	}

	const word = /\{([^{}]*)$/.exec(before)?.[1];
	return word === undefined || !takesTemplates.has(field.kind)
		? undefined
		: {word, candidates: [...seen, 'event_type', '__raw__'], behind: '}'};
}

/** In a filter `field operator value`: completes the field, then the operator. */
function begunInFilter(before: string, seen: readonly string[]): Begun | undefined {
	const [, field, operator] = /^([^\s{]+)(?:\s+(\S*))?$/.exec(before) ?? [];
	if (operator !== undefined) {
		return {word: operator, candidates: payloadOperators, behind: ' '};
	}

	return field === undefined
		? undefined
		: {word: field, candidates: [...seen, 'event'], behind: ' '};
}

/** The completions for the word before the cursor. */
export function completionsOf(state: EditorState): readonly string[] {
	const begun = state.completion === undefined ? undefined : begunWord(state);
	return begun ? fitting(begun) : [];
}

/** The candidates that begin with the word, then those that contain it, both in the order given. */
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

/**
 * Opens the route's file in the person's editor, at the line of the setting `key`, or of the route if the setting is absent. The saved file takes effect at once,
 * like a reload; the form shows its check and continues with it.
 */
function editByHand(shell: Shell, key: string): void {
	const {draft} = editorNow(shell) ?? {};
	if (!draft) {
		return;
	}

	if (draft.isNew) {
		shell.toast(
			safe`${escapeLine(key)} is written into the file by hand: save the route first (a), then edit it`,
			'warn',
		);
		return;
	}

	const {from, source} = draft;
	const isStillHere = placeNow(shell, literal('enter'), () => {
		const {place, step, find} = editorNow(shell) ?? {};
		return [place, step, find];
	});
	shell.attempt(async () => {
		const before = await shell.port.readRoute(from, {source});
		if (!before) {
			shell.toast(safe`There is no route ${escapeLine(from)} in its file any more`, 'warn');
			return;
		}

		if (!isStillHere(literal('The file was not opened'))) {
			return;
		}

		await shell.desktop.openFile(before.file, () => before.lines[key] ?? before.line);
		await shell.port.reload();
		const after = await shell.port.readRoute(from, {source});
		if (!after) {
			shell.toast(safe`${escapeLine(from)} is not in ${escapeLine(before.file)} any more`, 'warn');
			return;
		}

		await tellOutcome(shell, {before, after});
		updateDraft(shell, now => (now.from === from ? afterOwnEdit(now, after) : now));
	});
}

async function tellOutcome(
	shell: Shell,
	{before, after}: {readonly before: RouteDefinition; readonly after: RouteDefinition},
): Promise<void> {
	const {name, source, definition, fingerprint} = after;
	const {problems, warnings} = await shell.port.checkRoute(name, {source, definition, fingerprint});
	const [problem] = problems;
	const [warning] = warnings;
	if (problem) {
		shell.toast(safe`Not in use as it is written: ${escapeLine(sayProblem(problem))}`, 'bad');
	} else if (after.fingerprint === before.fingerprint) {
		shell.toast(safe`${escapeLine(name)} is as it was`);
	} else if (warning !== undefined) {
		shell.toast(safe`In use, with a warning: ${escapeLine(warning)}`, 'warn');
	} else {
		shell.toast(safe`${escapeLine(name)} is valid, and in use as it is written now`, 'good');
	}
}
