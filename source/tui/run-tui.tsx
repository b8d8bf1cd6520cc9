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

/** Bursts of resizes become one frame. */
const resizeMs = 30;

const escapeDelays = {localMs: 60, sshMs: 100} as const;

/** How late the terminal may say what its background is: a screen that has been read for a while does not change its colours. */
const backgroundLimits = {localMs: 200, sshMs: 1000} as const;

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

	// Ctrl-Z in a program that has the terminal is sent to all in its foreground: what is lent already cannot be given away once more.
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

	/** Nothing waits for the answer, which is read with the first keys. */
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
	const onResize = () => throttle.ask();

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
