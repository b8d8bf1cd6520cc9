import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {SvcError, codeOf, messageOf} from '../core/errors.ts';
import {didYouMean} from '../core/names.ts';
import {orElse} from '../core/or-else.ts';
import type {HomePaths, Profile, Profiles} from './config.ts';
import {mergeEnvironment, type Environment} from './environment.ts';
import {
	basePaths,
	defaultProfile,
	namePattern,
	profilePaths,
	profilesFolder,
} from './home-paths.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {stampOf} from './text-files.ts';

/** Most profiles that are served: each costs files to read and, in a gateway, jobs to plan. */
const maxProfiles = 100;

/**
 * The profiles of a gateway: the home itself, with the variables `merged`, and, if it serves several, every folder below `<home>/profiles/` with a valid name. Each profile
 * has its own `.env`, which overrides `environment` (the process's variables), and sees no `.env` of another profile. If its `.env` cannot be read, it keeps its variables
 * of `before`. Never throws.
 *
 * @see manual/routes.md#keys, manual/files.md
 */
export function loadProfiles(
	paths: HomePaths,
	{environment, merged, multiplex, before}: ProfileOptions,
): Profiles {
	const {names, problems} = multiplex ? listProfiles(paths) : nobody;
	const loaded = names.map(name => loadProfile(name, {paths, environment, before}));
	const own: Profile = {name: defaultProfile, paths, environment: merged, exists: true};
	const others = new Map(loaded.map(({profile}) => [profile.name, profile]));
	return {
		others: [...others.values()],
		problems: [...problems, ...loaded.flatMap(({problem}) => (problem ? [problem] : []))],
		of: name =>
			name === defaultProfile || name === paths.profile
				? own
				: (others.get(name) ?? {
						name,
						paths: profilePaths(paths, name),
						environment,
						exists: false,
					}),
	};
}

export type ProfileOptions = {
	/** The process's environment. */
	readonly environment: Environment;
	/** The process's variables, overridden by the `.env` of the home. */
	readonly merged: Environment;
	/** Whether other profiles are served. */
	readonly multiplex: boolean;
	/** The profiles of the last good configuration. */
	readonly before?: Profiles | undefined;
};

/** The warning about a served profile without a folder; `undefined`: it has one. */
export function missingProfile(
	name: string,
	{profiles}: {readonly profiles: Profiles},
): string | undefined {
	const {exists, paths} = profiles.of(name);
	return exists ? undefined : `profile "${name}" has no folder yet: "${paths.home}"`;
}

/**
 * Refuses a profile without a folder: a mistyped name must not create one.
 *
 * @throws SvcError `profile_not_found`: names the nearest one that is there
 */
export function requireProfileFolder(paths: HomePaths): void {
	const base = basePaths(paths);
	if (!base || isFolder(paths.home)) {
		return;
	}

	throw new SvcError(
		'profile_not_found',
		`Cannot use profile "${paths.profile}"${didYouMean(paths.profile, listProfiles(base).names)}: there is no folder "${paths.home}"; make one with mkdir -p -m 700 "${paths.home}"`,
	);
}

/** Changes when a profile is added or removed, or its `.env` changes. */
export const profileStamp = (paths: HomePaths): string =>
	listProfiles(paths)
		.names.map(name => `${name} ${stampOf(profilePaths(paths, name).env).stamp}`)
		.join();

const nobody: Listed = {names: [], problems: []};

type Listed = {readonly names: readonly string[]; readonly problems: Profiles['problems']};

function listProfiles({home}: HomePaths): Listed {
	const folder = profilesFolder(home);
	try {
		const names = readdirSync(folder)
			.filter(name => namePattern.test(name) && name !== defaultProfile)
			.filter(name => isFolder(join(folder, name)))
			.toSorted();
		const message = `holds more than ${maxProfiles} profiles: only the first ${maxProfiles} by name are served`;
		return {
			names: names.slice(0, maxProfiles),
			problems: names.length > maxProfiles ? [{file: folder, message}] : [],
		};
	} catch (error) {
		return codeOf(error) === 'ENOENT'
			? nobody
			: {names: [], problems: [{file: folder, message: `Cannot list it: ${messageOf(error)}`}]};
	}
}

/** Follows links: a profile may be stored elsewhere. */
const isFolder = (path: string): boolean => orElse(() => statSync(path).isDirectory(), false);

function loadProfile(
	name: string,
	options: Pick<ProfileOptions, 'environment' | 'before'> & {readonly paths: HomePaths},
) {
	const {paths: base, environment, before} = options;
	const paths = profilePaths(base, name);
	try {
		const merged = mergeEnvironment(paths.env, environment);
		return {profile: {name, paths, environment: merged, exists: true}};
	} catch (error) {
		const known = before?.others.find(profile => profile.name === name);
		const consequence = known ? 'the last good variables stay in place' : 'it counts as empty';
		return {
			profile: {name, paths, environment: known?.environment ?? environment, exists: true},
			problem: {file: paths.env, message: `${messageOf(error)}; ${consequence}`},
		};
	}
}

/** The facts that decide whether a profile is served here. */
type Serving = {
	/** The profile that this gateway runs in. */
	readonly profile: string;
	readonly multiplexProfiles: boolean;
};

/**
 * The profile to which a route's `profile` binds it: `default` if the key is absent or names the profile of this gateway. `undefined` for anything but a valid name (null,
 * blank, a number, a path): such a route belongs to no profile.
 *
 * @see manual/routes.md#keys
 */
export function boundProfile(written: unknown, {profile}: Serving): string | undefined {
	if (written === undefined || written === defaultProfile || written === profile) {
		return defaultProfile;
	}

	return typeof written === 'string' && namePattern.test(written) ? written : undefined;
}

/** The profile of a route, if this gateway serves it; `undefined` otherwise, for any reason. */
export function servedProfile(written: unknown, serving: Serving): string | undefined {
	const bound = boundProfile(written, serving);
	return bound === defaultProfile || serving.multiplexProfiles ? bound : undefined;
}

const direct: KeyPath = ['platforms', 'webhook', 'routes'];
const extra: KeyPath = ['platforms', 'webhook', 'extra', 'routes'];

/** The path of the static routes in `value` (all of `config.yaml`): "the `extra` value wins". @see manual/receiver.md#settings */
export const routesPlace = (value: unknown): KeyPath =>
	(valueAt(value, extra) ?? undefined) === undefined ? direct : extra;
