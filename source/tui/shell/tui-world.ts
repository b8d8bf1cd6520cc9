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
	/** Whether the terminal is on another machine: fewer frames, longer waits for split keys. */
	readonly ssh: boolean;
	/** Command lines, as `$EDITOR` and `$PAGER` hold them. */
	readonly editor: string;
	readonly pager: string;
	/** A page of the manual as Markdown, by the name that `svc help` takes; `undefined` when there is none. */
	readonly readManual: (topic: string) => string | undefined;
	/** The settings that it tells of; the same list each time. */
	readonly manualSettings: () => readonly ManualSetting[];
	/** What `svc doctor` says of the installation. */
	readonly examine: () => Promise<string>;
	/** Starts a gateway of the home in the background; what is said of it. @throws Error why there is none */
	readonly startGateway?: () => Promise<string>;
	/** Data directory of the profile. */
	readonly home: string;
	/** Of the process: for the clipboard's way and for programs that are opened. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** `NO_COLOR` is set: the theme without colours. */
	readonly noColor?: boolean;
	/** The process that gives the shell its prompt back when the interface lets go, and that stops with this one. */
	readonly launcher?: number | undefined;
	/** The gateway of this process never outlives the interface. */
	readonly endsWithFace?: boolean;
	readonly firstRun?: FirstRunCard;
	/** Offers the first key of the chat API to the person at this terminal. */
	readonly offersKey?: boolean;
	/** As it was left; whatever the file of it holds. */
	readonly state?: unknown;
	/** Saves the state, on leaving and when a person has declined the first key. Must not throw. */
	readonly saveState?: (state: SavedState) => void;
	/** Leaves when it aborts. */
	readonly signal?: AbortSignal;
};

export type TuiWorld = {
	readonly port: GatewayPort;
	/** Outlive the interface. */
	readonly logins: PersonLogins;
	readonly clock: Clock;
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly options: TuiOptions;
};

/** Why the interface ended: the person left, or wants the prompt back, `signal` aborted, or the terminal is gone. */
export type TuiEnd = {readonly reason: 'quit' | 'let-go' | 'aborted' | 'terminal-gone'};

/** What a shell begins with on this terminal. */
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

/** How large the terminal says that it is. */
export const sizeOf = ({columns, rows}: NodeJS.WriteStream) => ({
	columns: columns || 80,
	rows: rows || 24,
});

/** What is kept from one run to the next. */
export function stateOf(shell: Shell): SavedState {
	const {pane, chosenTheme, declinedKey} = shell.view.get();
	return {
		pane,
		...(chosenTheme && {theme: chosenTheme}),
		filters: lastingFilters(shell),
		...(declinedKey && {declinedKey}),
	};
}
