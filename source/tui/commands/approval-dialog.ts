import {contentOf} from '../../nouns/field-kinds.ts';
import {literal} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {closing, defineDialog} from '../acts/dialog.ts';
import {answer, sheetStep} from '../acts/settle.ts';
import {
	approvalSheet,
	changeSheet,
	mayAllow,
	noteShown,
	scrollSheet,
	sheetNow,
	taken,
} from '../acts/sheet.ts';
import {sheetName} from '../approvals/sheet.ts';
import {keyHint, titled, widestText} from '../dialogs/box.ts';
import {isComplete} from '../dialogs/wizard.ts';
import {saveKeys} from '../forms/form-keys.ts';
import {blankLine, line, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {approvalSheetCommands} from './approval.ts';

function submit(shell: Shell): void {
	const step = sheetStep(shell, 'form');
	if (step && isComplete(shell, literal('Not sent'))) {
		answer(shell, {choice: 'submit', content: contentOf(step.form)});
	}
}

const gone = [line(literal('  It waits no more.'), 'quiet')];

/** The sheet for a request of a tool or a server. */
export const approvalDialog = defineDialog(approvalSheet, {
	title: 'Approval sheet',
	typesApart: true,
	tells: 'approvals',
	page(_, shell) {
		const open = sheetNow(shell);
		if (!open) {
			return {title: titled(literal('Approval')), rows: gone, top: 0};
		}

		const layout = open.layout();
		const of = sheetName(open.sheet, shell.view.get().size);
		return {...layout, asked: {of, asked: layout.asked}};
	},
	whenTooSmall: line(literal('! d denies, Esc leaves; to allow: more room'), 'warn'),
	shown: noteShown,
	line: {
		get: ({sheet: {step}}) =>
			step.kind === 'name' || step.kind === 'reason' ? step.text : undefined,
		set(state, text) {
			const {sheet} = state;
			const {step} = sheet;
			return step.kind === 'name' || step.kind === 'reason'
				? {...state, sheet: {...sheet, step: {...step, text}, refused: undefined}}
				: state;
		},
		mustBeTyped: ({sheet}) => sheet.step.kind === 'name',
	},
	form: {
		get: ({sheet: {step}}) => (step.kind === 'form' ? step.form : undefined),
		set: ({sheet, ...state}, form) => ({
			...state,
			sheet: {...sheet, step: {kind: 'form' as const, form}, refused: undefined},
		}),
		changed(shell) {
			const layout = sheetNow(shell)?.layout();
			changeSheet(shell, layout ? {top: layout.cursorTop} : {});
		},
		leftBy: scrollSheet,
	},
	guard: mayAllow,
	isWatched: true,
	commands: [
		...approvalSheetCommands,
		onKeys(['form.send', ...saveKeys], literal('send these values'), {
			changes: true,
			scope: 'form',
			quiet: true,
			isGuarded: true,
			when: approvalSheet.isOpen,
			run: submit,
		}),
	],
});

/** Says that a request was settled elsewhere, and swallows the keys that were meant for it. */
export const takenDialog = defineDialog(taken, {
	title: 'Request that waits no more',
	contents({text}, _shell, room) {
		const width = Math.min(room.width, widestText);
		return {
			title: titled(literal('Waits no more')),
			rows: [
				blankLine,
				...told(text, width),
				blankLine,
				keyHint(literal('  Esc'), literal('go on')),
			],
			width,
		};
	},
	commands: [closing('taken', ['esc', 'ctrl+c'], literal('go on'))],
});
