import {dayOf} from '../../core/api-keys/key-periods.ts';
import {every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {World} from '../../core/world.ts';
import type {StoredKeys} from '../../store/key-port.ts';
import type {KeyUsages} from './key-usage.ts';

const writeMs = 1000;

/** Writes each second what keys have used; what cannot be written stays to be written. Disposing of it writes the rest. */
export function startUsageWriter({
	clock,
	keys,
	usages,
	log,
	onUsed,
}: Pick<World, 'clock' | 'log'> & {
	readonly keys: Pick<StoredKeys, 'add'>;
	readonly usages: KeyUsages;
	/** The keys with these identifiers were used; all of them look otherwise, where there are none: another day has begun. */
	readonly onUsed: (ids: readonly string[]) => void;
}): AsyncDisposable {
	let writing: Promise<void> | undefined;
	let isFailing = false;
	let day = dayOf(clock.now());
	const tell = (ids: Iterable<string>) => {
		const today = dayOf(clock.now());
		if (today !== day) {
			day = today;
			onUsed([]);
			return;
		}

		const used = [...ids];
		if (used.length > 0) {
			onUsed(used);
		}
	};

	const write = async () => {
		const taken = usages.takeUnwritten();
		tell(taken.usedAt.keys());
		if (taken.usedAt.size === 0) {
			return;
		}

		try {
			await keys.add(taken.uses, taken.usedAt);
			isFailing = false;
		} catch (error) {
			taken.putBack();
			// Said once: the store says itself how it stands.
			if (!isFailing) {
				isFailing = true;
				log.warn('Cannot write what keys have used; it is tried again', {error: messageOf(error)});
			}
		}
	};

	const stop = every(clock, writeMs, () => {
		writing ??= write().finally(() => {
			writing = undefined;
		});
	});
	return {
		async [Symbol.asyncDispose]() {
			stop();
			await writing;
			await write();
		},
	};
}
