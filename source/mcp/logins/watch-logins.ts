import {join} from 'node:path';
import {stampOf} from '../../config/text-files.ts';
import {every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {World} from '../../core/world.ts';
import {fileStem} from '../oauth/grant-files.ts';
import type {LoginStorage} from '../oauth/login-shelf.ts';

/** Polls as well, since not every file system reports changes. */
const lookMs = 30_000;

const nothing = () => {};

export type LoginWatcher = AsyncDisposable & {
	/** Watches a server's login from now on; further calls do nothing. The first call starts watching the folder. */
	add(server: string): void;
	/** Resolves once changes are noticed at once. */
	ready(): Promise<void>;
};

/** Reports changes of a server's tokens: by a login in another shell, a renewal, or a logout. `onChange` must not throw, and is not called after disposal. */
export function watchLogins({
	place,
	...world
}: Pick<World, 'clock' | 'log'> & {
	/** `mcp-tokens/` of the profile, which exists, or the texts shared by members. */
	readonly place: LoginStorage;
	readonly onChange: (server: string) => void;
}): LoginWatcher {
	return typeof place === 'string'
		? watchFolder({folder: place, ...world})
		: watchShared(place, world.onChange);
}

function watchShared(
	logins: Exclude<LoginStorage, string>,
	onChange: (server: string) => void,
): LoginWatcher {
	const servers = new Map<string, string>();
	const stop = logins.subscribe(file => {
		const server = servers.get(file);
		if (server !== undefined) {
			onChange(server);
		}
	});
	return {
		add: server => servers.set(`${fileStem(server)}.json`, server),
		async ready() {},
		async [Symbol.asyncDispose]() {
			stop();
		},
	};
}

function watchFolder(
	world: Pick<World, 'clock' | 'log'> & {
		readonly folder: string;
		readonly onChange: (server: string) => void;
	},
): LoginWatcher {
	const {folder, clock, log, onChange} = world;
	const stamps = new Map<string, string>();
	let closed = false;
	let stopLooking = nothing;
	let watching: Promise<{close(): Promise<void>} | undefined> | undefined;

	const stampOfLogin = (server: string) => stampOf(join(folder, `${fileStem(server)}.json`)).stamp;

	const look = () => {
		for (const [server, before] of closed ? [] : stamps) {
			const now = stampOfLogin(server);
			if (now !== before) {
				stamps.set(server, now);
				onChange(server);
			}
		}
	};

	const start = async () => {
		const {watch} = await import('chokidar');
		if (closed) {
			return undefined;
		}

		const watcher = watch(folder, {depth: 0, ignoreInitial: true});
		watcher.on('all', look).on('error', error => {
			log.warn(`Cannot watch "${folder}" for changes: ${messageOf(error)}`);
		});
		await new Promise<void>(resolve => watcher.once('ready', resolve));
		// Catches changes made while the watch was starting.
		look();
		return watcher;
	};

	return {
		add(server) {
			if (stamps.has(server) || closed) {
				return;
			}

			stamps.set(server, stampOfLogin(server));
			if (!watching) {
				stopLooking = every(clock, lookMs, look);
				watching = start().catch((error: unknown) => {
					log.warn(`Cannot watch "${folder}" for changes: ${messageOf(error)}`);
					return undefined;
				});
			}
		},
		async ready() {
			await watching;
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			stopLooking();
			await (await watching)?.close();
		},
	};
}
