import {basename, dirname} from 'node:path';
import {messageOf} from '../core/errors.ts';
import type {World} from '../core/world.ts';
import type {HomePaths} from './config.ts';
import {profilesFolder} from './home-paths.ts';

/** Depth of watched folders: the home, `profiles/`, and each profile. */
const depth = 2;

/** Debounce time: editors write a file in several steps. */
const debounceMs = 100;

/**
 * Calls `onChange` with the names of changed files among `config.yaml`, `.env` (also of profiles below `profiles/`) and `webhook_subscriptions.json`, and with `profiles`
 * when a profile was added or removed, once the home has been quiet for 100 ms. Watches folders, since a replaced file is another file. `onChange` must not throw; it is
 * not called after disposal.
 * If a folder cannot be watched, this is logged, and changes wait for the next reload.
 */
export function createConfigWatcher(
	world: Pick<World, 'clock' | 'log'> & {
		readonly paths: Pick<HomePaths, 'home' | 'config' | 'env' | 'subscriptions'>;
		readonly onChange: (files: ReadonlySet<string>) => void;
	},
) {
	const {paths, clock, onChange, log} = world;
	const files: ReadonlySet<string> = new Set([paths.config, paths.env, paths.subscriptions]);
	const profiles = profilesFolder(paths.home);
	let pending = new Set<string>();
	let cancel: (() => void) | undefined;
	let closed = false;

	const report = () => {
		const names = pending;
		pending = new Set();
		onChange(names);
	};

	const note = (name: string) => {
		if (!closed) {
			pending.add(name);
			cancel?.();
			cancel = clock.after(debounceMs, report);
		}
	};

	const complain = (error: unknown) => {
		log.warn(`Cannot watch "${paths.home}" for changes: ${messageOf(error)}`);
	};

	const isWatched = (path: string) =>
		path === paths.home ||
		files.has(path) ||
		path === profiles ||
		dirname(path) === profiles ||
		(dirname(dirname(path)) === profiles && basename(path) === basename(paths.env));
	const noteFile = (path: string) => {
		// Files beside the profile folders belong to no profile.
		if (dirname(path) !== profiles) {
			note(basename(path));
		}
	};

	const noteFolder = (path: string) => {
		if (dirname(path) === profiles) {
			note(basename(profiles));
		}
	};

	const start = async () => {
		const {watch} = await import('chokidar');
		const watcher = watch(paths.home, {
			depth,
			ignoreInitial: true,
			ignored: path => !isWatched(path),
		})
			.on('add', noteFile)
			.on('change', noteFile)
			.on('unlink', noteFile)
			.on('addDir', noteFolder)
			.on('unlinkDir', noteFolder)
			.on('error', complain);
		const ready = new Promise<void>(resolve => {
			watcher.once('ready', resolve);
		});
		// Wrapped in an object, so that the caller does not await the promise.
		return {watcher, ready};
	};

	const starting = start();
	return {
		/** Resolves once changes are noticed; earlier changes are not reported. */
		ready: starting.then(async ({ready}) => ready).catch(complain),
		async [Symbol.asyncDispose]() {
			closed = true;
			cancel?.();
			const watching = await starting.catch(() => undefined);
			await watching?.watcher.close();
		},
	};
}
