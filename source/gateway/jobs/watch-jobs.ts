import {basename} from 'node:path';
import type {FSWatcher} from 'chokidar';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';

const fileName = 'jobs.json';

/**
 * Calls `onChange` when a `jobs.json` in a watched folder is written, replaced or removed. The scheduler also polls the files, so a folder that cannot be watched only
 * causes a delay.
 */
export function createJobsWatcher({
	onChange,
	log,
}: {
	/** Must not throw; not called after disposal. */
	readonly onChange: () => void;
	readonly log: Logger;
}) {
	let watching: Promise<FSWatcher> | undefined;
	let watched: ReadonlySet<string> = new Set();
	let closed = false;

	const tell = () => {
		if (!closed) {
			onChange();
		}
	};

	const start = async (): Promise<FSWatcher> => {
		const {watch} = await import('chokidar');
		const watcher = watch([], {
			depth: 0,
			ignoreInitial: true,
			ignored: path => !watched.has(path) && basename(path) !== fileName,
		});
		return watcher
			.on('add', tell)
			.on('change', tell)
			.on('unlink', tell)
			.on('error', error => {
				log.warn(`Cannot watch the scheduled jobs for changes: ${messageOf(error)}`);
			});
	};

	const follow = async (before: ReadonlySet<string>, next: ReadonlySet<string>) => {
		watching ??= start();
		const watcher = await watching;
		if (!closed) {
			watcher.unwatch([...before].filter(path => !next.has(path)));
			watcher.add([...next].filter(path => !before.has(path)));
		}
	};

	return {
		/** Watches exactly the `cron/` folders at `paths`. */
		watch(paths: readonly string[]) {
			const before = watched;
			const next = new Set(paths);
			if (closed || (next.size === before.size && paths.every(path => before.has(path)))) {
				return;
			}

			watched = next;
			follow(before, next).catch((error: unknown) => {
				log.warn(`Cannot watch the scheduled jobs for changes: ${messageOf(error)}`);
			});
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			const watcher = await watching?.catch(() => undefined);
			await watcher?.close();
		},
	};
}
