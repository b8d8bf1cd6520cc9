import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {goBack} from '../acts/go-back.ts';
import {change} from '../acts/navigate.ts';
import {review} from '../acts/review.ts';
import {helpLines} from '../dialogs/help.ts';
import {askToQuit} from '../dialogs/leaving.ts';
import {clean} from '../lines/line.ts';
import {generalCommands, ownCommands} from './find-command.ts';
import {goTo, numberOf, paneNamed, type Speech} from './speech.ts';
import {spokenLines} from './spoken.ts';
import {readCommands, readPalette, readPanes, readStatus} from './word-acts.ts';

/** A word of the linear mode. */
export type Word = {
	readonly names: readonly [string, ...string[]];
	/** How it is said, where something follows it. */
	readonly shape?: string;
	readonly says: Safe;
	readonly run: (speech: Speech, rest: string) => void;
};

/** What can be said where nothing is asked, in the order of the help. */
export const words: readonly Word[] = [
	{
		names: ['panes'],
		says: literal('the panes; a number then opens one, its name does always'),
		run: readPanes,
	},
	{
		names: ['pane'],
		shape: 'pane NAME',
		says: literal('opens a pane, by its name or number'),
		run(speech, rest) {
			const id = paneNamed(speech.shell, rest);
			if (id === undefined) {
				readPanes(speech);
			} else {
				goTo(speech, id);
			}
		},
	},
	{
		names: ['list', 'ls'],
		says: literal('reads the list of the pane, ten rows at a time'),
		run({reader, number}) {
			number(undefined);
			reader.list();
		},
	},
	{
		names: ['more'],
		says: literal('reads on'),
		run({reader, readOn}) {
			if (!readOn()) {
				reader.more();
			}
		},
	},
	{
		names: ['open'],
		shape: 'a number, or open NUMBER',
		says: literal('selects that row, and reads all of it'),
		run({reader, readDetail, number, out}, rest) {
			const wanted = numberOf(rest);
			number(undefined);
			if (wanted === undefined) {
				readDetail();
			} else if (reader.open(wanted)) {
				readDetail();
			} else {
				out.say(safe`There is no row ${wanted}: say list.`);
			}
		},
	},
	{
		names: ['find'],
		shape: 'find WORDS',
		says: literal('goes to the next row of an open detail that holds them'),
		run({reader}, rest) {
			reader.find(rest);
		},
	},
	{
		names: ['row'],
		shape: 'row NUMBER',
		says: literal('goes to a row of an open detail, for commands that act on one'),
		run({reader}, rest) {
			reader.row(numberOf(rest) ?? 0);
		},
	},
	{
		names: ['filter'],
		shape: 'filter WORDS',
		says: literal('lists what fits them; filter off clears it, filter alone tells the words'),
		run({reader, number}, rest) {
			number(undefined);
			reader.filter(rest);
		},
	},
	{
		names: ['follow'],
		says: literal('reads rows as they come, until Enter'),
		run({follow}) {
			follow();
		},
	},
	{
		names: ['do'],
		says: literal(
			'what can be done with what is selected; do all: everywhere. A number, a title or a key does it',
		),
		run(speech, rest) {
			const {shell} = speech;
			const own = rest === 'all' ? generalCommands(shell) : ownCommands(shell);
			readCommands(speech, own);
		},
	},
	{
		names: ['palette', 'go'],
		shape: 'palette WORDS',
		says: literal('finds commands, routes, runs, deliveries and servers anywhere'),
		run: readPalette,
	},
	{
		names: ['approvals'],
		says: literal('reads the request that waits longest, and asks'),
		run(speech) {
			const {shell, reader} = speech;
			const before = shell.pane().id;
			review(shell);
			if (shell.view.get().overlay === undefined) {
				speech.out.say(literal('Nothing waits for an answer.'));
				if (before !== shell.pane().id) {
					reader.list();
				}
			}
		},
	},
	{
		names: ['status'],
		says: literal('how the gateway is, and what needs a person'),
		run: readStatus,
	},
	{
		names: ['back'],
		says: literal('from a row to its list; then clears the filter'),
		run({shell, reader, out, forget}) {
			forget();
			const isOpen = shell.view.get().region === 'detail';
			change(shell, {search: ''});
			goBack(shell);
			if (isOpen) {
				out.say(safe`Back at the list of ${shell.section().title}.`);
			} else {
				reader.list();
			}
		},
	},
	{
		names: ['manual'],
		says: literal('the page of the manual for this pane, in $PAGER'),
		run({shell}) {
			shell.attempt(async () => {
				await shell.desktop.manual(shell.pane().manual);
			});
		},
	},
	{
		names: ['help', '?'],
		shape: 'help, help WORDS',
		says: literal('these words; with words: keys of the screen, which can be typed here'),
		run: readHelp,
	},
	{
		names: ['quit', 'exit'],
		says: literal('leaves, after saying what that ends'),
		run({shell}) {
			askToQuit(shell);
		},
	},
];

function readHelp({shell, out}: Speech, query: string): void {
	if (query !== '') {
		const lines = spokenLines(helpLines(shell, query));
		out.read(lines.length === 0 ? [safe`No key of the screen fits ${clean(query)}.`] : lines);
		return;
	}

	out.read(words.map(({names, shape, says}) => safe`${clean(shape ?? names.join(', '))}: ${says}`));
}
