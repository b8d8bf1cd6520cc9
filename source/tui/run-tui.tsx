import {render} from 'ink';
import type {Clock} from '../core/clock.ts';
import type {PersonLogins} from '../core/logins.ts';
import type {GatewayPort} from '../gateway/port.ts';
import {createInputFrontend} from '../terminal/input/input-frontend.ts';
import {createTerminalModes, resetAtExit, resetSequence} from '../terminal/modes.ts';
import {handleStops, holdInterrupts} from '../terminal/signals.ts';
import type {Suspend} from '../terminal/suspend.ts';
import {whoAmI} from '../terminal/who-am-i.ts';
import {watchFocus} from './approvals/watch-focus.ts';
import {createDesktop} from './desktop.ts';
import {InputContext} from './input/use-keys.ts';
import {panes} from './panes/panes.ts';
import {createShell} from './shell/create-shell.ts';
import type {Shell} from './shell/shell.ts';
import {attention} from './shell/status-line.ts';
import {readSavedState, type SavedState} from './state/saved-state.ts';
import {createThrottle} from './state/throttle.ts';
import type {FirstRunCard} from './state/view.ts';
import {usualTheme} from './theme/theme.ts';
import {App} from './view/app.tsx';

export type TuiOptions = {
	readonly version: string;
	/** Whether the terminal is on another machine: fewer frames, longer waits for split keys. */
	readonly ssh: boolean;
	/** Command lines, as `$EDITOR` and `$PAGER` hold them. */
	readonly editor: string;
	readonly pager: string;
	/** A page of the manual as Markdown, by the name that `svc help` takes; `undefined` when there is none. */
	readonly readManual: (topic: string) => string | undefined;
	/** Data directory of the profile. */
	readonly home: string;
	/** Of the process: for the clipboard's way and for programs that are opened. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** `NO_COLOR` is set: the theme without colours. */
	readonly noColor?: boolean;
	readonly firstRun?: FirstRunCard;
	/** As it was left; whatever the file of it holds. */
	readonly state?: unknown;
	/** Gets what is to be kept, when it is left. */
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

/** Why the interface ended: the person left, `signal` aborted, or the terminal is gone. */
export type TuiEnd = {readonly reason: 'quit' | 'aborted' | 'terminal-gone'};

/** Bursts of resizes become one frame. */
const resizeMs = 30;

const escapeDelays = {localMs: 60, sshMs: 100} as const;

/**
 * Shows the gateway behind `port` on a terminal until the person leaves; the gateway is not ended. The terminal is given back as
 * it was. Must only be called when both streams are terminals.
 *
 * @throws what could not be drawn; it is to be printed, and the exit code is 1
 */
export async function runTui(world: TuiWorld): Promise<TuiEnd> {
	const {port, logins, clock, stdin, stdout, options} = world;
	await using stack = new AsyncDisposableStack();
	const ending = Promise.withResolvers<TuiEnd>();
	const stop = new AbortController();
	const leave = (reason: TuiEnd['reason']) => {
		ending.resolve({reason});
	};

	const write = (sequence: string) => {
		stdout.write(sequence);
	};
	write(resetSequence);
	const modes = stack.use(createTerminalModes(write));
	const frontend = stack.use(
		createInputFrontend(stdin, {
			clock,
			escapeDelayMs: options.ssh ? escapeDelays.sshMs : escapeDelays.localMs,
		}),
	);

	frontend.disableEcho();

	let inkSuspend: Suspend | undefined;
	let isLent = false;
	const suspend: Suspend = async task => {
		isLent = true;
		try {
			await (inkSuspend ? inkSuspend(task) : task());
		} finally {
			isLent = false;
		}
	};
	const desktop = createDesktop(
		{
			clock,
			stdout,
			modes,
			suspend,
			holdInterrupts: () => holdInterrupts(process),
			leave() {
				leave('quit');
			},
		},
		{...options, signal: stop.signal},
	);
	const shell = stack.use(createShell({port, logins, clock, desktop}, shellOptions(world)));
	stack.defer(() => {
		options.saveState?.(stateOf(shell));
	});

	stack.defer(handleStops(process, suspend));
	stack.defer(resetAtExit(process, fdOf(stdout), modes));
	stack.defer(frontend.onEnd(() => leave('terminal-gone')));
	stack.defer(watchFocus(shell, {frontend, modes}));
	stack.defer(watchTitle(shell, title => modes.setTitle(title)));
	const onGone = () => leave('terminal-gone');
	stdout.on('error', onGone);
	stack.defer(() => {
		stdout.off('error', onGone);
	});
	const onAbort = () => leave('aborted');
	options.signal?.addEventListener('abort', onAbort, {once: true});
	stack.defer(() => {
		options.signal?.removeEventListener('abort', onAbort);
		stop.abort();
	});
	if (options.signal?.aborted === true) {
		leave('aborted');
	}

	const instance = render(
		<InputContext value={frontend}>
			<App
				shell={shell}
				onReady={way => {
					inkSuspend = way;
				}}
				onError={error => {
					ending.reject(error);
				}}
			/>
		</InputContext>,
		{
			stdin: frontend.stdin,
			stdout,
			alternateScreen: true,
			incrementalRendering: true,
			interactive: true,
			maxFps: 60,
			exitOnCtrlC: false,
			// It would draw what libraries say over the screen; the command line keeps it away.
			patchConsole: false,
		},
	);
	stack.defer(
		watchSize(shell, stdout, () => {
			// Another program's screen is not ours to erase; coming back draws everything.
			if (!isLent) {
				instance.clear();
			}
		}),
	);
	const exited = (async () => {
		try {
			await instance.waitUntilExit();
			leave('terminal-gone');
		} catch (error) {
			ending.reject(error);
		}
	})();
	try {
		return await ending.promise;
	} finally {
		instance.unmount();
		await exited;
	}
}

/** Only terminals that Node opened have a number; 1 is where they are otherwise. */
const fdOf = (stdout: NodeJS.WriteStream): number =>
	'fd' in stdout && typeof stdout.fd === 'number' ? stdout.fd : 1;

function shellOptions({stdout, options}: TuiWorld) {
	const {noColor = false, ssh, version, firstRun} = options;
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
		...(state.pane !== undefined && {pane: state.pane}),
		...(state.filters && {filters: state.filters}),
		...(firstRun && {firstRun}),
	} as const;
}

