import type {KeyDesk} from '../../api/keys/desk.ts';
import type {ApiConfig} from '../../config/config.ts';
import {SvcError} from '../../core/errors.ts';
import {personKey} from '../../core/origin.ts';
import type {World} from '../../core/world.ts';
import type {keys as table} from '../contract/keys.ts';
import type {CommandsOf} from '../contract/operation.ts';

/** The commands for keys of the chat API, for a running gateway or for a home without one. */
export function createKeyCommands(
	rooms: Pick<World, 'clock'> & {
		readonly api: {keys(): Promise<KeyDesk>};
		readonly live: {current(): {readonly api: Pick<ApiConfig, 'keyPrefix'>}};
	},
): CommandsOf<typeof table> {
	const prefixNow = () => rooms.live.current().api.keyPrefix;
	return {
		listKeys: async () => (await rooms.api.keys()).list(),
		async createKey(grant) {
			if (grant.expiresAt !== undefined && grant.expiresAt <= rooms.clock.now()) {
				throw new SvcError(
					'key_invalid',
					'Cannot make a key that has expired already: a later end',
				);
			}

			if (grant.name.trim() === personKey) {
				throw new SvcError(
					'key_invalid',
					`Cannot name a key "${personKey}": that is what the person at the terminal is called; another name`,
				);
			}

			return (await rooms.api.keys()).create(grant, prefixNow());
		},
		createFirstKey: async () => (await rooms.api.keys()).createFirst(prefixNow()),
		listKeyDays: async id => (await rooms.api.keys()).days(id),
		rotateKey: async (id, {overlapMs}) =>
			(await rooms.api.keys()).rotate(id, {overlapMs, prefix: prefixNow()}),
		revokeKey: async id => (await rooms.api.keys()).revoke(id),
	};
}
