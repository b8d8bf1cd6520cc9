import {accessSync, constants, existsSync, mkdirSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {codeOf, messageOf, SvcError} from '../core/errors.ts';
import {refusePlantedFolder} from '../core/own-files.ts';
import type {HomePaths} from './config.ts';
import {processEnvironment, type Environment} from './environment.ts';

/** Names that `-p` and new dynamic routes accept. @see manual/commands.md */
export const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The profile without a name: the home itself. */
export const defaultProfile = 'default';

/**
 * The files and folders of a home; nothing is read or created. `SVC_HOME` (default `~/.svc`) is the home, a profile other
 * than `default` lives in `<home>/profiles/NAME`.
 *
 * @throws SvcError `profile_invalid` for a name that is not a folder's name.
 * @see manual/files.md
 */
export function homePaths({
	environment,
	profile = defaultProfile,
}: {
	readonly environment: Environment;
	readonly profile?: string | undefined;
}): HomePaths {
	requireProfileName(profile);
	const base = baseOf(environment);
	return profile === defaultProfile ? layoutOf(base, profile) : pathsOfProfile(base, profile);
}

/**
 * The files and folders of profile `name` in the home of `base`, in the same layout.
 *
 * @throws SvcError `profile_invalid`
 */
export function profilePaths(base: HomePaths, name: string): HomePaths {
	requireProfileName(name);
	return {
		...pathsOfProfile(base.home, name),
		...(base.shared && {shared: base.shared.of(name)}),
	};
}

/** The files and folders of the home that contains the profile of `paths`; `undefined` if `paths` is that home. */
export const basePaths = ({home, profile}: HomePaths): HomePaths | undefined =>
	profile === defaultProfile ? undefined : layoutOf(dirname(dirname(home)), defaultProfile);

/** The folder with the profiles of a home. */
export const profilesFolder = (home: string): string => join(home, 'profiles');

const pathsOfProfile = (base: string, name: string): HomePaths =>
	layoutOf(join(profilesFolder(base), name), name);

function requireProfileName(name: string): void {
	if (!namePattern.test(name)) {
		throw new SvcError(
			'profile_invalid',
			`Cannot use profile "${name}": a name has 1 to 64 characters of a-z, 0-9, "_" and "-", and starts with a letter or digit`,
		);
	}
}

/** The paths of all files and folders of a home. */
export function layoutOf(home: string, profile: string) {
	const run = join(home, 'run');
	const logs = join(home, 'logs');
	const cache = join(home, 'cache');
	return {
		/** The data directory of the profile: `~/.svc` or `~/.svc/profiles/NAME`. */
		home,
		/** `default`, or the profile's name. */
		profile,
		config: join(home, 'config.yaml'),
		env: join(home, '.env'),
		subscriptions: join(home, 'webhook_subscriptions.json'),
		scripts: join(home, 'scripts'),
		skills: join(home, 'skills'),
		/** Scheduled jobs: `jobs.json` and `output/`. */
		cron: join(home, 'cron'),
		cache,
		logs,
		gatewayLog: join(logs, 'gateway.log'),
		stateDb: join(home, 'state.db'),
		/** The key with which the gateway recognises its own comments. */
		markKey: join(home, 'mark.key'),
		/** Identifies the home in a shared database; created when it first joins one. */
		memberId: join(home, 'member.id'),
		run,
		socket: join(run, 'gateway.sock'),
		pidFile: join(run, 'gateway.pid'),
		lockFile: join(run, 'gateway.lock'),
		tuiState: join(home, 'tui-state.json'),
		/** Credentials of tool servers, a file for each. @see manual/tool-servers.md#logins */
		mcpTokens: join(home, 'mcp-tokens'),
		/** Standard error of stdio tool servers. */
		mcpStderrLog: join(logs, 'mcp-stderr.log'),
		/** Tools that the servers offered at their last connection. @see manual/tool-servers.md */
		schemaCache: join(cache, 'mcp_schema_cache.json'),
		/** The first seen definition of every tool. */
		toolPins: join(cache, 'mcp_tool_pins.json'),
		/** Processes of tool servers, so that the next start can end those left by a crash. */
		mcpProcesses: join(run, 'mcp-processes.json'),
		/** Decisions on approvals, one JSON line each. */
		approvalsLog: join(logs, 'approvals.jsonl'),
	};
}

/**
 * Creates missing folders of the home, each 0700, and checks that this user may read and write there.
 *
 * @throws SvcError `home_unusable`, `file_planted` when others may have put a link in the place of one
 */
export function ensureHome(paths: HomePaths): void {
	const {home, scripts, skills, cron, cache, logs, run, mcpTokens} = paths;
	for (const folder of [home, scripts, skills, cron, cache, logs, run, mcpTokens]) {
		try {
			refusePlantedFolder(folder);
			makeFolder(folder);
			accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
		} catch (error) {
			if (error instanceof SvcError) {
				throw error;
			}

			throw new SvcError(
				'home_unusable',
				`Cannot use "${folder}" (${messageOf(error)}): make it a folder that you may read and write, or set SVC_HOME to one`,
				{cause: error},
			);
		}
	}
}

/**
 * Creates a folder and its missing parents, one by one: the recursive `mkdir` of Node never ends where the file system answers ENOENT to the creation itself, as below
 * /proc.
 */
function makeFolder(folder: string): void {
	const missing: string[] = [];
	for (let path = folder; !existsSync(path); path = dirname(path)) {
		missing.unshift(path);
	}

	for (const path of missing) {
		try {
			mkdirSync(path, {mode: 0o700});
		} catch (error) {
			// Another process has created it meanwhile.
			if (codeOf(error) !== 'EEXIST') {
				throw error;
			}
		}
	}

	if (!statSync(folder).isDirectory()) {
		throw new Error('it is not a folder');
	}
}

/** Where Node caches compiled code between starts: among other caches of the user, not in the home, which may not exist yet and which Node must not create. */
export function compileCacheFolder(environment: Environment = processEnvironment()): string {
	const caches = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache');
	return join(caches, 'svc-agent', 'compile');
}

function baseOf(environment: Environment): string {
	const user = environment['HOME'] || homedir();
	const configured = environment['SVC_HOME'];
	if (!configured) {
		return join(user, '.svc');
	}

	// The shell did not expand this `~`: the value came from a service file.
	return configured === '~' || configured.startsWith('~/')
		? join(user, configured.slice(1))
		: resolve(configured);
}
