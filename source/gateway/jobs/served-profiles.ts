import {existsSync} from 'node:fs';
import type {Config, HomePaths} from '../../config/config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import {lockForWriting} from '../../store/database-file.ts';
import {lockHome} from '../control/lock.ts';

const maxNameLength = 64;

/** How long the gateway may block on the journal of a profile that another process has open, milliseconds: the next look tries again. */
const waitMs = 5;

/** A profile whose home this process holds. `profile`: `default` for its own. */
type ServedProfile = {readonly profile: string; readonly paths: HomePaths};

/**
 * The profiles whose jobs this gateway fires. Of each other profile it takes the lock, so that no two gateways fire the same jobs; one whose lock another
 * live gateway holds is left to that one until it has ended.
 *
 * @see manual/files.md
 */
export function createServedProfiles(
	world: Pick<World, 'clock' | 'log'> & {
		/** The configuration as it is now. */
		readonly config: () => Pick<Config, 'paths' | 'profiles'>;
	},
) {
	const {config, clock, log} = world;
	const locks = new Map<string, Disposable>();
	/** Why a profile is not served, as it was said. */
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
		/** The own profile, then every other one whose home could be locked. Looks again for those that could not, or are new. */
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
		/** Why `profile` was not among them, one sentence without its end. */
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

/** @throws SvcError `gateway_running`, `store_in_use` by a gateway of its own whose lock was taken away */
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
