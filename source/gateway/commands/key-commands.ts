import type {KeyDesk} from '../../api/keys/desk.ts';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {personKey} from '../../core/run.ts';
import type {keys as table} from '../contract/keys.ts';
import type {CommandsOf} from '../contract/operation.ts';

/** The commands for keys of the chat API, of a gateway in this process or of a home without one. */
export const createKeyCommands = (
	clock: Clock,
	open: () => Promise<{
		readonly desk: KeyDesk;
		/** `api.key_prefix`. */
		readonly prefix: string;
	}>,
): CommandsOf<typeof table> => ({
	listKeys: async () => (await open()).desk.list(),
	async createKey(grant) {
		if (grant.expiresAt !== undefined && grant.expiresAt <= clock.now()) {
			throw new SvcError('key_invalid', 'Cannot make a key that has expired already: a later end');
		}

		if (grant.name.trim() === personKey) {
			throw new SvcError(
				'key_invalid',
				`Cannot name a key "${personKey}": that is what the person at the terminal is called; another name`,
			);
		}

		const {desk, prefix} = await open();
		return desk.create(grant, prefix);
	},
	async createFirstKey() {
		const {desk, prefix} = await open();
		return desk.createFirst(prefix);
	},
	listKeyDays: async id => (await open()).desk.days(id),
	async rotateKey(id, {overlapMs}) {
		const {desk, prefix} = await open();
		return desk.rotate(id, {overlapMs, prefix});
	},
	revokeKey: async id => (await open()).desk.revoke(id),
});
