import type {Clock} from '../../core/clock.ts';
import {fileStem} from './grant-files.ts';
import {loginShelf, type LoginStorage} from './login-shelf.ts';

/** Tokens first: a concurrent reader then finds no login, rather than half of one. */
const endings = ['.json', '.client.json', '.meta.json', '.cimd-off'] as const;

/**
 * Deletes everything stored for a server's login, after waiting for a renewal in progress. Returns whether there was a login.
 *
 * @throws SvcError `lock_timeout`, `lock_failed`
 */
export async function forgetLogin(
	place: LoginStorage,
	{server, clock}: {readonly server: string; readonly clock: Clock},
): Promise<boolean> {
	const shelf = loginShelf(place, {server, stem: fileStem(server)});
	if (![...endings, '.lock'].some(ending => shelf.has(ending))) {
		return false;
	}

	return shelf.exclusively(
		async () => {
			const had = shelf.has('.json');
			for (const ending of endings) {
				// oxlint-disable-next-line no-await-in-loop -- in their order
				await shelf.remove(ending);
			}

			return had;
		},
		{clock, removes: true},
	);
}
