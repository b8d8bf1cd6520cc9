import type {JsonObject, JsonValue} from '../../core/json.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import type {Shell} from '../shell/shell.ts';
import {act} from './act.ts';
import {changeDraft, withValueAt} from './draft.ts';
import {changeEditor, editorNow} from './editor-state.ts';
import {addKey, membersOf, withMember} from './list-setting.ts';
import {refresh} from './refresh.ts';
import {fieldNow} from './route-form.ts';
import {toMake} from './shown-value.ts';

const dayMs = 86_400_000;

/** The place of the secret that keys act on, in its list; `+` behind the last. */
function secretNow(shell: Shell): string | undefined {
	const state = editorNow(shell);
	const [key, at] = (state && fieldNow(state)?.path) ?? [];
	return key === 'secret' ? at : undefined;
}

function change(shell: Shell, update: (definition: JsonObject) => JsonObject): void {
	changeEditor(shell, state => ({
		...state,
		draft: changeDraft(state.draft, {definition: update(state.draft.definition)}),
	}));
	refresh(shell);
}

const withSecrets = (definition: JsonObject, secret: JsonValue | undefined): JsonObject =>
	withValueAt(definition, ['secret'], secret);

/** One more, which the gateway makes when it saves. */
const makeOne = (definition: JsonObject): JsonObject => {
	const {secret} = definition;
	return membersOf(secret).includes(toMake)
		? definition
		: withSecrets(definition, withMember(secret, addKey, toMake));
};

/** Without the secret at a place, which passes until a time. */
function retireOne(definition: JsonObject, at: string, until: number): JsonObject {
	const {secret, retired_secrets: retired} = definition;
	const old = membersOf(secret)[Number(at)];
	return old === undefined
		? definition
		: withValueAt(
				withSecrets(definition, withMember(secret, at, undefined)),
				['retired_secrets'],
				[{secret: old, until: new Date(until).toISOString()}, ...membersOf(retired)],
			);
}

/** Keys of the secrets of a route. */
export const secretCommands: readonly PaneCommand[] = [
	act('.make-secret', ['n'], {
		changes: true,
		label: literal('make a new secret'),
		when: shell => secretNow(shell) !== undefined,
		run(shell) {
			change(shell, makeOne);
		},
	}),
	act('.retire-secret', ['r'], {
		changes: true,
		label: literal('let this one pass a day more'),
		when: shell => ![undefined, addKey].includes(secretNow(shell)),
		run(shell) {
			const at = secretNow(shell);
			if (at !== undefined) {
				change(shell, definition => retireOne(definition, at, shell.clock.now() + dayMs));
				shell.toast(literal('It passes for a day after this; x would have ended it at once'));
			}
		},
	}),
];
