import {type Command, Option} from 'commander';
import type {ReceiverSettings} from '../../config/set-up.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {GatewayCommands, GatewayStatus} from '../../gateway/port.ts';
import type {Context} from '../console/context.ts';
import {numberOption, refuseUnknownCommand, jsonOption, type Json} from '../console/options.ts';
import {printLines, tell, printResult} from '../console/print.ts';
import {findGateway, noGateway} from '../home/gateway-access.ts';
import {lineFormats, type OutputFormat} from '../lines/output-mode.ts';

/** `svc gateway [run|stop|status|setup]`. */
export function addGatewayCommands(program: Command, context: Context): void {
	const group = program
		.command('gateway')
		.description('start the gateway in the background, or one of the commands below');

	group
		.command('run')
		.description(
			'run the gateway in the foreground, without the interface; SIGTERM and SIGINT drain and end it',
		)
		.addOption(
			new Option(
				'--output <format>',
				'lines on stderr: readable ones, "json" for one object a line, "quiet" for warnings and errors alone',
			)
				.choices(lineFormats)
				.default('compact'),
		)
		// For "svc gateway": later lines go to the log file, which is rotated.
		.addOption(new Option('--until-started', 'no lines once it has started').hideHelp())
		.action(async (_, command: Command) => {
			// The program also has an option of this name, and would receive a value given here.
			const {output, untilStarted = false} = command.optsWithGlobals<RunFlags>();
			if (output === 'screen') {
				command.error('error: svc gateway run has no screen, "svc" has');
			}

			const {runHeadless} = await import('../start/headless.ts');
			await runHeadless(context, {format: output, untilStarted});
		});

	group
		.command('stop')
		.description('end the gateway of this home: it drains first')
		.action(async () => {
			const gateway = await findGateway(context);
			if (!gateway) {
				tell(context, await noGateway(context));
				return;
			}

			const {waitForEnd} = await import('../start/background.ts');
			await gateway.stop();
			await waitForEnd(context);
			printLines(context, ['The gateway has stopped']);
		});

	group
		.command('status')
		.description(
			'tell whether a gateway runs and what it does; exits 1 when none runs, or when something is refused because of what its file says',
		)
		.option(...jsonOption)
		.action(async ({json}: Json) => {
			const gateway = await findGateway(context);
			if (!gateway) {
				const lines = [await noGateway(context)];
				printResult(context, {json, value: {running: false}, lines});
				context.exit(1);
				return;
			}

			const status = await gateway.status();
			context.exit(isWhole(status) ? 0 : 1);
			const lines = json ? [] : await linesOf(gateway, status, context.clock.now());
			printResult(context, {json, value: {running: true, ...status}, lines});
		});

	group
		.command('setup [platform]')
		.description(
			'set up the receiver and a first route, or a platform for answers: asks, or takes settings of the receiver from flags, and writes config.yaml',
		)
		.option('--enable', 'enable the webhook receiver')
		.option('--host <host>', 'address to listen on')
		.option('--port <port>', 'port to listen on', numberOption(0, 65_535))
		.option('--secret <secret>', 'secret for routes without one of their own')
		.action(async (platform: string | undefined, options: ReceiverSettings, command: Command) => {
			const given = Object.keys(options).map(name => `--${name}`);
			if (platform !== undefined && given.length > 0) {
				command.error(
					`error: ${given.join(' and ')} ${given.length === 1 ? 'is a setting' : 'are settings'} of the receiver: leave out "${escapeLine(platform, 80)}"`,
				);
			}

			const {setUpPlatform, setUpReceiver} = await import('../start/setup.ts');
			await (platform === undefined
				? setUpReceiver(context, options)
				: setUpPlatform(context, platform));
		});

	group
		.command('migrate-store')
		.description(
			'copy the shared data of a stopped home into a PostgreSQL database, or back; config.yaml is left as it is',
		)
		.option('--to <url>', 'fill this empty database, postgres://USER:${PGPASSWORD}@HOST/DATABASE')
		.option('--from <url>', 'fill the files of this home, which has no store yet')
		.option(
			'--old-key <variable>',
			'encrypt the secrets of the database anew: read with the key in this variable, write with gateway.store_key',
		)
		.option('--dry-run', 'only count')
		.action(async ({to, from, oldKey, dryRun = false}: MigrateFlags, command: Command) => {
			if ([to, from, oldKey].filter(one => one !== undefined).length !== 1) {
				command.error('error: use either --to, --from or --old-key');
			}

			const {changeKey, migrateStore} = await import('../backup/migrate-store.ts');
			const direction = to === undefined ? 'from' : 'to';
			await (oldKey === undefined
				? migrateStore(context, {url: to ?? from ?? '', direction, dryRun})
				: changeKey(context, oldKey));
		});

	// After its subcommands, which inherit the setting.
	group.allowExcessArguments().action(async (_, command: Command) => {
		refuseUnknownCommand(command);
		const {startInBackground} = await import('../start/background.ts');
		await startInBackground(context);
	});
}

type RunFlags = {readonly output: OutputFormat; readonly untilStarted?: boolean};

type MigrateFlags = {
	readonly to?: string;
	readonly from?: string;
	readonly oldKey?: string;
	readonly dryRun?: boolean;
};

/** Says what a gateway does, and when its first job fires, in its time zone. */
async function linesOf(
	gateway: Pick<GatewayCommands, 'listJobs'>,
	status: GatewayStatus,
	now: number,
): Promise<readonly string[]> {
	const {nextTimeText} = await import('../../nouns/job/job.ts');
	const {statusLines} = await import('../lines/status-lines.ts');
	const jobs = status.jobs.count === 0 ? [] : await gateway.listJobs();
	const times = jobs.flatMap(({state, nextAt, timeZone}) =>
		state === 'active' && nextAt !== undefined ? [{nextAt, timeZone}] : [],
	);
	const [first] = times.toSorted((a, b) => a.nextAt - b.nextAt);
	return statusLines(status, {nextJob: first ? nextTimeText(first) : '', now});
}

/** Whether the whole configuration is in use as written. */
const isWhole = ({webhook, api, slips, config_problems: problems}: GatewayStatus): boolean =>
	!('refused' in webhook) &&
	!('refused' in api) &&
	slips.length === 0 &&
	problems.every(({severity}) => severity === 'warning');
