import {Argument, type Command, Option} from 'commander';
import {logLevels} from '../../core/log.ts';
import {countOf} from '../../core/names.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Context} from '../console/context.ts';
import {listOption, momentOption, numberOption, wordOption} from '../console/options.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import type {LogOptions} from '../logs/show-logs.ts';

/** `svc config check|schema|path`. */
export function addConfigCommands(program: Command, context: Context): void {
	const group = program.command('config').description('the configuration file');

	group
		.command('path')
		.description('print the path of config.yaml; as JSON, also the other files of the home')
		.option('--json', 'print JSON')
		.action(({json}: {json?: boolean}) => {
			const {home, profile, config, env, subscriptions, stateDb, gatewayLog} = context.paths();
			if (json) {
				printJson(context, {home, profile, config, env, subscriptions, stateDb, gatewayLog});
			} else {
				printLines(context, [config]);
			}
		});

	group
		.command('schema')
		.description('print a JSON Schema for config.yaml, or for a job of cron/jobs.json')
		.addArgument(new Argument('[of]', 'the described file').choices(['config', 'job']))
		.action(async (of: string | undefined) => {
			if (of === 'job') {
				const {jobSchemaJson} = await import('../../schedule/job.ts');
				printJson(context, jobSchemaJson());
				return;
			}

			const {configSchemaJson} = await import('../../config/config-schema-json.ts');
			printJson(context, configSchemaJson());
		});

	group
		.command('check')
		.description('check config.yaml, .env and the dynamic routes; unknown keys count as errors')
		.option('--json', 'print JSON')
		.action(async ({json}: {json?: boolean}) => {
			const {checkConfiguration} = await import('../check/check-configuration.ts');
			const {problems, routes, exists} = await checkConfiguration(context);
			const failed = problems.some(({severity}) => severity === 'error');
			context.exit(failed ? 3 : 0);
			if (json) {
				printJson(context, {ok: !failed, problems});
				return;
			}

			const {formatDiagnostic} = await import('../../config/format-diagnostic.ts');
			for (const problem of problems) {
				tell(
					context,
					`${problem.severity === 'error' ? 'error' : 'warning'}  ${formatDiagnostic(problem)}`,
				);
			}

			const {config} = context.paths();
			if (!failed) {
				printLines(context, [
					exists
						? `${config} is valid: ${countOf(routes, 'route')}, ${countOf(problems.length, 'warning')}`
						: `${config} does not exist: the defaults apply`,
				]);
			}
		});
}

/** `svc doctor`. @see manual/doctor.md */
export function addDoctorCommand(program: Command, context: Context): void {
	program
		.command('doctor')
		.description('check the installation and say how to mend failures; exits 1 when a check fails')
		.option('--offline', 'ask no other machine and start no program of others')
		.option('--json', 'print JSON')
		.action(async ({json = false, offline = false}: {json?: boolean; offline?: boolean}) => {
			const {reportHealth} = await import('../doctor/report.ts');
			await reportHealth(context, {json, offline});
		});
}

const maxLines = 100_000;

/** `svc logs`. */
export function addLogCommand(program: Command, context: Context): void {
	program
		.command('logs')
		.description("show the gateway's log, oldest first, also after the gateway ended")
		.option('-f, --follow', 'follow the log until Ctrl-C')
		.addOption(
			new Option('--level <level>', 'only this level and more severe ones').choices(
				logLevels.toReversed(),
			),
		)
		.option('--room <names>', 'only these rooms, with commas: webhook,agent,mcp', listOption)
		.option('--run <n>', 'only records of this run', numberOption(1, Number.MAX_SAFE_INTEGER))
		.option('--delivery <id>', 'only records of this delivery', wordOption)
		.option('--since <time>', 'only since then: 10m, 2h, or a date', momentOption(context.clock))
		.option(
			'--lines <n>',
			`at most the newest n, 1 to ${maxLines} (default: 200; with --since all of them)`,
			numberOption(1, maxLines),
		)
		.option('--json', 'print one JSON object a line')
		.action(async (options: LogOptions) => {
			const {showLogs} = await import('../logs/show-logs.ts');
			await showLogs(context, options);
		});
}

/** `svc backup FILE` and `svc restore FILE`. */
export function addBackupCommands(program: Command, context: Context): void {
	program
		.command('backup')
		.description(
			'write the home, with its journal and its secrets, into one archive; the gateway may go on running',
		)
		.argument('<file>', 'the archive to write')
		.option('--force', 'replace an existing file', false)
		.action(async (file: string, {force}: {force: boolean}) => {
			const [{createBackup}, {describeShared}] = await Promise.all([
				import('../backup/create-backup.ts'),
				import('../backup/describe-shared.ts'),
			]);
			const {home, profile} = context.paths();
			const {version, clock} = context;
			const backup = await createBackup({home, profile, version, now: clock.now()}, {file, force});
			for (const {path, reason} of backup.leftOut) {
				tell(context, `Left out, because ${reason}: ${escapeLine(path, 300)}`);
			}

			printLines(context, [
				`${countOf(backup.members, 'file')} of "${home}" ${backup.members === 1 ? 'is' : 'are'} in "${backup.file}", secrets included: keep it where nobody else reads it`,
			]);
			await describeShared(context, 'backup');
		});

	program
		.command('restore')
		.description('restore a backup into the home, which must be empty and have no gateway')
		.argument('<file>', 'an archive of "svc backup"')
		.option('--force', 'restore into a home that is not empty, and set its files aside', false)
		.action(async (file: string, {force}: {force: boolean}) => {
			const [{restoreBackup}, {describeShared}] = await Promise.all([
				import('../backup/restore-backup.ts'),
				import('../backup/describe-shared.ts'),
			]);
			const paths = context.paths({mayBeNew: true});
			const restored = await restoreBackup(paths, {file, force, now: context.clock.now()});
			printLines(context, [
				`${countOf(restored.members, 'file')} of ${restored.madeAt} (svc ${restored.version}) ${restored.members === 1 ? 'is' : 'are'} in "${paths.home}"`,
				...(restored.replaced === undefined
					? []
					: [`What was there before is in "${restored.replaced}"`]),
			]);
			await describeShared(context, 'restore');
		});
}
