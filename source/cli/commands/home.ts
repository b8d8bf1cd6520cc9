import {Argument, type Command, Option} from 'commander';
import {logLevels} from '../../core/log.ts';
import {countOf} from '../../core/names.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Context} from '../console/context.ts';
import {
	listOption,
	momentOption,
	numberArgument,
	numberOption,
	wordOption,
	jsonOption,
	type Json,
	loads,
} from '../console/options.ts';
import {printJson, printLines, tell, printResult} from '../console/print.ts';

/** `svc config check|schema|path`. */
export function addConfigCommands(program: Command, context: Context): void {
	const group = program.command('config').description('the configuration file');

	group
		.command('path')
		.description('print the path of config.yaml; as JSON, also the other files of the home')
		.option(...jsonOption)
		.action(({json}: Json) => {
			const {home, profile, config, env, subscriptions, stateDb, gatewayLog} = context.paths();
			const value = {home, profile, config, env, subscriptions, stateDb, gatewayLog};
			printResult(context, {json, value, lines: [config]});
		});

	group
		.command('schema')
		.description('print a JSON Schema for config.yaml, or for a job of cron/jobs.json')
		.addArgument(new Argument('[of]', 'the described file').choices(['config', 'job']))
		.action(async (of: string | undefined) => {
			const schema =
				of === 'job'
					? (await import('../../schedule/job.ts')).jobSchemaJson()
					: (await import('../../config/config-schema-json.ts')).configSchemaJson();
			printJson(context, schema);
		});

	group
		.command('check')
		.description('check config.yaml, .env and the dynamic routes; unknown keys count as errors')
		.option(...jsonOption)
		.action(
			loads(context, async () => (await import('../check/check-configuration.ts')).reportCheck),
		);
}

/** `svc doctor`. @see manual/doctor.md */
export function addDoctorCommand(program: Command, context: Context): void {
	program
		.command('doctor')
		.description('check the installation and say how to mend failures; exits 1 when a check fails')
		.option('--offline', 'ask no other machine and start no program of others')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../doctor/report.ts')).reportHealth));
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
		.option('--run <n>', 'only records of this run', numberArgument)
		.option('--delivery <id>', 'only records of this delivery', wordOption)
		.option('--since <time>', 'only since then: 10m, 2h, or a date', momentOption(context.clock))
		.option(
			'--lines <n>',
			`at most the newest n, 1 to ${maxLines} (default: 200; with --since all of them)`,
			numberOption(1, maxLines),
		)
		.option('--json', 'print one JSON object a line')
		.action(loads(context, async () => (await import('../logs/show-logs.ts')).showLogs));
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
			const {createBackup} = await import('../backup/create-backup.ts');
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
			const {restoreBackup} = await import('../backup/restore-backup.ts');
			const paths = context.paths({mayBeNew: true});
			const restored = await restoreBackup(paths, {file, force, now: context.clock.now()});
			const {members, madeAt, version, replaced} = restored;
			printLines(context, [
				`${countOf(members, 'file')} of ${madeAt} (svc ${version}) ${members === 1 ? 'is' : 'are'} in "${paths.home}"`,
				...(replaced === undefined ? [] : [`What was there before is in "${replaced}"`]),
			]);
			await describeShared(context, 'restore');
		});
}

/** Says that an archive of a home with a database contains only files: the rest must be backed up there. Ignores an unusable setting, since it names no database. */
async function describeShared(context: Context, act: 'backup' | 'restore'): Promise<void> {
	const {readStorePlace} = await import('../../config/store-place.ts');
	const paths = context.paths({mayBeNew: true});
	const place = await readStorePlace(paths, context.environment).catch(() => undefined);
	if (place?.url === undefined) {
		return;
	}

	const {host, pathname} = new URL(place.url);
	const where = `deliveries, runs, keys, sessions, subscriptions and jobs are in postgres://${host}${pathname}`;
	tell(
		context,
		act === 'backup'
			? `No journal is in the archive: ${where}. Back the database up with pg_dump`
			: `No journal was restored: ${where}. Where the database is lost, too, restore it with pg_restore, from what pg_dump made`,
	);
}
