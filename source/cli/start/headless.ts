import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {SvcError} from '../../core/errors.ts';
import {jsonLine} from '../../core/json.ts';
import {logLine, type LogRecord} from '../../core/log.ts';
import {startGateway} from '../../gateway/gateway.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {whenAskedToStop} from '../console/signals.ts';
import type {LineFormat} from '../lines/output-mode.ts';

/**
 * Runs the gateway without an interface until it is asked to stop (SIGTERM, SIGINT, SIGHUP, or the control API), then drains. Log lines go to stderr.
 *
 * @throws SvcError when nothing could be started.
 */
export async function runHeadless(
	context: Context,
	{format, untilStarted}: {readonly format: LineFormat; readonly untilStarted: boolean},
): Promise<void> {
	const paths = context.paths();
	let hasStarted = false;
	// Before the gateway, so that a second signal is heard during its drain.
	using stop = whenAskedToStop(context);
	await using gateway = startGateway({
		clock: context.clock,
		paths,
		environment: context.environment,
		version: context.version,
		seat: untilStarted ? 'background' : 'foreground',
		onLog(record) {
			if (!(untilStarted && hasStarted) && isSaid(record, format)) {
				const line = format === 'json' ? jsonLine(record) : logLine(record);
				context.stderr.write(`${line}\n`);
			}
		},
	});
	await gateway.started;
	hasStarted = true;
	const {webhook, problems} = gateway.port.getState();
	const error = problems.find(({severity}) => severity === 'error');
	if (error && webhook.state === 'refused' && webhook.code === 'config_invalid') {
		throw new SvcError('config_refused', `Cannot start: ${formatDiagnostic(error)}`);
	}

	if (webhook.state === 'refused') {
		tell(context, `The webhook receiver was refused: ${webhook.reason}`);
	}

	await Promise.race([stop.asked, gateway.stopped]);
}

const isSaid = ({level}: LogRecord, format: LineFormat): boolean =>
	format !== 'quiet' || level === 'warn' || level === 'error';
