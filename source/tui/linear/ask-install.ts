import {lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {commandOf} from '../commands/table.ts';
import {
	changeInstall,
	goToInstallStep,
	installLayout,
	installNow,
	noteInstallShown,
} from '../dialogs/install-sheet.ts';
import {installName} from '../dialogs/install-sheet.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {sayable} from './answer.ts';
import type {Asked, Choice, Out} from './asked.ts';
import {choicesIn, performTyped} from './choices.ts';
import {exact} from './spoken.ts';

const words: Readonly<Record<string, string>> = {
	'install.yes': 'install',
	'install.rename': 'rename',
	'install.drop': 'drop',
	'install.close': 'leave',
	'install-text.back': 'back',
};

/** A tool server from a link: all of it is read before it can be installed. */
export function askInstall(shell: Shell): Asked | undefined {
	const sheet = installNow(shell);
	if (!sheet) {
		return undefined;
	}

	const {step, review} = sheet;
	if (step.kind === 'choose') {
		const {verdict} = installLayout(shell, sheet);
		const unread = verdict.kind === 'unseen' ? verdict.rows[0]?.first : undefined;
		return {
			of: ['install', review],
			prompt: unread === undefined ? literal('install or drop') : literal('more or drop'),
			choices: [
				...(unread === undefined ? [] : [more(shell, unread)]),
				...choicesIn(shell, 'install', words).map(choice => ({
					...choice,
					isExact: true,
					...(choice.word === 'install' &&
						unread !== undefined && {why: literal('not everything was read yet; "more" reads on')}),
				})),
			],
			read(out) {
				readPage(shell, out, 0);
			},
		};
	}

	return {
		of: ['install', review, step.kind],
		prompt: step.kind === 'confirm' ? literal('name of the server') : literal('another name'),
		choices: choicesIn(shell, 'install-text', words)
			.filter(({word}) => word === 'back')
			.map(choice => ({...choice, isExact: true})),
		read(out) {
			out.say(
				step.kind === 'confirm'
					? literal(
							'This lets a program run on this machine, as you. Type the name of the server to install it; "back" goes back.',
						)
					: literal('Another name: letters, digits, ".", "_" and "-". "back" goes back.'),
			);
			show(shell);
		},
		take(typed) {
			const command = commandOf(`install-text.${step.kind}`);
			if (command) {
				goToInstallStep(shell, {...step, text: lineText(typed.text.trim())});
				performTyped(shell, command, typed);
			}
		},
	};
}

const more = (shell: Shell, from: number): Choice => ({
	word: 'more',
	label: literal('read on'),
	isExact: true,
	run(_typed, out) {
		readPage(shell, out, from);
	},
});

function show(shell: Shell): void {
	const sheet = installNow(shell);
	if (sheet) {
		const {asked} = installLayout(shell, sheet);
		noteInstallShown(shell, {of: installName(sheet, shell.view.get().size), asked});
	}
}

function readPage(shell: Shell, out: Out, from: number): void {
	changeInstall(shell, {top: from});
	const sheet = installNow(shell);
	if (!sheet) {
		return;
	}

	const {content, top, height} = installLayout(shell, sheet);
	if (from === 0) {
		out.say(safe`A link wants tool server ${clean(sheet.review.name)} installed:`);
	}

	for (const row of content.slice(from, top + height)) {
		out.say(exact(row));
	}

	show(shell);
	const rest = content.length - top - height;
	if (rest > 0) {
		out.say(safe`${rest} more lines of it: "more" reads on.`);
		return;
	}

	out.say(safe`Say ${sayable(askInstall(shell)?.choices ?? [])}. "help" tells what each does.`);
}
