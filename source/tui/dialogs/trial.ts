import {createMemory} from '../../core/derive.ts';
import {jsonOrText, type JsonObject} from '../../core/json.ts';
import type {ServerToolView, ServerView} from '../../core/tool-server.ts';
import {type Safe, escapeLine, escapeBlock} from '../../core/untrusted.ts';
import {field, type FieldRecord} from '../../nouns/field.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {closing, defineDialog, dialogState, scrolling} from '../acts/dialog.ts';
import {newForm, type FormState} from '../forms/form.ts';
import {blankLine, line, wrapText, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {titled} from './box.ts';
import {openMenu} from './questions.ts';
import {formDialog, leavingForm, reviewing} from './wizard.ts';

/** A tool with the arguments that a person filled in. */
type ToolTrial = Pick<ServerToolView, 'description' | 'name' | 'tool'> & {
	readonly profile: string;
	readonly server: string;
	readonly form: FormState;
};

/** A field for each top-level argument. The argument's type is unknown, so every field takes JSON or text. */
const fieldOf = (argument: string): FieldRecord => {
	const required = argument.endsWith('*');
	const key = required ? argument.slice(0, -1) : argument;
	return field(key, 'text', {description: '', required});
};

/** The arguments to send: parsed if they are JSON, else as text; empty ones are left out. */
const trialArguments = ({form}: ToolTrial): JsonObject =>
	Object.fromEntries(
		form.fields.flatMap(({key}) => {
			const value = form.values[key];
			return typeof value === 'string' && value !== '' ? [[key, jsonOrText(value)]] : [];
		}),
	);

/** The form for the arguments of a tool to try. */
const trial = dialogState<ToolTrial>('trial');

/** The answer of a tool that was tried. */
const toolAnswer = dialogState<{
	readonly trial: ToolTrial;
	readonly isError: boolean;
	/** Escaped by `escapeBlock`. */
	readonly text: Safe;
	readonly top: number;
}>('answer');

/** Asks for a tool's arguments. */
export function openTrial(shell: Shell, server: ServerView, tool: ServerToolView): void {
	const {profile, name} = server;
	trial.open(shell, {...tool, profile, server: name, form: newForm(tool.args.map(fieldOf))});
}

const nameCells = 28;

/** Shows a menu of a server's tools. */
export function chooseTool(shell: Shell, server: ServerView): void {
	openMenu(shell, {
		title: safe`Try a tool of ${escapeLine(server.name)}`,
		items: server.tools.map(tool => ({
			label: safe`${fit(escapeLine(tool.tool), nameCells)}  ${escapeLine(tool.title ?? tool.description)}`,
			run: () => openTrial(shell, server, tool),
		})),
	});
}

/** Calls the tool as a run would, and shows what the model would read, unless the person has moved on. */
async function call(shell: Shell, tried: ToolTrial): Promise<void> {
	const {profile, name, tool} = tried;
	const {pane} = shell.view.get();
	shell.toast(safe`${escapeLine(tool)} is called`);
	const result = await shell.port.tryTool(name, {
		arguments: trialArguments(tried),
		by: shell.by,
		profile,
	});
	const isError = result.isError === true;
	const now = shell.view.get();
	if (now.overlay || now.field || now.pane !== pane) {
		shell.toast(
			safe`${escapeLine(tool)} ${isError ? literal('failed') : literal('has answered')}: ${escapeLine(result.text)}`,
			isError ? 'bad' : 'good',
		);
		return;
	}

	const text = escapeBlock(result.text);
	toolAnswer.open(shell, {trial: tried, isError, text, top: 0}, {toast: undefined});
}

const indent = 4;
const maxSaid = 4;
const widest = 96;

const headOf = ({description}: ToolTrial, width: number): readonly Line[] => {
	const said = wrapText(escapeLine(description.replaceAll(/\s+/g, ' ')), width - indent - 1);
	return [
		line(literal('  text by the server'), 'quiet'),
		...said.slice(0, maxSaid).map(row => line(safe`    ${row}`)),
		...(said.length > maxSaid ? [line(literal('    …'))] : []),
		blankLine,
		line(literal('  Each argument takes JSON, or else a text; empty ones are left out.'), 'quiet'),
		line(literal('  A call that needs approval asks for it: ! opens it.'), 'quiet'),
		blankLine,
	];
};

const tryForm = formDialog(trial, {
	widest,
	title: ({tool, server}) => [
		...titled(safe`Try ${escapeLine(tool)}`),
		[{text: escapeLine(server)}],
	],
	head: headOf,
	send: {
		id: 'trial.call',
		label: literal('call the tool'),
		failed: literal('Not called'),
		take: (_, tried) => tried,
		act: call,
	},
});

export const trialDialog = defineDialog(trial, {
	title: 'Trying a tool',
	...tryForm,
	commands: [...tryForm.commands, reviewing('trial'), leavingForm('trial', literal('leave'))],
});

const remember = createMemory<readonly Line[]>();

/** A tool's answer in rows of `width` cells; only the last layout is cached. */
const answerRows = (text: Safe, width: number): readonly Line[] =>
	remember([text, width], () => wrapText(text, width - 2).map(row => line(safe` ${row}`)));

export const answerDialog = defineDialog(toolAnswer, {
	title: 'Answer of a tool',
	page: ({trial: {tool}, isError, text, top}, _shell, {width}) => ({
		title: titled(
			safe`${escapeLine(tool)} ${isError ? literal('✗ failed') : literal('✓ answered')}`,
		),
		rows: answerRows(text, width),
		top,
	}),
	comesBack: true,
	commands: [
		onKeys(['answer.again', 't'], literal('other arguments'), {
			run(shell) {
				const tried = toolAnswer.now(shell)?.trial;
				if (tried) {
					trial.open(shell, tried);
				}
			},
		}),
		onKeys(['answer.copy', 'y'], literal('copy'), {
			run: copying(literal('answer'), shell => toolAnswer.now(shell)?.text),
		}),
		...scrolling(
			'answer',
			(shell, rows) => {
				const {size} = shell.view.get();
				toolAnswer.change(shell, now => {
					const most = answerRows(now.text, size.columns).length - shell.layout().bodyHeight;
					return {...now, top: Math.max(0, Math.min(most, Math.min(now.top, most) + rows))};
				});
			},
			{more: name => ({quiet: name !== 'down'})},
		),
		reviewing('answer'),
		closing('answer', ['esc', 'ctrl+c', 'q', 'enter']),
	],
});
