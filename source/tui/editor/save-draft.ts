import {codeOf} from '../../core/errors.ts';
import {type JsonObject, isJsonObject, parsedJson} from '../../core/json.ts';
import type {RouteCheck} from '../../core/route-editor.ts';
import {typedProblem} from '../../nouns/field-kinds.ts';
import {routeKey} from '../../nouns/route/route.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {selectSoon} from '../acts/select-soon.ts';
import {confirm} from '../dialogs/questions.ts';
import {routeList} from '../entries/route-list.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {changeDraft, countChanges, isDirty, isRenamed, onTopOf, undo, wireDraft} from './draft.ts';
import {changeEditor, editor, editorNow, type EditorStep} from './editor-state.ts';
import {refresh, stopRefreshing} from './refresh.ts';
import {fieldsOf, routeForm} from './route-form.ts';

const goTo = (shell: Shell, step: EditorStep): void => {
	changeEditor(shell, state => ({...state, step}));
};

/** Ends editing; the draft goes. */
export function closeEditor(shell: Shell): void {
	stopRefreshing(shell);
	shell.local(editor).set(() => undefined);
}

/** Leaves, after a question when something is not saved. */
export function leaveEditor(shell: Shell): void {
	const state = editorNow(shell);
	if (!state) {
		return;
	}

	if (!isDirty(state.draft)) {
		closeEditor(shell);
		return;
	}

	const count = countChanges(state.draft);
	confirm.open(shell, {
		title: literal('Leave without saving?'),
		lines: [
			safe`${clean(state.draft.name || 'The new route')} has ${count === 1 ? literal('1 change') : safe`${count} changes`} that ${count === 1 ? literal('is') : literal('are')} not saved.`,
		],
		act: literal('drop them'),
		stay: literal('stay in the form'),
		run() {
			closeEditor(shell);
		},
	});
}

/** Does something with the file; when somebody else was there first, a person chooses. */
function attempt(shell: Shell, act: () => Promise<void>): void {
	shell.attempt(async () => {
		try {
			await act();
		} catch (error) {
			if (codeOf(error) !== 'route_conflict' || editorNow(shell)?.draft.isNew !== false) {
				throw error;
			}

			const {from, source} = editorNow(shell)?.draft ?? {};
			const theirs =
				from === undefined
					? undefined
					: await shell.port.readRoute(from, source === undefined ? {} : {source});
			goTo(shell, {kind: 'conflict', theirs});
		}
	});
}

/** Shows what saving would change, or goes to the first field that is wrong. */
export function reviewSave(shell: Shell): void {
	const state = editorNow(shell);
	if (!state) {
		return;
	}

	const {draft, version} = state;
	if (draft.name === '') {
		changeEditor(shell, now => ({...now, place: {index: 0, option: 0}}));
		shell.toast(
			draft.isNew
				? literal('Not saved: a new route needs a name')
				: literal('Not saved: a route needs a name; u brings it back'),
			'warn',
		);
		return;
	}

	const form = routeForm(state);
	const wrong = form.fields.findIndex(field => typedProblem(field, form.values[field.key]));
	const field = form.fields[wrong];
	if (field) {
		const problem = typedProblem(field, form.values[field.key]) ?? '';
		changeEditor(shell, now => ({...now, place: {index: wrong, option: 0}}));
		shell.toast(safe`Not saved: ${clean(field.key)} ${clean(problem)}`, 'warn');
		return;
	}

	attempt(shell, async () => {
		const plan = await shell.port.planRouteSave(draft.name, wireDraft(draft));
		const now = editorNow(shell);
		if (now?.version !== version || now.place.editing) {
			return;
		}

		const {problems, warnings} = plan;
		changeEditor(shell, current => ({...current, check: {problems, warnings}}));
		const [problem] = problems;
		if (problem) {
			const index = fieldsOf(now).findIndex(({path}) => isAbout(problem.path, path));
			changeEditor(shell, current => ({
				...current,
				place: {index: Math.max(0, index), option: 0},
			}));
			shell.toast(safe`Not saved: ${clean(sayProblem(problem))}`, 'warn');
		} else if (plan.diff.length === 0) {
			shell.toast(literal('There is nothing to save'));
		} else {
			goTo(shell, {kind: 'diff', plan, top: 0});
		}
	});
}

/** A problem with the setting that it is of. */
export const sayProblem = ({path, message}: RouteCheck['problems'][number]): string =>
	path === '' ? message : `${path} ${message}`;

/** Whether a problem belongs to a field: it is that of the field, of what is in it, or of the mapping that it is in. */
const isAbout = (problem: string, path: readonly string[]): boolean => {
	const own = path.join('.');
	return (
		own !== '' &&
		problem !== '' &&
		(`${problem}.`.startsWith(`${own}.`) || `${own}.`.startsWith(`${problem}.`))
	);
};

