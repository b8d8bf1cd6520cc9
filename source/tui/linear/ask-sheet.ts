import {toolFrom} from '../../core/asked-tool.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {goToStep, changeSheet, noteShown, sheetNow, type OpenSheet} from '../acts/sheet.ts';
import {askingServer, deadlineText} from '../approvals/approval-text.ts';
import {sideLines} from '../approvals/sheet-side.ts';
import {sheetName, type SheetStep} from '../approvals/sheet.ts';
import {commandOf} from '../commands/table.ts';
import {messageLines} from '../forms/form-lines.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {choiceLines, sayable} from './answer.ts';
import {askForm} from './ask-form.ts';
import {askRule} from './ask-rule.ts';
import type {Asked, Choice, Out} from './asked.ts';
import {choicesIn, performTyped} from './choices.ts';
import {base, exactly, layoutOf, sheetWords} from './sheet-words.ts';
import {exact, spokenLines} from './spoken.ts';

/** What waits for a person, as questions and answers; `undefined` when it waits no more. */
export function askSheet(shell: Shell): Asked | undefined {
	const open = sheetNow(shell);
	if (!open) {
		return undefined;
	}

	const {step} = open.sheet;
	switch (step.kind) {
		case 'choose':
			return askChoice(shell, open);
		case 'name':
			return askName(shell, open);
		case 'reason':
			return askReason(shell, step);
		case 'form':
			return askForm(shell, step.form, {
				of: `approval ${open.approval.id}`,
				head(out) {
					readHead(shell, out);
					if (open.approval.kind === 'form') {
						out.read(messageLines(open.approval.message, noEdge).map(exact));
					}
				},
				always: base(shell, open).choices.filter(({word}) =>
					['deny', 'leave', 'wait'].includes(word),
				),
				review: askFormReview(shell, open),
			});
		case 'rule':
			return askRule(shell, open, step);
		case 'by-hand':
		case 'deny-all':
			return {
				...base(shell, open),
				prompt: literal('back or copy'),
				read(out) {
					out.read(layoutOf(shell)?.footer.map(exact) ?? []);
					out.read(choiceLines(exactly(choicesIn(shell, 'approval', sheetWords))));
				},
			};
	}
}

const noEdge = 400;

function askChoice(shell: Shell, open: OpenSheet): Asked {
	const unread = unreadFrom(shell);
	const all = base(shell, open);
	const {approval} = open;
	const locked =
		unread !== undefined
			? literal('not everything was read yet; "more" reads on')
			: !open.isWhole && !open.sheet.wasPaged
				? literal('not everything can be read here; "pager" opens all of it')
				: undefined;
	const choices: readonly Choice[] = [
		...(unread === undefined ? [] : [more(shell, unread)]),
		...all.choices.map(choice =>
			locked !== undefined && choice.word.startsWith('allow') ? {...choice, why: locked} : choice,
		),
		...(approval.kind === 'tool' ? [about(shell)] : []),
	];
	return {
		...all,
		prompt: unread === undefined ? literal('allow or deny') : literal('more or deny'),
		choices,
		read(out) {
			readHead(shell, out);
			readPage(shell, out, 0);
		},
	};
}

/** Whose request it is, and until when. */
function readHead(shell: Shell, out: Out): void {
	const {approval} = sheetNow(shell) ?? {};
	const {state, now} = shell.feed.get();
	if (approval) {
		const place = state.approvals.findIndex(({id}) => id === approval.id) + 1;
		out.say(
			safe`Approval ${place} of ${state.approvals.length}, from ${askingServer(approval)}: ${deadlineText(approval, now)}.`,
		);
	}
}

/** The first row that has to be read and was not. */
function unreadFrom(shell: Shell): number | undefined {
	const verdict = layoutOf(shell)?.verdict;
	return verdict?.kind === 'unseen' ? verdict.rows[0]?.first : undefined;
}

const more = (shell: Shell, from: number, word = 'more'): Choice => ({
	word,
	label: literal('read on'),
	isExact: true,
	run(_typed, out) {
		readPage(shell, out, from);
	},
});

