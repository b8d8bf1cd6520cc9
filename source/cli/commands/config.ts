import {Argument, type Command} from 'commander';
import {countOf} from '../../core/counted.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';

/** `svc config check|schema|path`. */
export function addConfigCommands(program: Command, context: Context): void {
	const group = program.command('config').description('the configuration file');

	group
		.command('path')
		.description('print where config.yaml is; as JSON, also what else the home holds')
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
		.addArgument(new Argument('[of]', 'what it is for').choices(['config', 'job']))
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
		.description('check config.yaml, .env and the subscriptions; unknown keys count as errors')
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
