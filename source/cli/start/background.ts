import {spawn} from 'node:child_process';
import {closeSync, constants, readFileSync} from 'node:fs';
import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {sleep} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {lockFile} from '../../core/file-lock.ts';
import {nodeFlags, nodeVariables} from '../../core/program.ts';
import type {GatewayStatus} from '../../gateway/port.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell, tellEach} from '../console/print.ts';
import {findGateway} from '../home/gateway-access.ts';
import {openOutput} from './detach.ts';
import {prepareFirstRun, stepsOf} from './first-run.ts';

const startMs = 30_000;
const endMs = 20_000;
const pollMs = 50;

/** How long a gateway whose receiver was refused may take to end. */
const refusedMs = 500;

/**
 * Starts `svc gateway run` as a separate process, and returns once its receiver answers; if it does not listen, prints the refusal and exits with 3.
 *
 * @throws SvcError `gateway_not_started`
 */
export async function startInBackground(context: Context): Promise<void> {
	const already = await findGateway(context);
	if (already) {
		const {pid, webhook} = await already.status();
		tell(
			context,
			`A gateway runs already (process ${pid}): attach with "svc", end it with "svc gateway stop"`,
		);
		if ('refused' in webhook) {
			tell(context, `Its webhook receiver is refused: ${webhook.refused}`);
		}

		context.exit(1);
		return;
	}

	const paths = context.paths();
	ensureHome(paths);
	const first = await prepareFirstRun(paths, context);
	if (first) {
		printLines(
			context,
			stepsOf(first, paths).map(step => `First start: ${step}`),
		);
	}

	const {path: outputPath, fd: output} = openOutput(paths, constants.O_TRUNC);
	const [, script = ''] = process.argv;
	const child = spawn(
		process.execPath,
		[
			...new Set([...nodeFlags, ...process.execArgv]),
			script,
			'--profile',
			paths.profile,
			'gateway',
			'run',
			'--until-started',
		],
		{
			detached: true,
			stdio: ['ignore', output, output],
			env: {...nodeVariables, ...context.environment},
		},
	);
	closeSync(output);
	let ended = false;
	child.once('error', () => {
		ended = true;
	});
	child.once('exit', () => {
		ended = true;
	});

	const deadline = context.clock.monotonic() + startMs;
	// Ends when the gateway has answered, the process has ended, or time is up.
	// oxlint-disable-next-line no-unmodified-loop-condition
	while (!ended && context.clock.monotonic() < deadline) {
		// If the process ends during the request, the request fails in various ways; its own output follows.
		// oxlint-disable-next-line no-await-in-loop
		const status = await readStatus(context).catch(() => undefined);
		// A gateway refused as a whole reports that and ends.
		// oxlint-disable-next-line no-await-in-loop
		await sleep(context.clock, status && 'refused' in status.webhook ? refusedMs : pollMs);
		// oxlint-disable-next-line no-unnecessary-condition
		if (status && !ended) {
			report(context, status);
			child.unref();
			return;
		}
	}

	const said = readFileSync(outputPath, 'utf8').trim();
	if (said !== '') {
		tell(context, said);
	}

	if (!ended) {
		child.kill('SIGTERM');
		throw new SvcError(
			'gateway_not_started',
			`The gateway did not start within ${startMs / 1000} s: see "${outputPath}"`,
		);
	}

	context.exit(child.exitCode === 3 ? 3 : 1);
}

/** Says where the new gateway listens, or why it does not. */
function report(
	context: Context,
	{webhook, pid, slips, config_problems: problems}: GatewayStatus,
): void {
	// After a successful start, its output is not shown, so warnings are printed here.
	const warnings = problems.filter(({severity}) => severity === 'warning');
	tellEach(context, [...slips.map(({problem}) => problem), ...warnings.map(formatDiagnostic)]);

	if ('url' in webhook) {
		printLines(context, [`The gateway runs (process ${pid}) and listens on ${webhook.url}`]);
	} else if ('refused' in webhook) {
		tell(context, `The gateway runs, but its webhook receiver was refused: ${webhook.refused}`);
		context.exit(3);
	} else {
		printLines(context, [
			'The gateway runs; its webhook receiver is not enabled (svc gateway setup --enable)',
		]);
	}
}

async function readStatus(context: Context) {
	const gateway = await findGateway(context);
	return gateway?.status();
}

/** Waits until the home's gateway has released its lock. @throws SvcError `gateway_not_stopped` */
export async function waitForEnd(context: Context): Promise<void> {
	const {lockFile: path} = context.paths();
	const deadline = context.clock.monotonic() + endMs;
	while (context.clock.monotonic() < deadline) {
		using lock = lockFile(path);
		if (lock) {
			return;
		}

		// oxlint-disable-next-line no-await-in-loop
		await sleep(context.clock, pollMs);
	}

	throw new SvcError(
		'gateway_not_stopped',
		`The gateway did not stop within ${endMs / 1000} s: see "svc gateway status"`,
	);
}
