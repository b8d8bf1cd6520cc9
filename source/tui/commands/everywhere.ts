import {compact} from '../../core/names.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {inScope, onKeys, type Command, type PaneCommand} from '../acts/command.ts';
import {goBack} from '../acts/jump.ts';
import {change, move, nextMatch, openDetail, openPane} from '../acts/navigate.ts';
import {placeNow} from '../acts/place.ts';
import {review} from '../acts/settle.ts';
import {openHelp} from '../dialogs/help.ts';
import {leavingCommands} from '../dialogs/leaving.ts';
import {palette} from '../dialogs/palette.ts';
import {openStates} from '../dialogs/states.ts';
import type {ListMove} from '../list/window.ts';
import {paneKey} from '../panes/pane.ts';
import {panes} from '../panes/panes.ts';
import {askToReload} from '../panes/tools/tool-commands.ts';
import type {Shell} from '../shell/shell.ts';
import {detailStart} from '../state/view.ts';
import {themeNames} from '../theme/theme.ts';

const moving = (
	name: Extract<ListMove, string>,
	keys: readonly string[],
	label: Safe,
): PaneCommand =>
	onKeys([`move.${name}`, ...keys], label, {quiet: true, run: shell => move(shell, name)});

/** The keys that move in a list, or scroll a detail. */
const movingCommands: readonly PaneCommand[] = [
	moving('down', ['j', 'down'], literal('down')),
	moving('up', ['k', 'up'], literal('up')),
	moving('first', ['g', 'home'], literal('first')),
	moving('last', ['G', 'end'], literal('last')),
	moving('page-down', ['pgdn'], literal('page down')),
	moving('page-up', ['pgup'], literal('page up')),
	moving('half-down', ['ctrl+d'], literal('half a page down')),
	moving('half-up', ['ctrl+u'], literal('half a page up')),
];

const noList = (shell: Shell): Safe | undefined =>
	shell.openList() ? undefined : literal('There is no list in this pane');

/** Only lists that receive new items can follow or hold. */
const notLive = (shell: Shell): Safe | undefined =>
	noList(shell) ??
	(shell.section().listing?.isLive === true
		? undefined
		: literal('This list stands still by itself'));

function reload(shell: Shell): void {
	shell.attempt(async () => {
		await shell.port.reload();
		shell.toast(literal('Configuration was read again'), 'good');
	});
}

const paneCommands = panes.map(({id, title}, index): PaneCommand =>
	onKeys([`pane.${id}`, ...compact([paneKey(index)])], title, {
		quiet: true,
		aliases: [`/${id}`],
		run: shell => openPane(shell, id),
	}),
);

/** Commands available in every pane. */
export const everywhereCommands: readonly Command[] = inScope('global', [
	onKeys(['detail.open', 'enter'], literal('open'), {
		quiet: shell => shell.openList()?.selectedKey() === undefined,
		when: shell => shell.view.get().region === 'list',
		run: openDetail,
	}),
	onKeys(['detail.close', 'esc'], literal('back'), {
		when: shell => shell.view.get().region === 'detail',
		run: goBack,
	}),
	onKeys(['list.filter', '/'], literal('filter'), {
		why: noList,
		run(shell) {
			const {region} = shell.view.get();
			change(shell, {field: region === 'detail' ? 'search' : 'filter'});
		},
	}),
	onKeys(['list.follow', 'f'], literal('follow'), {
		why: notLive,
		run(shell) {
			shell.openList()?.move('follow');
			change(shell, detailStart);
		},
	}),
	onKeys(['help', '?'], literal('help'), {aliases: ['/help', '/keys'], run: openHelp}),
	onKeys(['palette', ':', 'ctrl+k'], literal('palette'), {
		run: shell => palette.open(shell, {query: '', index: 0}),
	}),
	openStates,
	onKeys(['approvals.review', '!'], literal('review approvals'), {quiet: true, run: review}),
	...leavingCommands,
	...paneCommands,
	...movingCommands,
	onKeys(['region.next', 'tab', 'shift+tab'], literal('other region'), {
		quiet: true,
		run(shell) {
			if (shell.pane().focus?.next?.(shell) === true) {
				return;
			}

			if (shell.view.get().region === 'list') {
				openDetail(shell);
			} else {
				change(shell, {region: 'list', ...detailStart});
			}
		},
	}),
	onKeys(['back', 'esc'], literal('back one level, never quits'), {quiet: true, run: goBack}),
	onKeys(['list.pause', 'space'], literal('pause or resume live updates'), {
		quiet: true,
		why: notLive,
		run: shell => shell.openList()?.toggleFollow(),
	}),
	onKeys(['match.next', 'n'], literal('next match'), {
		quiet: true,
		run: shell => nextMatch(shell, 1),
	}),
	onKeys(['match.previous', 'N'], literal('previous match'), {
		quiet: true,
		run: shell => nextMatch(shell, -1),
	}),
	onKeys(['region.zoom', 'z'], literal('zoom region'), {
		quiet: true,
		run: shell => shell.view.set(state => ({...state, isZoomed: !state.isZoomed})),
	}),
	onKeys(['redraw', 'ctrl+l'], literal('full redraw'), {
		quiet: true,
		run(shell) {
			// Retries a pane that failed to draw.
			shell.view.set(state => ({...state, redraws: state.redraws + 1}));
			shell.desktop.redraw();
		},
	}),
	onKeys(['config.reload'], literal('reload the configuration'), {
		changes: true,
		aliases: ['/reload'],
		run: reload,
	}),
	onKeys(['doctor'], literal('check the installation'), {
		quiet: true,
		aliases: ['/doctor'],
		run(shell) {
			shell.toast(literal('Looks at the installation, for up to 10 s…'));
			const isStillHere = placeNow(shell, literal('/doctor'));
			shell.attempt(async () =>
				shell.desktop.pageHealth(() => isStillHere(literal('What was found was not opened'))),
			);
		},
	}),
	onKeys(
		['config.reload-servers'],
		literal('reload the tool servers: shows what changes, and asks'),
		{changes: true, aliases: ['/reload-mcp'], run: askToReload},
	),
	onKeys(['theme.next'], literal('next theme: dark, light, ansi16, mono'), {
		aliases: ['/theme'],
		run(shell) {
			const next = themeNames[(themeNames.indexOf(shell.view.get().theme) + 1) % themeNames.length];
			change(shell, {theme: next ?? 'dark', chosenTheme: next});
			shell.toast(safe`Theme ${escapeLine(next ?? 'dark')}`);
		},
	}),
]);
