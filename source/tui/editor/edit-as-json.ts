import {isJsonObject, parsedJson, type JsonObject} from '../../core/json.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';
import {changeDraft} from './draft.ts';
import {editorNow} from './editor-state.ts';
import {updateDraft} from './refresh.ts';

/** Opens the route as JSON in the person's editor. */
export function editAsJson(shell: Shell): void {
	const state = editorNow(shell);
	if (state) {
		editJson(shell, state.draft.definition, {read: value => value});
	}
}

type JsonEdit = {
	readonly read: (value: JsonObject) => JsonObject | undefined;
	readonly before?: () => void;
};

/** Opens `shown` in the person's editor; `read` turns the saved text into a draft. `before` runs first. */
export function editJson(shell: Shell, shown: JsonObject, {read, before}: JsonEdit): void {
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
		updateDraft(shell, draft => changeDraft(draft, {definition}));
	});
}