/** Writes what was shown. */
export function save(shell: Shell): void {
	const state = editorNow(shell);
	if (state?.step.kind !== 'diff' || state.isSaving) {
		return;
	}

	const {draft} = state;
	const {name} = draft;
	changeEditor(shell, now => ({...now, isSaving: true}));
	attempt(shell, async () => {
		const saved = await written(shell, shell.port.saveRoute(name, wireDraft(draft)));
		const hasMoved = isRenamed(draft);
		if (draft.isNew || hasMoved) {
			selectSoon(shell, shell.list(routeList), () => {
				const {routes} = shell.feed.get().state;
				const route = routes.find(one => one.name === name && one.source === draft.source);
				return route && routeKey(route);
			});
		}

		if (saved.secret === undefined && !hasMoved) {
			closeEditor(shell);
			shell.toast(safe`Saved ${clean(name)} in ${clean(saved.file)}`, 'good');
		} else {
			goTo(shell, {
				kind: 'saved',
				name,
				saved,
				...(!draft.isNew && {isOld: true}),
				...(hasMoved && {from: draft.from}),
			});
		}
	});
}

/** What was written, once it is; the form comes back either way. */
async function written<Saved>(shell: Shell, saving: Promise<Saved>): Promise<Saved> {
	try {
		return await saving;
	} finally {
		changeEditor(shell, now => ({...now, isSaving: undefined, step: {kind: 'form'}}));
	}
}

/** Back to the form, unless what is shown is being written. */
export const backToForm = (shell: Shell): void => {
	if (!editorNow(shell)?.isSaving) {
		goTo(shell, {kind: 'form'});
	}
};

/** Takes back the last change. */
export function undoChange(shell: Shell): void {
	const state = editorNow(shell);
	if (!state || state.draft.past.length === 0) {
		shell.toast(literal('There is nothing to take back'));
		return;
	}

	changeEditor(shell, now => ({...now, draft: undo(now.draft)}));
	refresh(shell);
}

/** Keeps what is changed here, and all else as it is in the file now. */
export function keepMine(shell: Shell): void {
	changeEditor(shell, state => {
		const {step, draft} = state;
		return step.kind === 'conflict' && step.theirs
			? {...state, draft: onTopOf(draft, step.theirs), step: {kind: 'form'}}
			: state;
	});
	shell.toast(literal('Your changes stand on top of theirs; w shows what that changes'));
	refresh(shell);
}

/** Drops what was changed here. */
export function takeTheirs(shell: Shell): void {
	const state = editorNow(shell);
	const theirs = state?.step.kind === 'conflict' ? state.step.theirs : undefined;
	if (!theirs) {
		closeEditor(shell);
		return;
	}

	const {definition, fingerprint} = theirs;
	changeEditor(shell, now => ({
		...now,
		draft: {...changeDraft(now.draft, {definition}), base: definition, fingerprint},
		step: {kind: 'form'},
	}));
	refresh(shell);
}

/** Opens the route as JSON in the editor of the person. */
export function editAsJson(shell: Shell): void {
	const state = editorNow(shell);
	if (state) {
		editText(shell, state.draft.definition, {read: value => value});
	}
}

/** Opens what is here and what is in the file; `result` is taken. */
export function openBoth(shell: Shell): void {
	const state = editorNow(shell);
	const theirs = state?.step.kind === 'conflict' ? state.step.theirs : undefined;
	if (!state || !theirs) {
		return;
	}

	const {definition} = onTopOf(state.draft, theirs);
	editText(
		shell,
		{result: definition, mine: state.draft.definition, theirs: theirs.definition},
		{
			read: value => (isJsonObject(value['result']) ? value['result'] : undefined),
			before() {
				keepMine(shell);
			},
		},
	);
}

function editText(
	shell: Shell,
	shown: JsonObject,
	{
		read,
		before,
	}: {readonly read: (value: JsonObject) => JsonObject | undefined; readonly before?: () => void},
): void {
	shell.attempt(async () => {
		const text = await shell.desktop.edit(`${JSON.stringify(shown, null, 2)}\n`, '.json');
		if (text === undefined) {
			shell.toast(literal('Nothing was changed'));
			return;
		}

		const value = parsedJson(text);
		const definition = isJsonObject(value) ? read(value) : undefined;
		if (!definition) {
			const path = await shell.desktop.keep('route-draft.json', text);
			shell.toast(safe`Not taken: it is no JSON object; it is kept in ${path}`, 'bad');
			return;
		}

		before?.();
		changeEditor(shell, state => ({...state, draft: changeDraft(state.draft, {definition})}));
		refresh(shell);
	});
}
