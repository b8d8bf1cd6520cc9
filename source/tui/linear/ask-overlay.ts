import type {Safe} from '../../core/untrusted.ts';
import {insertText, lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {close, type DialogState} from '../acts/dialog.ts';
import {approvalSheet} from '../acts/sheet.ts';
import {firstRun, firstRunLines, keysOf} from '../commands/first-run.ts';
import {commandOf} from '../commands/table.ts';
import {installLink, pasteLink} from '../dialogs/install-link.ts';
import {installSheet} from '../dialogs/install-sheet.ts';
import {keyForm, keyOffer, keyShown} from '../dialogs/key.ts';
import {howToKeep, quit, quitFacts} from '../dialogs/leaving.ts';
import {loginPaste, pasteLogin} from '../dialogs/login-paste.ts';
import {confirm, isName, menu, nameWords, typeName} from '../dialogs/questions.ts';
import {setup} from '../dialogs/setup.ts';
import {states, statesBox} from '../dialogs/states.ts';
import {answerRows, toolAnswer, trial as tried} from '../dialogs/trial.ts';
import {waitingLogins} from '../entries/login-entry.ts';
import {formLines} from '../forms/form-lines.ts';
import {clean, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {choiceLines} from './answer.ts';
import {askForm} from './ask-form.ts';
import {askInstall} from './ask-install.ts';
import {askKey} from './ask-key.ts';
import {askSetup} from './ask-setup.ts';
import {askSheet} from './ask-sheet.ts';
import type {Asked, Choice} from './asked.ts';
import {choicesIn, performTyped} from './choices.ts';
import {exact, spoken, spokenLines} from './spoken.ts';

type Ask = (shell: Shell) => Asked | undefined;

const of = <State>(
	dialog: DialogState<State>,
	ask: (shell: Shell, state: State) => Asked | undefined,
): [string, Ask] => [
	dialog.kind,
	shell => {
		const state = dialog.now(shell);
		return state && ask(shell, state);
	},
];

/** Long enough for every line of ours: where it breaks is the terminal's own affair. */
const width = 400;

/** A question that is read whole: its lines, then its choices. */
const plainly = (
	asked: Pick<Asked, 'of' | 'prompt' | 'choices'> & Partial<Asked>,
	lines: ReadonlyArray<ReturnType<typeof clean>>,
): Asked => ({
	...asked,
	read(out) {
		out.read([...lines, ...choiceLines(asked.choices)]);
	},
});

const cancel = (shell: Shell): Choice => ({
	word: 'cancel',
	keys: ['esc', 'back'],
	label: literal('leave it'),
	isExact: true,
	run() {
		close(shell);
	},
});

const sentence = (title: Safe): Safe => (/[.?!]$/.test(title) ? title : safe`${title}.`);

/** The last lines of what the screen says tell its keys: here the choices do. */
const withoutKeys = (lines: readonly Line[], count: number): readonly Line[] =>
	lines.slice(0, lines.length - count);

/** What lies over the panes, each kind as a question. `help` and `palette` are words here, and never open. */
const questions = new Map<string, Ask>([
	of(states, shell =>
		plainly({of: ['states'], prompt: literal('cancel'), choices: [cancel(shell)]}, [
			literal('How everything stands:'),
			...spokenLines(statesBox({...shell.feed.get(), top: 0}, {width, height: 400}).rows),
		]),
	),
	of(quit, (shell, {consequences}) => ({
		...plainly(
			{
				// What is said of a gateway that goes on does not change when the answer comes.
				of: ['quit', shell.port.embedded ? consequences : undefined],
				prompt: literal('quit or stay'),
				choices: choicesIn(shell, 'quit', {
					'quit.leave': 'quit',
					'quit.let-go': 'background',
					'quit.close': 'stay',
				}),
			},
			[
				...quitFacts({
					embedded: shell.port.embedded,
					howToKeep: howToKeep(shell),
					pid: shell.feed.get().state.gateway.pid,
					consequences,
					logins: waitingLogins(shell.logins.attempts()),
				}),
				...[howToKeep(shell) ?? []].flat(),
			].map(clean),
		),
		isPending: shell.port.embedded && consequences === undefined,
	})),
	of(confirm, (shell, overlay) =>
		plainly(
			{
				of: [overlay],
				prompt: literal('yes or no'),
				choices: choicesIn(shell, 'confirm', {
					'confirm.yes': 'yes',
					'confirm.close': 'no',
				}).map(choice => ({
					...choice,
					...(choice.word === 'yes' && {label: overlay.act}),
					...(choice.word === 't' && overlay.other && {label: overlay.other.label}),
				})),
			},
			[sentence(overlay.title), ...overlay.lines],
		),
	),
	of(menu, (shell, {title, notes = [], items}) =>
		plainly(
			{
				of: [items],
				prompt: literal('number, or cancel'),
				choices: [
					...items.map(({key, label, run}): Choice => ({
						word: '',
						keys: [key].filter(name => name !== '' && !/^\d$/.test(name)),
						label: spoken([{text: label}]),
						run() {
							close(shell);
							run();
						},
					})),
					cancel(shell),
				],
			},
			[sentence(title), ...notes],
		),
	),
	of(firstRun, (shell, {card}) =>
		plainly(
			{
				of: [card],
				prompt: literal('number, or cancel'),
				choices: choicesIn(shell, 'first-run'),
			},
			[
				literal('Welcome to svc.'),
				...spokenLines(
					withoutKeys(firstRunLines(card, shell.feed.get().state, width), keysOf(card).length),
				),
			],
		),
	),
	of(approvalSheet, askSheet),
	of(setup, (shell, {card}) => askSetup(shell, card)),
	of(keyForm, askKey),
	of(keyOffer, askKey),
	of(keyShown, askKey),
	of(installSheet, askInstall),
	of(installLink, shell => ({
		of: ['install-link'],
		prompt: literal('link'),
		choices: [cancel(shell)],
		read(out) {
			out.say(
				literal('Paste the link of the tool server, svc://mcp/install and so on, or say cancel.'),
			);
		},
		take({text}) {
			pasteLink(shell, text);
		},
	})),
	of(loginPaste, (shell, {place, problem}) => ({
		of: ['login-paste', problem],
		prompt: literal('address'),
		choices: [{...cancel(shell), label: literal('back; the login waits on')}],
		read(out) {
			out.say(
				problem === undefined
					? safe`Login to ${clean(place.server)}: paste the address that the browser ended on, or say cancel.`
					: safe`Not taken: ${problem}. Paste the address again, or say cancel.`,
			);
		},
		take({text}) {
			pasteLogin(shell, text);
		},
	})),
	of(typeName, (shell, {title, lines, act, run, ...wanted}) => ({
		of: [run],
		prompt: literal('name'),
		choices: [cancel(shell)],
		read(out) {
			out.read([sentence(title), ...lines]);
			out.say(safe`Type ${nameWords(wanted)} to ${act}, or say cancel.`);
		},
		take(typed, out) {
			const command = commandOf('type-name.do');
			if (!isName(wanted, typed.text)) {
				out.say(safe`That is not ${nameWords(wanted)}. Nothing was done; say cancel to leave it.`);
			} else if (!typed.alone) {
				out.say(literal('The name has to be typed, not pasted with other lines.'));
			} else if (command) {
				typeName.change(shell, now => ({...now, text: insertText(lineText(), typed.text.trim())}));
				performTyped(shell, command, typed);
			}
		},
	})),
	of(tried, (shell, trial) => {
		const {form} = trial;
		const choices = choicesIn(shell, 'trial', {'trial.call': 'call', 'trial.review': 'approvals'});
		const others = choicesIn(shell, 'form', {'form.copy': 'copy'});
		return askForm(shell, form, {
			of: `trial ${trial.name}`,
			head(out) {
				out.say(safe`Try ${clean(trial.tool)} of ${clean(trial.server)}.`);
			},
			always: [cancel(shell)],
			review: plainly(
				{
					of: ['trial', trial.name, 'review', form.values],
					prompt: literal('call, or cancel'),
					choices: [...choices, ...others].map(choice => ({...choice, isExact: true})),
				},
				[
					safe`The arguments of ${clean(trial.tool)}:`,
					...formLines({...form, index: -1, option: -1}, width).rows.map(exact),
				],
			),
		});
	}),
	of(toolAnswer, (shell, {trial, isError, text}) =>
		plainly(
			{
				of: ['answer', text],
				prompt: literal('number, or cancel'),
				choices: choicesIn(shell, 'answer', {'answer.review': 'approvals'}),
			},
			[
				safe`${clean(trial.tool)} ${isError ? literal('failed') : literal('answered')}:`,
				...answerRows(text, width).map(exact),
			],
		),
	),
]);

/** What lies over the panes as a question. */
export function askOverlay(shell: Shell): Asked | undefined {
	const {overlay} = shell.view.get();
	if (!overlay) {
		return undefined;
	}

	return questions.get(overlay.kind)?.(shell);
}
