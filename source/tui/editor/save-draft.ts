import {compact} from '../../core/names.ts';
import type {RouteCheck} from '../../core/route-editor.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {typedProblem} from '../../nouns/field-kinds.ts';
import {routeKey} from '../../nouns/route/route.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {selectSoon} from '../acts/select-soon.ts';
import {askToDrop} from '../dialogs/questions.ts';
import {routeList} from '../entries/lists.ts';
import type {Shell} from '../shell/shell.ts';
import {attemptOnFile} from './conflict.ts';
import {isRenamed, undo, unsavedText, wireDraft} from './draft.ts';
import {changeEditor, editorNow, type EditorStep} from './editor-state.ts';
import {closeEditor, updateDraft} from './refresh.ts';
import {allFieldsOf, isSaidOf, keyOf, routeForm} from './route-form.ts';

const goTo = (shell: Shell, step: EditorStep): void =>
	changeEditor(shell, state => ({...state, step}));

/** Leaves the editor, after a question if something is unsaved. */
export function leaveEditor(shell: Shell): void {
	const state = editorNow(shell);
	if (!state) {
		return;
	}

	const unsaved = unsavedText(state.draft);
	if (unsaved === undefined) {
		closeEditor(shell);
	} else {
		askToDrop(shell, {lines: [escapeLine(unsaved)], run: closeEditor});
	}
}

/** Goes to a field, and shows why nothing is saved. */
function refuse(shell: Shell, key: string, why: Safe): void {
	changeEditor(shell, state => ({...state, place: {key, option: 0}}));
	shell.toast(safe`Not saved: ${why}`, 'warn');
}

/** Shows what saving would change, or goes to the first invalid field. */
export function reviewSave(shell: Shell): void {
	const state = editorNow(shell);
	if (!state) {
		return;
	}

	const {draft} = state;
	if (draft.name === '') {
		const why = draft.isNew
			? literal('a new route needs a name')
			: literal('a route needs a name; u brings it back');
		refuse(shell, '', why);
		return;
	}

	const {fields, values} = routeForm(state);
	for (const field of fields) {
		const problem = typedProblem(field, values[field.key]);
		if (problem !== undefined) {
			refuse(shell, field.key, safe`${escapeLine(field.key)} ${escapeLine(problem)}`);
			return;
		}
	}

	attemptOnFile(shell, async isStillHere => {
		const plan = await shell.port.planRouteSave(draft.name, wireDraft(draft));
		if (!isStillHere(literal('What saving changes was not shown'))) {
			return;
		}

		const {problems, warnings} = plan;
		changeEditor(shell, current => ({...current, check: {problems, warnings}}));
		const [problem] = problems;
		if (problem) {
			const field = allFieldsOf(state).find(one => isSaidOf(problem.path, one, draft));
			refuse(shell, field ? keyOf(field) : '', escapeLine(sayProblem(problem)));
		} else if (plan.diff.length === 0) {
			shell.toast(literal('There is nothing to save'));
		} else {
			goTo(shell, {kind: 'diff', plan, top: 0});
		}
	});
}

/** A problem, prefixed by its setting. */
export const sayProblem = ({path, message}: RouteCheck['problems'][number]): string =>
	path === '' ? message : `${path} ${message}`;

/** Writes what was shown. */
export function save(shell: Shell): void {
	const state = editorNow(shell);
	if (state?.step.kind !== 'diff' || state.isSaving) {
		return;
	}

	const {draft} = state;
	const {name} = draft;
	changeEditor(shell, now => ({...now, isSaving: true}));
	attemptOnFile(shell, async () => {
		const saved = await written(shell, shell.port.saveRoute(name, wireDraft(draft)));
		const hasMoved = isRenamed(draft);
		if (draft.isNew || hasMoved) {
			selectSoon(shell, shell.list(routeList), () => {
				const {routes} = shell.feed.get().state;
				const found = routes.find(one => one.name === name && one.source === draft.source);
				return found && routeKey(found);
			});
		}

		const route = escapeLine(name);
		const file = escapeLine(saved.file);
		if (saved.secret === undefined && !hasMoved) {
			closeEditor(shell);
			shell.toast(safe`Saved ${route} in ${file}`, 'good');
		} else {
			const done = compact([
				hasMoved && safe`${escapeLine(draft.from)} is called ${route} now, in ${file}`,
				draft.isNew && safe`${route} was created in ${file}`,
				!draft.isNew && saved.secret !== undefined && safe`${route} has a new secret in ${file}`,
			]);
			goTo(shell, {kind: 'saved', saved, done});
		}
	});
}

/** Resolves to what was written. The form returns whether writing succeeds or fails. */
async function written<Saved>(shell: Shell, saving: Promise<Saved>): Promise<Saved> {
	try {
		return await saving;
	} finally {
		changeEditor(shell, now => ({...now, isSaving: undefined, step: {kind: 'form'}}));
	}
}

/** Returns to the form, unless a save is in progress. */
export const backToForm = (shell: Shell): void => {
	if (!editorNow(shell)?.isSaving) {
		goTo(shell, {kind: 'form'});
	}
};

/** Undoes the last change. */
export function undoChange(shell: Shell): void {
	const state = editorNow(shell);
	if (!state || state.draft.past.length === 0) {
		shell.toast(literal('There is nothing to take back'));
		return;
	}

	updateDraft(shell, undo);
}
