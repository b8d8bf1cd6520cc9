import {basename} from 'node:path';
import type {FSWatcher} from 'chokidar';
import type {Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';
import type {HomePaths} from './config.ts';

/** Editors write a file in several steps. */
const debounceMs = 100;

export type ConfigWatcher = {
	/** Resolves once changes are seen; those that were made earlier are not reported. */
	readonly ready: Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
};

/**
 * Calls `onChange` with the names of those of `config.yaml`, `.env` and `webhook_subscriptions.json` that changed, once the home has been quiet for
 * 100 ms. Watches the folder, since a file that is replaced is another file. `onChange` must not throw; it is not called after disposal.
 * A folder that cannot be watched is logged: then changes wait for a reload that somebody asks for.
 */
export function createConfigWatcher({
	paths,
	clock,
	onChange,
	log,
}: {
	readonly paths: Pick<HomePaths, 'home' | 'config' | 'env' | 'subscriptions'>;
	readonly clock: Clock;
	readonly onChange: (files: ReadonlySet<string>) => void;
	readonly log: Logger;
}): ConfigWatcher {
	const names = new Set([paths.config, paths.env, paths.subscriptions].map(path => basename(path)));
	let pending = new Set<string>();
	let cancel: (() => void) | undefined;
	let closed = false;

	const report = () => {
		const files = pending;
		pending = new Set();
		onChange(files);
	};

	const note = (path: string) => {
		if (!closed) {
			pending.add(basename(path));
			cancel?.();
			cancel = clock.after(debounceMs, report);
		}
	};

	const complain = (error: unknown) => {
		log.warn(`Cannot watch "${paths.home}" for changes: ${messageOf(error)}`);
	};

	const starting = start({home: paths.home, names, note, complain});
	return {
		ready: starting.then(watching => watching?.ready).catch(complain),
		async [Symbol.asyncDispose]() {
			closed = true;
			cancel?.();
			const watching = await starting.catch(() => undefined);
			await watching?.watcher.close();
		},
	};
}

type Watching = {readonly watcher: FSWatcher; readonly ready: Promise<void>};

async function start({
	home,
	names,
	note,
	complain,
}: {
	readonly home: string;
	readonly names: ReadonlySet<string>;
	readonly note: (path: string) => void;
	readonly complain: (error: unknown) => void;
}): Promise<Watching> {
	const {watch} = await import('chokidar');
	const watcher = watch(home, {
		depth: 0,
		ignoreInitial: true,
		ignored: path => path !== home && !names.has(basename(path)),
	});
	const ready = new Promise<void>(resolve => {
		watcher.once('ready', resolve);
	});
	watcher.on('add', note).on('change', note).on('unlink', note).on('error', complain);
	return {watcher, ready};
}