const sizeOf = ({columns, rows}: NodeJS.WriteStream) => ({
	columns: columns || 80,
	rows: rows || 24,
});

/**
 * Keeps the view as large as the terminal. `clear` makes Ink forget its last frame: what a terminal shows after a resize is its
 * own affair (some bring cells back that were cut off before), so the next frame has to be a whole one.
 */
function watchSize(shell: Shell, stdout: NodeJS.WriteStream, clear: () => void): () => void {
	const throttle = createThrottle(
		shell.clock,
		() => resizeMs,
		() => {
			const size = sizeOf(stdout);
			const {columns, rows} = shell.view.get().size;
			if (columns !== size.columns || rows !== size.rows) {
				clear();
				shell.view.set(state => ({...state, size}));
			}
		},
	);
	const onResize = () => {
		throttle.ask();
	};

	stdout.on('resize', onResize);
	return () => {
		stdout.off('resize', onResize);
		throttle[Symbol.dispose]();
	};
}

/** Names what waits for a person in the window's title. */
const watchTitle = (shell: Shell, setTitle: (title: string) => void): (() => void) => {
	const update = () => {
		const {state, now} = shell.feed.get();
		const waiting = attention(state, now);
		setTitle(waiting === undefined ? 'svc' : `svc – ${waiting}`);
	};

	update();
	return shell.feed.subscribe(update);
};

function stateOf({view, filters}: Shell): SavedState {
	const {pane, theme} = view.get();
	return {pane, theme, filters: filters()};
}
