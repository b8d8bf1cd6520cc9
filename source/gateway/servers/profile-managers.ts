import type {Config, Profile} from '../../config/config.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import type {ServerView} from '../../core/tool-server.ts';
import type {Tool} from '../../core/tool.ts';
import type {ServerManager} from '../../mcp/contract.ts';
import type {ServerKey} from '../../store/port.ts';
import type {OpenManager} from './open-manager.ts';

/** The managers of tool servers that are open, one for each profile. Disposal closes them, also those that are being opened. */
export function createProfileManagers(given: {
	readonly config: () => Pick<Config, 'toolServers' | 'profiles'>;
	readonly openManager: OpenManager;
	readonly log: Logger;
	/** A server stands like this, with these tools; `undefined` while its manager is being opened. Must not throw. */
	readonly onChange: (view: ServerView, tools: readonly Tool[] | undefined) => void;
	/** A server is gone. Must not throw. */
	readonly onRemoved: (server: ServerKey) => void;
}) {
	const {config, openManager, log, onChange, onRemoved} = given;
	const managers = new Map<string, Promise<ServerManager>>();
	const opened = new Map<string, ServerManager>();
	let closed = false;

	const open = async ({name: profile, paths}: Profile): Promise<ServerManager> => {
		const manager = await openManager({
			profile,
			paths,
			environment: () => config().profiles.of(profile).environment,
			onChange(view) {
				onChange(view, opened.get(profile)?.tools().get(view.name));
			},
			onRemoved(name) {
				onRemoved({profile, name});
			},
		});
		if (closed) {
			await manager[Symbol.asyncDispose]();
			throw new SvcError('gateway_stopping', 'Cannot open tool servers: the gateway is stopping');
		}

		opened.set(profile, manager);
		await manager.apply(config().toolServers);
		return manager;
	};

	return {
		/** That of a profile, which is opened, with the servers of the configuration, when it is not yet. What fails is logged, and tried again the next time. */
		of(profile: Profile): Promise<ServerManager> {
			const known = managers.get(profile.name);
			if (known) {
				return known;
			}

			const manager = open(profile);
			managers.set(profile.name, manager);
			manager.catch((error: unknown) => {
				managers.delete(profile.name);
				log.error('Cannot open the tool servers', {
					profile: profile.name,
					error: messageOf(error),
				});
			});
			return manager;
		},
		/** Those that are open, by the profile's name. */
		opened: (): ReadonlyMap<string, ServerManager> => opened,
		/** Ends the connections of a profile; its servers are gone then. */
		async close(profile: string) {
			const manager = opened.get(profile);
			managers.delete(profile);
			opened.delete(profile);
			const names = manager?.views().map(({name}) => name) ?? [];
			await manager?.[Symbol.asyncDispose]();
			for (const name of names) {
				onRemoved({profile, name});
			}
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			await Promise.allSettled(managers.values());
			await Promise.all([...opened.values()].map(manager => manager[Symbol.asyncDispose]()));
		},
	};
}
