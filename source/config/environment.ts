import {homedir} from 'node:os';
import {parseEnv} from 'node:util';
import {readTextFile} from './text-files.ts';

/** Variables by name. Look them up with `variable`: a name may be one that every object inherits. */
export type Environment = Readonly<Record<string, string>>;

const maxEnvBytes = 1024 * 1024;

/** A copy of this process's environment, the only one that the program takes. */
export const processEnvironment = (): Environment => withoutGaps(process.env);

/**
 * Forces full colour output without a terminal. Call it before Ink is loaded, which reads the environment once; children
 * get it, too.
 */
export function wantColors(): void {
	process.env['FORCE_COLOR'] = '3';
	process.env['COLORTERM'] = 'truecolor';
}

/**
 * Makes every request of this process go straight to where it is for, though `NODE_USE_ENV_PROXY` says that Node is to ask a proxy, which it does for this machine, too. Node looks
 * at these variables with each request.
 */
export function askNoProxy(): void {
	for (const name of ['no_proxy', 'NO_PROXY']) {
		process.env[name] = '*';
	}
}

/**
 * The variables of a profile: those of its `.env`, then those of `environment`; the file wins. Nothing is written to the process's
 * own environment, so none of it reaches child processes.
 *
 * @throws SvcError `file_unreadable`, `file_too_large` (1 MiB)
 * @see manual/configuration.md#how-the-file-is-read
 */
export function mergeEnvironment(envFile: string, environment: Environment): Environment {
	const text = readTextFile(envFile, maxEnvBytes);
	return {...environment, ...withoutGaps(parseEnv(text ?? ''))};
}

/** The value of a variable; `undefined` when it is not set. */
export const variable = (
	environment: Readonly<Record<string, string | undefined>>,
	name: string,
): string | undefined => (Object.hasOwn(environment, name) ? environment[name] : undefined);

/** The folder that `~` stands for. */
export const userHomeOf = (environment: Environment): string =>
	variable(environment, 'HOME') || homedir();

function withoutGaps(source: NodeJS.Dict<string>): Environment {
	return Object.fromEntries(
		Object.entries(source).filter((entry): entry is [string, string] => entry[1] !== undefined),
	);
}

const variableName = 'SVC_LAUNCHER';

/**
 * The process that started this one for a person at a terminal (`svc.sh`), which ends with exit code 0 on SIGUSR1 while this one goes on; `undefined` when there is none. Takes its number out
 * of this process's environment: no program that is started from here is to have it, and a number that is not our parent's came from somewhere else.
 */
export function takeLauncher(): number | undefined {
	const text = process.env[variableName];
	delete process.env[variableName];
	return text !== undefined && Number(text) === process.ppid ? process.ppid : undefined;
}
