import {Command, CommanderError, Option} from 'commander';
import {processEnvironment} from '../config/environment.ts';
import {takeLauncher} from '../config/environment.ts';
import {homePaths} from '../config/home-paths.ts';
import {requireProfileFolder} from '../config/profiles.ts';
import {systemClock} from '../core/clock.ts';
import {SvcError, codeOf, explained, messageOf} from '../core/errors.ts';
import {captureConsole} from '../core/log.ts';
import {version} from '../core/program.ts';
import {addCommands} from './commands/commands.ts';
import type {CommandWorld, Context, ExitCode} from './console/context.ts';
import {tell} from './console/print.ts';
import type {OpenedShare} from './home/share-home.ts';

/** Exit codes of errors with a code of their own, other than "failed". */
const exitCodes: ReadonlyMap<string, ExitCode> = new Map([
	['config_invalid', 3],
	['config_refused', 3],
	['filter_invalid', 2],
	['profile_invalid', 2],
	['profile_not_found', 2],
	['interrupted', 130],
]);

/** Commands that read or change subscriptions, jobs or logins of the home: where gateways share these, they are rows of the database. */
const readsHome: ReadonlySet<string> = new Set([
	'config',
	'cron',
	'doctor',
	'mcp',
	'skills',
	'webhook',
]);

/** Runs one command line (without `node` and the script), by default in this process's own world. Returns the process's exit code; never rejects. */
export async function runCommand(
	argv: readonly string[],
	world: CommandWorld = {
		stdin: process.stdin,
		stdout: process.stdout,
		stderr: process.stderr,
		// First, because this removes a variable from the environment, which is copied next.
		launcher: takeLauncher(),
		environment: processEnvironment(),
		clock: systemClock,
	},
): Promise<ExitCode> {
	// A gateway captures the console again, for its log; on this terminal only commands write.
	using _ = captureConsole(() => {});
	return await runWithin(argv, world);
}

/** Runs a command line within a command that has captured the console already: capturing again could never be undone, because the prompt may abandon the inner command. */
async function runWithin(argv: readonly string[], world: CommandWorld): Promise<ExitCode> {
	let exitCode: ExitCode = 0;
	let share: OpenedShare | undefined;
	const {environment} = world;
	const program = new Command('svc');
	const context: Context = {
		...world,
		version,
		paths({mayBeNew = false} = {}) {
			const {profile} = program.opts<{profile?: string}>();
			const paths = homePaths({environment, profile});
			if (!mayBeNew) {
				requireProfileFolder(paths);
			}

			return share ? {...paths, shared: share.shared} : paths;
		},
		run: runWithin,
		exit(code) {
			exitCode = code;
		},
	};

	program
		.description('A terminal for running an agent gateway: webhooks in, agent runs, answers out.')
		.version(version)
		.addOption(
			new Option('-p, --profile <name>', 'use <home>/profiles/<name> as the data directory'),
		)
		.addHelpText(
			'after',
			'\nData directory: SVC_HOME, default ~/.svc. Manual: svc help TOPIC; errors: svc explain CODE.',
		)
		.configureOutput({
			// The error repeats what was typed or pasted, so is escaped.
			outputError: text => {
				tell(context, text.trimEnd());
			},
			writeOut: text => {
				context.stdout.write(text);
			},
			writeErr: text => {
				context.stderr.write(text);
			},
		})
		.exitOverride();
	addCommands(program, context, argv);
	program.hook('preAction', async (_, command) => {
		if (readsHome.has(groupOf(command))) {
			const {shareHome} = await import('./home/share-home.ts');
			share = await shareHome(context.paths(), context);
		}
	});

	pointToHelp(program);

	context.stderr.on('error', () => {});
	context.stdout.on('error', error => {
		// A pipe's reader may close it (`svc runs list | head`), and a terminal may vanish; any other failure to write the result is ours.
		if (codeOf(error) !== 'EPIPE' && !(codeOf(error) === 'EIO' && context.stdout.isTTY)) {
			exitCode = 1;
			tell(context, `svc: Cannot write the result: ${error.message}`);
		}
	});

	try {
		await program.parseAsync(argv, {from: 'user'});
		// Resolves when everything is written, or cannot be.
		await new Promise<unknown>(resolve => context.stdout.write('', resolve));
		return exitCode;
	} catch (thrown) {
		if (thrown instanceof CommanderError) {
			return thrown.exitCode === 0 ? 0 : 2;
		}

		const error = explained(thrown);
		const coded = error instanceof SvcError ? ` (${error.code})` : '';
		tell(context, `svc: ${messageOf(error)}${coded}`);
		return error instanceof SvcError ? (exitCodes.get(error.code) ?? 1) : 1;
	} finally {
		await share?.[Symbol.asyncDispose]();
	}
}

/** The first word of a command. */
function groupOf(command: Command): string {
	const {parent} = command;
	return parent?.parent ? groupOf(parent) : command.name();
}

/** Ends a usage error with the help of that command. */
function pointToHelp(command: Command, words: readonly string[] = []): void {
	const path = [...words, command.name()];
	command.showHelpAfterError(`(see ${path.join(' ')} --help)`);
	for (const sub of command.commands) {
		pointToHelp(sub, path);
	}
}
