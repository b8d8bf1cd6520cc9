import {stopAll} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Shell} from '../shell/shell.ts';
import {wireDraft, type Draft} from './draft.ts';
import {changeEditor, editor, editorNow, targetKey, type EditorState} from './editor-state.ts';
import {liveDraft} from './route-form.ts';

/** Used while the route has no name yet. */
const unnamed = 'not-named-yet';

/** Debounce of a draft's check, and of its test with all stored deliveries, in milliseconds. */
const restMs = {check: 150, backtest: 700} as const;

/** Checks the current draft, including the text being typed, and runs it against the chosen delivery and all stored ones; outdated answers are dropped. */
export function refresh(shell: Shell): void {
	changeEditor(shell, state => ({...state, version: state.version + 1}));
	stopRefreshing(shell);
	const stop = stopAll([
		later(shell, restMs.check, look),
		later(shell, restMs.backtest, tryAll),
		later(shell, restMs.backtest, askTarget),
	]);
	waiting.set(shell.view, stopAll([shell.untilEnd(stop), stop]));
}

/** Changes the draft, and checks it again. */
export function updateDraft(shell: Shell, update: (draft: Draft) => Draft): void {
	changeEditor(shell, state => ({...state, draft: update(state.draft)}));
	refresh(shell);
}

/** Cancels pending checks, since no draft is edited any more. */
function stopRefreshing({view}: Shell): void {
	waiting.get(view)?.();
	waiting.delete(view);
}

/** Ends editing and discards the draft. */
export function closeEditor(shell: Shell): void {
	stopRefreshing(shell);
	shell.local(editor).set(() => undefined);
}

/** Cancels the pending checks, by screen. */
const waiting = new WeakMap<Shell['view'], () => void>();

function later(
	shell: Shell,
	delayMs: number,
	act: (shell: Shell, state: EditorState) => Promise<void>,
): () => void {
	const version = editorNow(shell)?.version;
	return shell.clock.after(delayMs, () => {
		const state = editorNow(shell);
		if (state && state.version === version) {
			void (async () => {
				try {
					await act(shell, state);
				} catch (error) {
					// Reported only if the draft is still the one that was checked.
					if (editorNow(shell)?.version === version) {
						shell.toast(escapeLine(messageOf(error)), 'bad');
					}
				}
			})();
		}
	});
}

/** Stores an answer, unless the draft has changed since. */
function take(shell: Shell, {version}: EditorState, part: Partial<EditorState>): void {
	changeEditor(shell, state => (state.version === version ? {...state, ...part} : state));
}

async function look(shell: Shell, state: EditorState): Promise<void> {
	const {deliveries, delivery} = state;
	const draft = liveDraft(state);
	const wire = wireDraft(draft);
	const name = draft.name === '' ? unnamed : draft.name;
	const id = deliveries[delivery];
	const [check, preview] = await Promise.all([
		shell.port.checkRoute(name, wire),
		id === undefined ? undefined : shell.port.previewRoute(name, {...wire, delivery: id}),
	]);
	take(shell, state, {check, preview});
}

/** Checks the target (platform, or the code host's client), once for each target and profile. */
async function askTarget(shell: Shell): Promise<void> {
	const {draft, target} = editorNow(shell) ?? {};
	const {deliver = 'log', profile, cron_job: job} = draft?.definition ?? {};
	const key = targetKey(draft?.definition ?? {});
	if (job === undefined && typeof deliver === 'string' && target?.key !== key) {
		const options = typeof profile === 'string' ? {profile} : {};
		// Recorded first, so that a failure is not retried.
		changeEditor(shell, now => ({...now, target: {key, problem: undefined}}));
		const problem = await shell.port.readTargetProblem(deliver, options);
		changeEditor(shell, now => (now.target?.key === key ? {...now, target: {key, problem}} : now));
	}
}

async function tryAll(shell: Shell, state: EditorState): Promise<void> {
	const draft = liveDraft(state);
	if (draft.traffic === '') {
		return;
	}

	const {name, traffic} = draft;
	const backtest = await shell.port.backtestRoute(name === '' ? unnamed : name, {
		...wireDraft(draft),
		traffic,
	});
	take(shell, state, {backtest});
}
