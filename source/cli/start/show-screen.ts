import {readTextFile, writePrivateFile} from '../../config/text-files.ts';
import {messageOf} from '../../core/errors.ts';
import {saveMemory} from '../../core/program.ts';
import {freeWrites, hasTaken} from '../../terminal/free-writes.ts';
import type {TuiEnd, TuiWorld} from '../../tui/shell/tui-world.ts';
import type {SavedState} from '../../tui/state/saved-state.ts';
import {runCaptured} from '../console/captured-run.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {manualSettings, readManualPage} from '../manual/read-page.ts';
import {detach, type Shown, whenToLeave} from './detach.ts';
import {openPersonLogins, readOnlyLogins} from './late-logins.ts';

/**
 * Shows the screen or its line-based replacement, until the person leaves, a signal arrives, the terminal is lost, or the gateway ends. The gateway keeps running
 * unless it was told to end.
 */
export async function showScreen(
	shown: Shown,
	run: (world: TuiWorld) => Promise<TuiEnd>,
): Promise<void> {
	const {context, port, gateway, firstRun, begun} = shown;
	const {environment, stdin, stdout, clock, version} = context;
	const paths = context.paths();
	const failed = new AbortController();
	const started = Promise.all([gateway?.started, begun]);
	started.catch(() => failed.abort());

	let keeping: Promise<string | undefined> = Promise.resolve(undefined);
	await using opened = openPersonLogins(context);
	using stack = new DisposableStack();
	stack.use(saveMemory(clock));
	const logins = port.isReadOnly === true ? readOnlyLogins(opened) : opened;
	freeWrites(context.stderr);
	const {reason: left} = await run({
		port,
		logins,
		clock,
		stdin,
		stdout,
		options: {
			version,
			ssh: ['SSH_TTY', 'SSH_CONNECTION', 'SSH_CLIENT'].some(name => environment[name]),
			editor: environment['VISUAL'] || environment['EDITOR'] || 'vi',
			pager: environment['PAGER'] ?? 'less',
			readManual: topic => readManualPage(topic)?.text,
			manualSettings,
			async examine() {
				const {healthText} = await import('../doctor/report.ts');
				return healthText(context);
			},
			...(!gateway && {startGateway: async () => startFromScreen(context)}),
			home: paths.home,
			environment,
			noColor: Boolean(environment['NO_COLOR']),
			launcher: context.launcher,
			endsWithFace: shown.endsWithFace,
			...(firstRun && {firstRun}),
			// Not in a demo, whose home is deleted at the end.
			offersKey: port.isReadOnly !== true && !shown.endsWithFace,
			state: readState(paths.tuiState),
			saveState(state) {
				keeping = keeping.then(async () => keepState(paths.tuiState, state));
			},
			signal: AbortSignal.any([whenToLeave(shown), failed.signal]),
		},
	});
	const problem = await keeping;
	if (problem !== undefined) {
		tell(context, problem);
	}

	if (gateway && failed.signal.aborted) {
		// Rejects with the reason.
		await started;
	} else {
		await leaveFace(shown, left);
	}
}

/** Runs `svc gateway` and returns its output for the screen. @throws Error with those words where it fails */
async function startFromScreen(context: Context): Promise<string> {
	const {profile} = context.paths();
	const {code, text} = await runCaptured(context, ['--profile', profile, 'gateway']);
	if (code !== 0) {
		throw new Error(text.trim());
	}

	return text.trim();
}

/** What happens to the gateway when its face closes: it ends if the person quits, and otherwise keeps running unless told to end. */
export async function leaveFace(shown: Shown, left: TuiEnd['reason']): Promise<void> {
	const {context, port, gateway, stop} = shown;
	// After quitting or a signal the terminal may be slow; otherwise one that does not read counts as lost.
	const reason =
		left === 'quit' || stop.signal.aborted || (await hasTaken(context.stdout, context.clock))
			? left
			: 'terminal-gone';
	if (gateway && !shown.endsWithFace && mayGoOn(reason, stop)) {
		// Logins in progress are kept too.
		await detach(shown, gateway);
	} else if (gateway) {
		const {runs} = await port.status();
		tell(
			context,
			runs.queued + runs.active > 0
				? `Ending ${runs.active} runs; ${runs.queued} stay queued for the next start`
				: 'The gateway ends',
		);
	} else {
		tell(context, 'The gateway goes on; "svc" attaches again, "svc gateway stop" ends it');
	}
}

/** Whether the terminal was lost or given back, rather than the gateway ended. */
const mayGoOn = (reason: TuiEnd['reason'], stop: Shown['stop']): boolean =>
	reason === 'let-go' ||
	reason === 'terminal-gone' ||
	(reason === 'aborted' && stop.hungUp.aborted);

/** Saves the interface's state. Not essential: a failure (a full disk) is returned as a reason, and ends nothing. */
async function keepState(path: string, state: SavedState): Promise<string | undefined> {
	try {
		await writePrivateFile(path, `${JSON.stringify(state)}\n`);
		return undefined;
	} catch (error) {
		return `Cannot keep how the interface was left: ${messageOf(error)}`;
	}
}

/** Far more than the few kilobytes written. */
const maxStateBytes = 1024 * 1024;

/** The saved state, unvalidated; `undefined` if the file is unreadable. */
function readState(path: string): unknown {
	try {
		return JSON.parse(readTextFile(path, maxStateBytes) ?? '');
	} catch {
		return undefined;
	}
}
