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

/** The screen, or what is read in place of it, until the person leaves, a signal comes, the terminal is gone, or the gateway ends. The gateway goes on unless it was told to end. */
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
			// A demo is thrown away, with what it made.
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
		// Says why.
		await started;
	} else {
		await leaveFace(shown, left);
	}
}

/** `svc gateway`, whose words go to the screen. @throws Error with those words where it fails */
async function startFromScreen(context: Context): Promise<string> {
	const {profile} = context.paths();
	const {code, text} = await runCaptured(context, ['--profile', profile, 'gateway']);
	if (code !== 0) {
		throw new Error(text.trim());
	}

	return text.trim();
}

/** What becomes of the gateway once a person has left what shows it: it ends when the person quits, and goes on unless it was told to end. */
export async function leaveFace(shown: Shown, left: TuiEnd['reason']): Promise<void> {
	const {context, port, gateway, stop} = shown;
	// After quitting, or a signal, the terminal may take its time; in all other cases one that does not read counts as gone.
	const reason =
		left === 'quit' || stop.signal.aborted || (await hasTaken(context.stdout, context.clock))
			? left
			: 'terminal-gone';
	if (gateway && !shown.endsWithFace && mayGoOn(reason, stop)) {
		// With the logins that are under way.
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

/** Whether the terminal has gone or was given back, and not the gateway. */
const mayGoOn = (reason: TuiEnd['reason'], stop: Shown['stop']): boolean =>
	reason === 'let-go' ||
	reason === 'terminal-gone' ||
	(reason === 'aborted' && stop.hungUp.aborted);

/** A comfort: where it cannot be kept (a full disk), nothing else ends for it, least of all a gateway that is to go on. Returns why not. */
async function keepState(path: string, state: SavedState): Promise<string | undefined> {
	try {
		await writePrivateFile(path, `${JSON.stringify(state)}\n`);
		return undefined;
	} catch (error) {
		return `Cannot keep how the interface was left: ${messageOf(error)}`;
	}
}

/** What is written is a few kilobytes. */
const maxStateBytes = 1024 * 1024;

/** How the interface was left, which checks it; an unreadable file is as good as none. */
function readState(path: string): unknown {
	try {
		return JSON.parse(readTextFile(path, maxStateBytes) ?? '');
	} catch {
		return undefined;
	}
}
