import {homedir} from 'node:os';
import {parseEnv} from 'node:util';
import {readTextFile} from './text-files.ts';

/** Variables by name. Read them with `variable`: a name may equal a property that every object inherits. */
export type Environment = Readonly<Record<string, string>>;

const maxEnvBytes = 1024 * 1024;

/** A copy of this process's environment. The rest of the program does not read `process.env`. */
export const processEnvironment = (): Environment => withoutGaps(process.env);

/**
 * Forces full colour output without a terminal. Call it before Ink is loaded, which reads the environment once; children
 * get it, too.
 */
export function wantColors(): void {
	process.env['FORCE_COLOR'] = '3';
	process.env['COLORTERM'] = 'truecolor';
}

/** Makes all requests of this process bypass proxies. With `NODE_USE_ENV_PROXY`, Node uses a proxy even for this machine; it reads these variables at each request. */
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
 * The process id of the launcher (`svc.sh`) that started this process for a person at a terminal; on SIGUSR1 the launcher exits with 0 while this process goes on.
 * `undefined`: none. Removes the variable from the environment, so that child processes do not inherit it, and ignores an id that is not our parent's.
 */
export function takeLauncher(): number | undefined {
	const text = process.env[variableName];
	delete process.env[variableName];
	return text !== undefined && Number(text) === process.ppid ? process.ppid : undefined;
}
