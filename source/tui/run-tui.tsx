import {render} from 'ink';
import {answersQuestions, backgroundQuestion, hearBackground} from '../terminal/background.ts';
import {freeWrites} from '../terminal/free-writes.ts';
import {createInputFrontend} from '../terminal/input/input-frontend.ts';
import {handleStops, holdInterrupts} from '../terminal/job-control.ts';
import {freshRow, createTerminalModes, resetAtExit, resetSequence} from '../terminal/modes.ts';
import type {Suspend} from '../terminal/suspend.ts';
import {watchFocus} from './approvals/guard.ts';
import {App} from './frame/app.tsx';
import {InputContext} from './input/use-keys.ts';
import {createShell} from './shell/create-shell.ts';
import {createDesktop} from './shell/desktop.ts';
import {whenDeclined} from './shell/first-key.ts';
import type {Shell} from './shell/shell.ts';
import {attention} from './shell/status-line.ts';
import {shellOptions, sizeOf, stateOf, type TuiEnd, type TuiWorld} from './shell/tui-world.ts';
import {createThrottle} from './state/throttle.ts';

/** Resizes within this time cause one redraw. */
const resizeMs = 30;

const escapeDelays = {localMs: 60, sshMs: 100} as const;

/** How long after start the terminal's answer about its background may change the theme: a screen that somebody already reads keeps its colours. */
const backgroundLimits = {localMs: 200, sshMs: 1000} as const;

/**
 * Shows the gateway behind `port` on a terminal until the person leaves, then restores the terminal. The gateway keeps running. Both streams must be terminals.
 *
 * @throws what could not be drawn; it is to be printed, and the exit code is 1
 */
export async function runTui(world: TuiWorld): Promise<TuiEnd> {
	const {port, logins, clock, stdin, stdout, options} = world;
	await using stack = new AsyncDisposableStack();
	const ending = Promise.withResolvers<TuiEnd>();
	const stop = new AbortController();
	const leave = (reason: TuiEnd['reason']) => ending.resolve({reason});

	const write = (sequence: string) => {
		stdout.write(sequence);
	};
	freeWrites(stdout);
	write(resetSequence);
	const modes = stack.use(createTerminalModes(write));
	const frontend = stack.use(
		createInputFrontend(stdin, {
			clock,
			escapeDelayMs: options.ssh ? escapeDelays.sshMs : escapeDelays.localMs,
		}),
	);

	const startRow = () => {
		frontend.disableEcho();
		write(freshRow(sizeOf(stdout).columns));
	};
	startRow();

	let inkSuspend: Suspend | undefined;
	let isLent = false;
	const suspend: Suspend = async task => {
		isLent = true;
		const lent = async () => {
			try {
				await task();
			} finally {
				startRow();
			}
		};
		try {
			await (inkSuspend ? inkSuspend(lent) : lent());
		} finally {
			isLent = false;
			freeWrites(stdout);
		}
	};
	const desktop = createDesktop(
		{
			clock,
			stdout,
			modes,
			suspend,
			holdInterrupts: () => holdInterrupts(process),
			leave,
		},
		{...options, givesPromptBack: options.launcher !== undefined, signal: stop.signal},
	);
	const shell = stack.use(createShell({port, logins, clock, desktop}, shellOptions(world)));
	const save = () => options.saveState?.(stateOf(shell));
	stack.defer(save);
	stack.defer(whenDeclined(shell, save));

	// Ctrl-Z in an editor or pager that has the terminal reaches the whole foreground process group, so also svc: a terminal that is already lent must not be lent
	// again.
	const giveAway: Suspend = async task => (isLent ? task() : suspend(task));
	stack.defer(handleStops(process, giveAway, options.launcher));
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

	const isThemeOpen = !options.noColor && !shell.view.get().chosenTheme;
	let isAsked = isThemeOpen && answersQuestions(options.environment);
	if (isAsked) {
		write(backgroundQuestion);
	}

	/** Starts listening for the terminal's answer about its background, once. Nothing blocks on the answer: it arrives among the first keys. */
	const hearOnce = () => {
		if (!isAsked) {
			return;
		}

		isAsked = false;
		const limitMs = options.ssh ? backgroundLimits.sshMs : backgroundLimits.localMs;
		stack.defer(
			hearBackground({...frontend, clock, limitMs}, theme =>
				shell.view.set(state =>
					state.chosenTheme || state.theme === theme ? state : {...state, theme},
				),
			),
		);
	};

	const instance = render(
		<InputContext value={frontend}>
			<App
				shell={shell}
				onReady={way => {
					inkSuspend = way;
					hearOnce();
				}}
				onError={error => ending.reject(error)}
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
			// Ink would print console output of libraries over the screen; the command line already redirects it.
			patchConsole: false,
		},
	);
	stack.defer(
		watchSize(shell, stdout, () => {
			// While the terminal is lent, another program's screen must not be erased; all is redrawn on return.
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

/** The file descriptor of `stdout`. Only streams opened by Node carry one; otherwise stdout is 1. */
const fdOf = (stdout: NodeJS.WriteStream): number =>
	'fd' in stdout && typeof stdout.fd === 'number' ? stdout.fd : 1;

/**
 * Keeps the view as large as the terminal. `clear` makes Ink forget its last frame, so that the next one is drawn whole: terminals differ in what they show after
 * a resize (some restore cells that were cut off).
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
	const onResize = () => throttle.ask();

	stdout.on('resize', onResize);
	return () => {
		stdout.off('resize', onResize);
		throttle[Symbol.dispose]();
	};
}

/** Shows in the window's title what waits for a person. */
const watchTitle = (shell: Shell, setTitle: (title: string) => void): (() => void) => {
	const update = () => {
		const {state, now} = shell.feed.get();
		const waiting = attention(state, now);
		setTitle(waiting === undefined ? 'svc' : `svc – ${waiting}`);
	};

	update();
	return shell.feed.subscribe(update);
};