/** Reads a page of what is asked, and tells the guard what has been read then. */
function readPage(shell: Shell, out: Out, from: number): void {
	changeSheet(shell, {top: from});
	const open = sheetNow(shell);
	if (!open) {
		return;
	}

	const layout = open.layout();
	const rows = layout.content.slice(
		Math.min(from, layout.content.length),
		layout.top + layout.height,
	);
	for (const row of rows) {
		out.say(exact(row));
	}

	const {sheet} = open;
	noteShown(shell, {of: sheetName(sheet, shell.view.get().size), asked: layout.asked});
	const rest = layout.content.length - layout.top - layout.height;
	if (rest > 0) {
		out.say(
			safe`${rest} more ${rest === 1 ? literal('line') : literal('lines')} of it: "more" reads on, "deny" denies.`,
		);
	} else {
		readServer(shell, out);
		const choices = askSheet(shell)?.choices ?? [];
		out.say(safe`Say ${sayable(choices)}. "help" tells what each does.`);
	}
}

/** What the server says of its tool; the rest of it is a word away. */
function readServer(shell: Shell, out: Out): void {
	const {approval} = sheetNow(shell) ?? {};
	if (approval?.kind === 'tool') {
		const text = clean(approval.tool.description).slice(0, maxDescription);
		out.say(
			text.trim() === ''
				? literal('The server says nothing of this tool.')
				: toolFrom(approval.tool).kind === 'server'
					? safe`The server says, unverified: ${clean(text)}`
					: safe`The tool is built in: ${clean(text)}`,
		);
	}
}

const maxDescription = 400;

/** What the server says, its last calls, and its schema. */
const about = (shell: Shell): Choice => ({
	word: 'about',
	label: literal('the words of the server, the last calls, and the schema'),
	isExact: true,
	run(_typed, out) {
		const {approval} = sheetNow(shell) ?? {};
		const {width = 80} = layoutOf(shell) ?? {};
		if (approval?.kind === 'tool') {
			const {settledApprovals: calls} = shell.feed.get().state;
			out.read(spokenLines(sideLines(approval.tool, {calls, width})));
		}
	},
});

function askName(shell: Shell, open: OpenSheet): Asked {
	const all = base(shell, open);
	return {
		...all,
		prompt: literal('name of the tool'),
		choices: exactly(choicesIn(shell, 'approval-text', sheetWords)),
		read(out) {
			const layout = layoutOf(shell);
			out.say(literal('Type the name of the tool to allow it; "back" goes back.'));
			if (layout) {
				noteShown(shell, {of: sheetName(open.sheet, shell.view.get().size), asked: layout.asked});
			}
		},
		take(typed) {
			const {step} = sheetNow(shell)?.sheet ?? {};
			const command = commandOf('approval-text.allow');
			if (step?.kind === 'name' && command) {
				goToStep(shell, {...step, text: lineText(typed.text.trim())});
				performTyped(shell, command, typed);
			}
		},
	};
}

function askReason(shell: Shell, step: Extract<SheetStep, {kind: 'reason'}>): Asked {
	return {
		of: ['approval', 'reason'],
		prompt: literal('reason'),
		choices: exactly(choicesIn(shell, 'approval-text', sheetWords)),
		read(out) {
			out.say(literal('What is the agent told? The line denies the call; "back" goes back.'));
		},
		take(typed) {
			const command = commandOf('approval-text.deny');
			if (command) {
				goToStep(shell, {...step, text: lineText(typed.text.trim())});
				performTyped(shell, command, typed);
			}
		},
	};
}

/** A form of a server before it is sent: all of it is read, as a call is. */
function askFormReview(shell: Shell, open: OpenSheet): Asked {
	const unread = unreadFrom(shell);
	const all = base(shell, open);
	const [send] = choicesIn(shell, 'form', {'form.send': 'send'});
	return {
		of: [...all.of, 'review'],
		prompt: unread === undefined ? literal('send, back or deny') : literal('more or deny'),
		choices: [
			...(unread === undefined ? [] : [more(shell, unread)]),
			...(send
				? [
						{
							...send,
							isExact: true,
							why:
								unread === undefined
									? send.why
									: literal('not everything was read yet; "more" reads on'),
						},
					]
				: []),
			...all.choices,
		],
		read(out) {
			out.say(literal('The form as it would be sent:'));
			readPage(shell, out, 0);
		},
	};
}
