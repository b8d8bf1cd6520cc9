import {termWords} from '../../core/filter/filter.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {fit} from '../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {
	defineDialog,
	dialogNow,
	dialogState,
	scrolling,
	type Area,
	type BoxContent,
} from '../acts/dialog.ts';
import {change} from '../acts/navigate.ts';
import {approvalSheet, closeSettled, forgetShown} from '../acts/sheet.ts';
import {blankLine, line, type Line, fillLine} from '../lines/line.ts';
import type {Pane} from '../panes/pane.ts';
import type {Shell} from '../shell/shell.ts';
import type {Overlay} from '../state/view.ts';

const twoColumnsFrom = 76;
const widest = 120;

/** The filter words of a pane. */
function languageOf({sections}: Pane): readonly Line[] {
	const words = sections.flatMap(({listing}) => (listing ? termWords(listing.vocabulary) : []));
	return words.length === 0
		? []
		: [line(safe` Filter: ${escapeLine(words.join(' · '))}  -not  "phrase"`, 'quiet')];
}

type HelpState = {
	readonly query: string;
	readonly top: number;
	readonly isSearching: boolean;
	/** The dialog below the help; it is restored when the help closes. */
	readonly under?: Overlay | undefined;
};

export const help = dialogState<HelpState>('help');

/** Opens the table of keys over a pane or a form. */
export function openHelp(shell: Shell): void {
	help.open(shell, {query: '', top: 0, isSearching: false, under: dialogNow(shell)?.state});
}

/** Returns to the dialog below. A sheet must be seen again before a key may allow, and its request may be settled by now. */
function closeHelp(shell: Shell): void {
	change(shell, {overlay: help.now(shell)?.under});
	if (approvalSheet.isOpen(shell)) {
		forgetShown(shell);
		closeSettled(shell);
	}
}

/** The table of keys, in two columns if they fit, followed by the filter words. */
function helpBox({query, top, under}: HelpState, shell: Shell, room: Area): BoxContent {
	const pane = shell.pane();
	const width = Math.min(room.width, widest);
	const {scope} = (under && shell.dialogs.get(under.kind)) ?? {};
	const found = helpLines(shell, query, scope === undefined ? undefined : ['form', scope]);
	const rows = found.length === 0 ? [line(literal('No key fits the search.'), 'quiet')] : found;
	const language = languageOf(pane);
	const columns = width >= twoColumnsFrom ? 2 : 1;
	const height = Math.max(1, room.height - language.length);
	const start = Math.max(0, Math.min(top, rows.length - height * columns));
	const end = Math.min(rows.length, start + height * columns);
	const cells = Math.floor((width - 1) / columns);
	const table = Array.from({length: height}, (_, row) => [
		{text: literal(' ')},
		...Array.from({length: columns}, (__, column) =>
			fillLine(rows[start + column * height + row] ?? blankLine, cells - 1),
		).flatMap(cell => [...cell, {text: literal(' ')}]),
	]);
	return {
		title: [
			[{text: literal('Help'), tone: 'title'}],
			[{text: pane.title}],
			query === ''
				? [{text: literal('/ search'), tone: 'quiet'}]
				: [{text: escapeLine(query), tone: 'accent'}],
			end - start < rows.length
				? [{text: safe`rows ${start + 1} to ${end} of ${rows.length}: j k scroll`, tone: 'warn'}]
				: [],
		],
		rows: [...table, ...language],
		top: start,
		width,
	};
}

const keyCells = 16;

/**
 * The most needed keys, then all: those of the scopes `here`, then the open pane's. With a `query`, only matching keys, each once. A read-only face strikes out
 * commands that change something.
 */
function helpLines(
	{pane, section, keys: {bindings, titleOf}, port}: Shell,
	query: string,
	here: readonly string[] = [section().id],
): readonly Line[] {
	const {sections} = pane();
	const isReadOnly = port.isReadOnly === true;
	const wanted = query.trim().toLowerCase();
	const groups = Map.groupBy<string, (typeof bindings)[number]>(bindings, ({scope}) => scope);
	const order = [...here, ...sections.map(({id}) => id), 'global', ...groups.keys()];
	const rowOf = ({keys, label, changes}: (typeof bindings)[number]): Line => {
		const isOff = isReadOnly && changes === true;
		return [
			{
				text: safe`  ${fit(escapeLine(keys.join(' ')), keyCells)} `,
				tone: isOff ? 'quiet' : 'accent',
			},
			{text: label, tone: isOff ? 'off' : 'plain'},
			...(isOff ? [{text: literal(' read-only'), tone: 'quiet'} as const] : []),
		];
	};

	const ofPane = bindings
		.filter(({scope}) => here.includes(scope))
		.toSorted((one, other) => Number(one.quiet === true) - Number(other.quiet === true));
	const ofAll = knownEverywhere.flatMap(id => bindings.find(binding => binding.id === id) ?? []);
	const first = wanted === '' ? [...ofPane.slice(0, firstKeys - ofAll.length), ...ofAll] : [];
	return [
		...(first.length === 0
			? []
			: [line(literal('Needed most'), 'title'), ...first.map(rowOf), blankLine]),
		...[...new Set(order)].flatMap(scope => {
			const title = titleOf(scope);
			const rows = (groups.get(scope) ?? []).filter(({keys, label, id}) =>
				`${title} ${keys.join(' ')} ${label} ${id}`.toLowerCase().includes(wanted),
			);
			return rows.length === 0 ? [] : [line(title, 'title'), ...rows.map(rowOf), blankLine];
		}),
	];
}

/** How many keys to list before the full table: first those of the focused scope, then those of every pane. */
const firstKeys = 12;
const knownEverywhere = ['palette', 'help', 'states', 'list.filter', 'quit'] as const;

export const helpDialog = defineDialog(help, {
	title: 'Help',
	contents: helpBox,
	takesText: ({isSearching}) => isSearching,
	lastRow: ({isSearching, query}, shell) =>
		isSearching
			? {
					value: query,
					note: empty,
					onChange: value => help.change(shell, now => ({...now, query: value})),
				}
			: undefined,
	commands: [
		onKeys(['help.search', '/'], literal('search'), {
			run: shell => help.change(shell, now => ({...now, isSearching: true, top: 0})),
		}),
		onKeys(['help.manual', 'm'], literal('manual'), {
			run(shell) {
				const {manual} = shell.pane();
				shell.attempt(async () => {
					if (!(await shell.desktop.manual(manual))) {
						shell.toast(safe`There is no page "${escapeLine(manual)}" in the manual`, 'warn');
					}
				});
			},
		}),
		onKeys(['help.close', 'esc', '?', 'q', 'ctrl+c'], literal('close help'), {run: closeHelp}),
		onKeys(['help.accept', 'enter'], literal('end the search'), {
			quiet: true,
			run: shell => help.change(shell, now => ({...now, isSearching: false})),
		}),
		...scrolling(
			'help',
			(shell, rows) => help.change(shell, now => ({...now, top: Math.max(0, now.top + rows)})),
			{names: ['down', 'up', 'page-down', 'page-up']},
		),
	],
});
