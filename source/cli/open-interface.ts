import {existsSync, readFileSync} from 'node:fs';
import {ensureHome} from '../config/home-paths.ts';
import {writePrivateFile} from '../config/write-private-file.ts';
import type {Gateway} from '../gateway/gateway.ts';
import type {GatewayPort} from '../gateway/port.ts';
import type {SavedState} from '../tui/state/saved-state.ts';
import type {FirstRunCard} from '../tui/state/view.ts';
import type {Context} from './context.ts';
import {attachGateway} from './gateway-access.ts';
import {noTerminalHint, outputMode, type OutputFormat} from './lines/output-mode.ts';
import {readManualPage} from './manual/read-page.ts';
import {openPersonLogins} from './person-logins.ts';
import {tell} from './print.ts';
import {whenAskedToStop} from './signals.ts';

/**
 * `svc`: the interface with a gateway in this process, or attached to the one that runs already; lines where there is nothing to draw on.
 *
 * @throws SvcError when nothing could be started
 */
export async function openInterface(
	context: Context,
	{output}: {readonly output?: OutputFormat},
): Promise<void> {
	const {stdin, stdout, environment} = context;
	const paths = context.paths();
	const mode = outputMode({
		stdinIsTty: stdin.isTTY,
		stdoutIsTty: stdout.isTTY,
		environment,
		...(output && {output}),
	});
	if (mode === 'none') {
		tell(context, noTerminalHint);
		context.exit(2);
		return;
	}

	ensureHome(paths);
	await using attached = await attachGateway(context);
	const firstRun = attached || existsSync(paths.config) ? undefined : await firstUse(context);
	// The screen is loaded before the gateway begins to load its rooms: its first frame does not wait for them.
	const show = mode === 'tui' ? await loadScreen() : undefined;
	// Before the gateway, so that it listens for a second signal while that drains.
	using stop = whenAskedToStop();
	await using gateway = attached ? undefined : await embed(context);
	const port = attached ?? gateway?.port;
	if (!port) {
		return;
	}

	const world: World = {context, port, gateway, firstRun, asked: stop.asked};
	if (show) {
		await showScreen(world, show);
	} else {
		await showLines(world, mode === 'json' || mode === 'quiet' ? mode : 'compact');
	}
}

type World = {
	readonly context: Context;
	readonly port: GatewayPort;
	readonly gateway: Gateway | undefined;
	readonly firstRun: FirstRunCard | undefined;
	readonly asked: Promise<void>;
};

async function firstUse(context: Context): Promise<FirstRunCard | undefined> {
	const {prepareFirstRun, stepsOf} = await import('./first-run.ts');
	const paths = context.paths();
	const first = await prepareFirstRun(paths, context);
	return first && {route: first.route, steps: stepsOf(first, paths)};
}

async function loadScreen() {
	const {runTui} = await import('../tui/run-tui.tsx');
	return runTui;
}

async function embed(context: Context): Promise<Gateway> {
	const {startGateway} = await import('../gateway/gateway.ts');
	const {clock, environment, version} = context;
	return startGateway({clock, environment, version, paths: context.paths()});
}

/** The screen, until the person leaves, a signal comes, or the gateway ends. */
async function showScreen(
	{context, port, gateway, firstRun, asked}: World,
	runTui: Awaited<ReturnType<typeof loadScreen>>,
): Promise<void> {
	const {environment, stdin, stdout, clock, version} = context;
	const paths = context.paths();
	const leave = new AbortController();
	void Promise.race([asked, ...(gateway ? [gateway.stopped] : [])]).then(() => {
		leave.abort();
		return undefined;
	});
	let failed = false;
	gateway?.started.catch(() => {
		failed = true;
		leave.abort();
	});

	let kept: SavedState | undefined;
	await using logins = openPersonLogins(context);
	await runTui({
		port,
		logins,
		clock,
		stdin,
		stdout,
		options: {
			version,
			ssh: ['SSH_TTY', 'SSH_CONNECTION', 'SSH_CLIENT'].some(name => environment[name]),
			editor: environment['VISUAL'] ?? environment['EDITOR'] ?? 'vi',
			pager: environment['PAGER'] ?? 'less',
			readManual: topic => readManualPage(topic)?.text,
			home: paths.home,
			environment,
			noColor: Boolean(environment['NO_COLOR']),
			...(firstRun && {firstRun}),
			state: readState(paths.tuiState),
			saveState(state) {
				kept = state;
			},
			signal: leave.signal,
		},
	});
	if (kept) {
		await writePrivateFile(paths.tuiState, `${JSON.stringify(kept)}\n`);
	}

	if (gateway && failed) {
		// Says why.
		await gateway.started;
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

/** Lines on stdout, until a signal comes or nobody reads them any more. */
async function showLines(
	{context, port, gateway, asked}: World,
	format: 'compact' | 'json' | 'quiet',
): Promise<void> {
	const {createLineWriter} = await import('./lines/lines.ts');
	using lines = createLineWriter({stream: context.stdout, notices: context.stderr, format});
	const {
		gateway: {pid, version, home, profile, startedAt: at},
	} = port.getState();
	// It began before anybody could listen.
	lines.write([{type: 'gateway-started', at, pid, version, home, profile}]);
	const unsubscribe = port.subscribe(lines.write);
	try {
		await gateway?.started;
		if (!gateway) {
			tell(context, `Attached to the gateway of process ${pid}`);
		}

		await Promise.race([asked, lines.closed, ...(gateway ? [gateway.stopped] : [])]);
		// The end has lines, too.
		await gateway?.[Symbol.asyncDispose]();
	} finally {
		unsubscribe();
	}
}

/** How the interface was left, which checks it; an unreadable file is as good as none. */
function readState(path: string): unknown {
	try {
		return JSON.parse(readFileSync(path, 'utf8'));
	} catch {
		return undefined;
	}
}
