import type {Clock} from '../../core/clock.ts';
import type {PersonLogins} from '../../core/logins.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {whoAmI} from '../../terminal/who-am-i.ts';
import {lastingFilters} from '../acts/temporary-filter.ts';
import type {FirstRunCard} from '../commands/first-run.ts';
import {panes} from '../panes/panes.ts';
import {readSavedState, type SavedState} from '../state/saved-state.ts';
import {usualTheme} from '../theme/theme.ts';
import type {ShellOptions} from './create-shell.ts';
import type {ManualSetting, Shell} from './shell.ts';

export type TuiOptions = {
	readonly version: string;
	/** Whether the terminal is on another machine: draws fewer frames, and waits longer for split key sequences. */
	readonly ssh: boolean;
	/** Command lines in the syntax of `$EDITOR` and `$PAGER`. */
	readonly editor: string;
	readonly pager: string;
	/** A manual page as Markdown, by the name that `svc help` takes; `undefined` if it does not exist. */
	readonly readManual: (topic: string) => string | undefined;
	/** The settings described in the manual; the same array each time. */
	readonly manualSettings: () => readonly ManualSetting[];
	/** The output of `svc doctor`. */
	readonly examine: () => Promise<string>;
	/** Starts a gateway of the home in the background; returns a message. @throws Error why there is none */
	readonly startGateway?: () => Promise<string>;
	/** The profile's data directory. */
	readonly home: string;
	/** The process environment: chooses the clipboard, and is passed to opened programs. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Whether `NO_COLOR` is set, which selects the theme without colours. */
	readonly noColor?: boolean;
	/** The process that returns the prompt to the shell when the interface lets go, and that is stopped and continued together with this one. */
	readonly launcher?: number | undefined;
	/** This process's gateway never outlives the interface. */
	readonly endsWithFace?: boolean;
	readonly firstRun?: FirstRunCard;
	/** Whether to offer the first key of the chat API. */
	readonly offersKey?: boolean;
	/** The saved state as read from its file, unvalidated. */
	readonly state?: unknown;
	/** Saves the state, on leaving and when the first key is declined. Must not throw. */
	readonly saveState?: (state: SavedState) => void;
	/** Aborting it leaves the interface. */
	readonly signal?: AbortSignal;
};

export type TuiWorld = {
	readonly port: GatewayPort;
	/** Outlives the interface. */
	readonly logins: PersonLogins;
	readonly clock: Clock;
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly options: TuiOptions;
};

/** Why the interface ended: the person quit or wanted the prompt back, `signal` aborted, or the terminal is gone. */
export type TuiEnd = {readonly reason: 'quit' | 'let-go' | 'aborted' | 'terminal-gone'};

/** The shell's initial options on this terminal. */
export function shellOptions({stdout, options}: TuiWorld): ShellOptions {
	const {noColor = false, ssh, version, firstRun, offersKey = false} = options;
	const state = readSavedState(options.state, {
		panes: panes.map(({id}) => id),
		lists: panes.flatMap(({sections}) => sections).flatMap(({listing}) => listing?.list.id ?? []),
	});
	return {
		size: sizeOf(stdout),
		theme: noColor ? 'mono' : (state.theme ?? usualTheme(options.environment['COLORFGBG'])),
		ssh,
		version,
		by: whoAmI(options.environment),
		...(state.theme && {chosenTheme: state.theme}),
		...(state.pane !== undefined && {pane: state.pane}),
		...(state.filters && {filters: state.filters}),
		...(firstRun && {firstRun}),
		offersKey,
		declinedKey: state.declinedKey === true,
	} as const;
}

/** The size that the terminal reports. */
export const sizeOf = ({columns, rows}: NodeJS.WriteStream) => ({
	columns: columns || 80,
	rows: rows || 24,
});

/** What is saved between sessions. */
export function stateOf(shell: Shell): SavedState {
	const {pane, chosenTheme, declinedKey} = shell.view.get();
	return {
		pane,
		...(chosenTheme && {theme: chosenTheme}),
		filters: lastingFilters(shell),
		...(declinedKey && {declinedKey}),
	};
}
