import type {RouteDefinition} from '../../core/route-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {placeNow} from '../acts/place.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {afterOwnEdit} from './draft.ts';
import {changeEditor, editorNow} from './editor-state.ts';
import {refresh} from './refresh.ts';
import {sayProblem} from './save-draft.ts';

/**
 * Opens the file of the route in the editor of the person, at the line of the setting `key`, or of the route where it has none. What is written there afterwards counts at once, as after a
 * reload; what the receiver says of it is told, and the form goes on from it.
 */
export function editByHand(shell: Shell, key: string): void {
	const {draft} = editorNow(shell) ?? {};
	if (!draft) {
		return;
	}

	if (draft.isNew) {
		shell.toast(
			safe`${clean(key)} is written into the file by hand: save the route first (w), then edit it`,
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
			shell.toast(safe`There is no route ${clean(from)} in its file any more`, 'warn');
			return;
		}

		if (!isStillHere(literal('The file was not opened'))) {
			return;
		}

		await shell.desktop.openFile(before.file, () => before.lines[key] ?? before.line);
		await shell.port.reload();
		const after = await shell.port.readRoute(from, {source});
		if (!after) {
			shell.toast(safe`${clean(from)} is not in ${clean(before.file)} any more`, 'warn');
			return;
		}

		await tellOutcome(shell, {before, after});
		changeEditor(shell, state =>
			state.draft.from === from ? {...state, draft: afterOwnEdit(state.draft, after)} : state,
		);
		refresh(shell);
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
		shell.toast(safe`Not in use as it is written: ${clean(sayProblem(problem))}`, 'bad');
	} else if (after.fingerprint === before.fingerprint) {
		shell.toast(safe`${clean(name)} is as it was`);
	} else if (warning !== undefined) {
		shell.toast(safe`In use, with a warning: ${clean(warning)}`, 'warn');
	} else {
		shell.toast(safe`${clean(name)} is valid, and in use as it is written now`, 'good');
	}
}
