import {EventEmitter} from 'node:events';
import {existsSync} from 'node:fs';
import {ensureHome} from '../../config/home-paths.ts';
import {sleep} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {Gateway} from '../../gateway/gateway.ts';
import type {GatewayWorld} from '../../gateway/rooms.ts';
import type {FirstRunCard} from '../../tui/commands/first-run.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {whenAskedToStop} from '../console/signals.ts';
import {attachGateway, findGateway, servingContext} from '../home/gateway-access.ts';
import {noTerminalHint, type OutputFormat, outputMode} from '../lines/output-mode.ts';
import type {Shown} from './detach.ts';
import {showScreen} from './show-screen.ts';

export type Opening = {
	readonly output?: OutputFormat | undefined;
	readonly readOnly?: boolean | undefined;
	readonly linear?: boolean;
	readonly demo?: Demonstration;
};

/**
 * `svc`: the interface with a gateway in this process, or attached to one that is running; lines if there is nothing to draw on.
 *
 * @throws SvcError when nothing could be started
 */
export async function openInterface(context: Context, opening: Opening): Promise<void> {
	try {
		await open(context, opening);
	} catch (error) {
		// Another start at the same time was faster: attach to its gateway as if it had been running before.
		if (!isSecond(error) || !(await answersSoon(context))) {
			throw error;
		}

		await open(context, opening);
	}
}

const isSecond = (error: unknown): boolean =>
	error instanceof SvcError && error.code === 'gateway_running';

const soonMs = 10_000;
const pollMs = 100;

/**
 * Whether the gateway that holds the home becomes ready to attach to; a starting one needs a moment. Does not consider the gateway of a home above that serves
 * this profile.
 */
async function answersSoon(context: Context): Promise<boolean> {
	const {clock} = context;
	if (await servingContext(context)) {
		return false;
	}

	const deadline = clock.monotonic() + soonMs;
	while (clock.monotonic() < deadline) {
		// oxlint-disable-next-line no-await-in-loop
		if (await findGateway(context).catch(() => undefined)) {
			return true;
		}

		// oxlint-disable-next-line no-await-in-loop
		await sleep(clock, pollMs);
	}

	return false;
}

async function open(
	context: Context,
	{output, readOnly = false, linear = false, demo}: Opening,
): Promise<void> {
	const {stdin, stdout, environment} = context;
	const paths = context.paths();
	const mode = outputMode({
		stdinIsTty: stdin.isTTY,
		stdoutIsTty: stdout.isTTY,
		environment,
		output,
		linear,
	});
	if (mode === 'none') {
		tell(context, noTerminalHint);
		context.exit(2);
		return;
	}

	if (readOnly && mode === 'linear') {
		tell(
			context,
			'--read-only is for the screen and for lines: what is typed at a prompt may change something',
		);
		context.exit(2);
		return;
	}

	if (!readOnly) {
		ensureHome(paths);
	}

	await using attached = await attachGateway(context);
	if (readOnly && !attached) {
		tell(context, '--read-only watches a gateway that runs; start one with svc gateway');
		context.exit(2);
		return;
	}

	const welcome =
		demo || attached || existsSync(paths.config) ? undefined : await firstUse(context);
	// The interface's code is loaded first, so that its first frame does not wait for the gateway's.
	const show = mode === 'tui' ? (await import('../../tui/run-tui.tsx')).runTui : undefined;
	// Before the gateway, so that a second signal is heard during its drain.
	using stop = whenAskedToStop({
		// At the prompt, Ctrl-C goes to commands.
		...(mode === 'linear' && {interrupts: new EventEmitter()}),
		hangup: !demo && (stdin.isTTY || stdout.isTTY) ? 'lets-go' : 'ends',
	});
	await using gateway = attached ? undefined : await embed(context, demo?.world);
	const whole = attached ?? gateway?.port;
	const port = readOnly
		? whole && (await import('../../gateway/read-only-port.ts')).readOnlyPort(whole)
		: whole;
	if (!port) {
		return;
	}

	const begun = gateway && demo?.begin(gateway, stop.asked);
	using _ = {[Symbol.dispose]: () => demo?.end()};
	const firstRun = begun ? demo?.card(begun) : welcome;
	const world: Shown = {context, port, gateway, firstRun, stop, endsWithFace: Boolean(demo)};
	if (show) {
		// The screen is drawn while `begun` is pending.
		await showScreen({...world, ...(begun && {begun})}, show);
		return;
	}

	await begun;
	if (mode === 'linear') {
		const {showLinear} = await import('./show-linear.ts');
		await showLinear(world);
	} else {
		const {showLines} = await import('./show-lines.ts');
		await showLines(world, mode === 'json' || mode === 'quiet' ? mode : 'compact');
	}
}

/** The demo's additions to the interface. */
export type Demonstration = {
	/** `begun` is what `begin` returned. */
	readonly card: (begun: Promise<void>) => FirstRunCard;
	readonly world: Partial<GatewayWorld>;
	/** For lines, they start after this resolves; the screen is drawn meanwhile, and a rejection ends it. `asked` settles when the process is asked to stop. */
	readonly begin: (gateway: Gateway, asked: Promise<void>) => Promise<void>;
	/** Called when the interface is closed, before the gateway ends. */
	readonly end: () => void;
};

async function firstUse(context: Context): Promise<FirstRunCard | undefined> {
	const {prepareFirstRun, stepsOf} = await import('./first-run.ts');
	const paths = context.paths();
	const first = await prepareFirstRun(paths, context);
	return first && {route: first.route, steps: stepsOf(first, paths)};
}

async function embed(context: Context, world: Partial<GatewayWorld> = {}): Promise<Gateway> {
	const {startGateway} = await import('../../gateway/gateway.ts');
	const {clock, environment, version} = context;
	return startGateway({clock, environment, version, paths: context.paths(), ...world});
}
