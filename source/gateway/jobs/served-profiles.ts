import {existsSync} from 'node:fs';
import type {Config, HomePaths} from '../../config/config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import {lockForWriting} from '../../store/database-file.ts';
import {lockHome} from '../control/lock.ts';

const maxNameLength = 64;

/** How long to block on the journal of a profile that another process has open, milliseconds: the next look tries again. */
const waitMs = 5;

/** A profile whose home this process has locked. `profile`: `default` for its own. */
type ServedProfile = {readonly profile: string; readonly paths: HomePaths};

/**
 * The profiles whose jobs this gateway fires. It locks the home of each other profile, so that no two gateways fire the same jobs; a profile locked by another gateway is
 * left to that one until it ends.
 *
 * @see manual/files.md
 */
export function createServedProfiles(
	world: Pick<World, 'clock' | 'log'> & {
		/** Returns the current configuration. */
		readonly config: () => Pick<Config, 'paths' | 'profiles'>;
	},
) {
	const {config, clock, log} = world;
	const locks = new Map<string, Disposable>();
	/** Logged reasons why profiles are not served. */
	const said = new Map<string, string>();

	const take = (name: string, paths: HomePaths) => {
		try {
			ensureHome(paths);
			locks.set(name, lockProfile(paths, {clock, log}));
			said.delete(name);
		} catch (error) {
			const reason = messageOf(error);
			if (said.get(name) !== reason) {
				said.set(name, reason);
				log.warn(`The ${notFired(name)}: ${reason}`);
			}
		}
	};

	const release = (name: string) => {
		locks.get(name)?.[Symbol.dispose]();
		locks.delete(name);
	};

	return {
		/** The own profile, and every other one whose home could be locked. Tries again to lock those that failed or are new. */
		current(): readonly ServedProfile[] {
			const {paths, profiles} = config();
			const names = new Set(profiles.others.map(({name}) => name));
			for (const name of [...locks.keys()].filter(known => !names.has(known))) {
				release(name);
			}

			for (const name of [...said.keys()].filter(known => !names.has(known))) {
				said.delete(name);
			}

			for (const {name, paths: other} of profiles.others) {
				if (!locks.has(name)) {
					take(name, other);
				}
			}

			return [
				{profile: 'default', paths},
				...profiles.others
					.filter(({name}) => locks.has(name))
					.map(({name, paths: other}) => ({profile: name, paths: other})),
			];
		},
		/** Why `profile` is not served, a sentence without its full stop. */
		whyNot(profile: string): string {
			const reason = said.get(profile) ?? 'no such profile is served';
			return `the ${notFired(escapeLine(profile, maxNameLength))}: ${reason}`;
		},
		[Symbol.dispose]() {
			for (const name of locks.keys()) {
				release(name);
			}
		},
	};
}

/** @throws SvcError `gateway_running`; `store_in_use` if the profile's own gateway runs although its lock file was removed */
function lockProfile(paths: HomePaths, world: Pick<World, 'clock' | 'log'>): Disposable {
	using stack = new DisposableStack();
	const lock = stack.use(lockHome(paths));
	if (existsSync(paths.stateDb)) {
		lockForWriting(paths.stateDb, {waitMs})[Symbol.dispose]();
	}

	stack.use(lock.watch(world));
	return stack.move();
}

const notFired = (name: string): string => `jobs of profile "${name}" are not fired here`;
