import {accessSync, constants, existsSync, mkdirSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {codeOf, messageOf, SvcError} from '../core/errors.ts';
import {refusePlantedFolder} from '../core/own-files.ts';
import type {HomePaths} from './config.ts';
import {processEnvironment, type Environment} from './environment.ts';

/** What may stand after `-p`, and what a dynamic route may be called. @see manual/commands.md */
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
 * The files and folders of profile `name` of the home that `base` stands for; the same layout.
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

/** The files and folders of the home that holds the profile of `paths`; `undefined` when that is the home itself. */
export const basePaths = ({home, profile}: HomePaths): HomePaths | undefined =>
	profile === defaultProfile ? undefined : layoutOf(dirname(dirname(home)), defaultProfile);

/** Where the profiles of a home live. */
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

/** Where the files and folders of a home are. */
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
		/** The key by which the gateway knows its own comments again. */
		markKey: join(home, 'mark.key'),
		/** Names the home among those on one database; made when it first joins them. */
		memberId: join(home, 'member.id'),
		run,
		socket: join(run, 'gateway.sock'),
		pidFile: join(run, 'gateway.pid'),
		lockFile: join(run, 'gateway.lock'),
		tuiState: join(home, 'tui-state.json'),
		/** Credentials of tool servers, a file for each. @see manual/tool-servers.md#logins */
		mcpTokens: join(home, 'mcp-tokens'),
		/** What stdio tool servers wrote to stderr. */
		mcpStderrLog: join(logs, 'mcp-stderr.log'),
		/** What tool servers offered when they were last connected. @see manual/tool-servers.md */
		schemaCache: join(cache, 'mcp_schema_cache.json'),
		/** The first seen definition of every tool. */
		toolPins: join(cache, 'mcp_tool_pins.json'),
		/** Processes of tool servers, so that the next start can end those that a crash left. */
		mcpProcesses: join(run, 'mcp-processes.json'),
		/** Decisions on approvals, one JSON line each. */
		approvalsLog: join(logs, 'approvals.jsonl'),
	};
}

/**
 * Creates what is missing of the home, each folder 0700, and checks that this user may read and write there.
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
 * Creates a folder and those above it that are missing. Step by step: Node's own recursive way never ends where the file
 * system answers ENOENT to the creation itself, as below /proc.
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
			// Another process may have been faster.
			if (codeOf(error) !== 'EEXIST') {
				throw error;
			}
		}
	}

	if (!statSync(folder).isDirectory()) {
		throw new Error('it is not a folder');
	}
}

/**
 * Where Node keeps the compiled program between starts: beside other caches of the user, never in the home, which may not exist
 * yet and is not Node's to create.
 */
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

	// A `~` that no shell has expanded: the value came from a service file.
	return configured === '~' || configured.startsWith('~/')
		? join(user, configured.slice(1))
		: resolve(configured);
}
