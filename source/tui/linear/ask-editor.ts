import type {RouteField} from '../../core/route-editor.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {openPane} from '../acts/navigate.ts';
import {editByHand} from '../editor/by-hand.ts';
import {draftLines} from '../editor/draft-lines.ts';
import {countChanges} from '../editor/draft.ts';
import {changeRouteForm, leaveTyped} from '../editor/edit-field.ts';
import {editorNow, type EditorState} from '../editor/editor-state.ts';
import {filterLine} from '../editor/filter-line.ts';
import {isMember} from '../editor/list-setting.ts';
import {fieldNow, fieldsOf, heldBy, routeForm, settingField} from '../editor/route-form.ts';
import {shownValue} from '../editor/shown-value.ts';
import {conflictLines, planLines, savedLines} from '../editor/step-lines.ts';
import {clean, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {LocalState} from '../state/source.ts';
import {choiceLines} from './answer.ts';
import {askField} from './ask-field.ts';
import type {Asked, Choice} from './asked.ts';
import {choicesIn} from './choices.ts';
import {exact, spokenLines} from './spoken.ts';

/** Whether a value is asked for, not what to do next. */
const atField: LocalState<boolean> = {initial: false};

const width = 400;

const titleOf = ({path}: RouteField): Safe =>
	path.length === 0 ? literal('name') : clean(path.join('.'));

/** What the form of the screen holds there: a filter as its line, of a secret whether it is set. */
function valueOf({draft}: EditorState, field: RouteField): Safe {
	const value = heldBy(draft, field);
	if (field.path.length === 0) {
		return clean(draft.name === '' ? '-' : draft.name);
	}

	return isMember(field.path) && field.secret !== true && value !== undefined
		? cell(filterLine(value)).text
		: shownValue(field, value);
}

/** A route that is edited: what to do next, or the value of one field; `undefined` when none is. */
export function askEditor(shell: Shell): Asked | undefined {
	const state = editorNow(shell);
	if (!state) {
		return undefined;
	}

	const {step, draft, place} = state;
	const scope = `editor-${step.kind}`;
	switch (step.kind) {
		case 'form': {
			const field = fieldNow(state);
			return field && (shell.local(atField).get() || place.editing)
				? askValue(shell, state, field)
				: askNext(shell, state);
		}

		case 'diff':
			return told(planLines(step.plan, width).slice(0, -1), {
				of: [scope, step.plan],
				prompt: literal('save or back'),
				choices: choicesIn(shell, scope, {
					'editor-diff.save': 'save',
					'editor-diff.back': 'back',
				}).map(choice => ({...choice, isExact: true})),
			});
		case 'conflict':
			return told(conflictLines(draft, step.theirs, width).slice(0, 3), {
				of: [scope, step.theirs],
				prompt: literal('number, or back'),
				choices: choicesIn(shell, scope, {'editor-conflict.back': 'back'}),
			});
		case 'saved':
			return told(savedLines(step, {width, height: 0}), {
				of: [scope, step.saved],
				prompt: literal('number, or done'),
				choices: choicesIn(shell, scope, {'editor-saved.close': 'done'}),
			});
	}
}

const told = (lines: readonly Line[], asked: Pick<Asked, 'of' | 'prompt' | 'choices'>): Asked => ({
	...asked,
	read(out) {
		out.read([
			...lines.map(exact).filter(text => text.trim() !== ''),
			...choiceLines(asked.choices),
		]);
	},
});

const words: Readonly<Record<string, string>> = {
	'editor.save': 'save',
	'editor.undo': 'undo',
	'editor.json': 'json',
	'editor.older': 'older',
	'editor.newer': 'newer',
	'editor.unset': 'unset',
	'editor.leave': 'cancel',
};

const goTo = (shell: Shell, index: number): void => {
	changeRouteForm(shell, form => ({
		...form,
		index: Math.max(0, Math.min(index, form.fields.length - 1)),
		option: 0,
	}));
	shell.local(atField).set(() => true);
};

const own = (word: string, label: Safe, run: Choice['run']): Choice => ({
	word,
	label,
	isExact: true,
	run,
});

function askNext(shell: Shell, state: EditorState): Asked {
	const {
		draft,
		place: {index},
		check,
	} = state;
	const fields = fieldsOf(state);
	const problems = (check?.problems ?? []).map(
		({path, message}) => safe`Problem: ${clean(path)} ${clean(message)}`,
	);
	const current = fields[index];
	return {
		of: ['editor', draft.isNew, ...problems],
		prompt: safe`editing ${clean(draft.name || 'new')}`,
		choices: [
			own('edit', safe`the value of ${current ? titleOf(current) : empty}`, () => {
				goTo(shell, index);
			}),
			own('next', literal('the value of the next field; an empty line does the same'), () => {
				goTo(shell, index + 1);
			}),
			own('fields', literal('all fields, with their values'), (_typed, out) => {
				out.read(
					fields.map((field, at) => safe`${at + 1}. ${titleOf(field)}: ${valueOf(state, field)}`),
				);
			}),
			own('preview', literal('what the draft would do'), (_typed, out) => {
				out.read(spokenLines(draftLines(state, width)));
			}),
			own(
				'aside',
				literal('look at another pane; the draft stays, and Subs goes back to it'),
				() => {
					openPane(shell, shell.panes[0]?.id ?? '');
				},
			),
			...choicesIn(shell, 'editor', words).map(choice => ({...choice, isExact: true})),
		],
		read(out) {
			const count = countChanges(draft);
			out.say(
				count === 0
					? safe`Editing route ${clean(draft.name || 'without a name')}. Say the name of a field, fields, save or cancel; help tells the rest.`
					: safe`${count} ${count === 1 ? literal('change') : literal('changes')} not saved.`,
			);
			for (const problem of problems) {
				out.say(problem);
			}
		},
		skip() {
			goTo(shell, index + 1);
		},
		take({text}, out) {
			const wanted = text.trim().toLowerCase();
			const at = /^\d+$/.test(wanted)
				? Number(wanted) - 1
				: fields.findIndex(field => titleOf(field).toLowerCase() === wanted);
			if (fields[at]) {
				goTo(shell, at);
			} else {
				out.say(
					safe`"${clean(text.trim())}" is no field. Say fields to hear them, save, or cancel.`,
				);
			}
		},
	};
}

function askValue(shell: Shell, state: EditorState, field: RouteField): Asked {
	const leave = () => {
		shell.local(atField).set(() => false);
		if (editorNow(shell)?.place.editing) {
			leaveTyped(shell);
		}
	};
	if (field.byHand === true) {
		return {
			of: ['editor', 'by hand', field],
			prompt: titleOf(field),
			choices: [
				own('open', literal('its file in $EDITOR, at its line'), () => {
					leave();
					editByHand(shell, field.path.join('.'));
				}),
				own('back', literal('leave it as it is'), leave),
			],
			read(out) {
				out.say(safe`${titleOf(field)}. Now: ${valueOf(state, field)}`);
				out.say(clean(field.description));
				out.say(literal('This one is changed by hand in the file: say open, or back.'));
			},
			skip: leave,
		};
	}

	return askField(shell, {
		of: ['editor', field],
		form: routeForm(state),
		field: settingField(field),
		update(change) {
			changeRouteForm(shell, change);
		},
		shown: valueOf(state, field),
		done: leave,
		skip: leave,
		others: [{...own('back', literal('leave it as it is'), leave), keys: ['cancel']}],
	});
}
