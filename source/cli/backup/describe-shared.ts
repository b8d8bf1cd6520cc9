import {readStorePlace} from '../../config/store-place.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';

/** Says of a home whose store is a database that an archive has only the files: the rest is backed up where it is. A setting that cannot be used names no database. */
export async function describeShared(context: Context, act: 'backup' | 'restore'): Promise<void> {
	const place = await readStorePlace(context.paths({mayBeNew: true}), context.environment).catch(
		() => undefined,
	);
	if (place?.url === undefined) {
		return;
	}

	const {host, pathname} = new URL(place.url);
	const where = `deliveries, runs, keys, sessions, subscriptions and jobs are in postgres://${host}${pathname}`;
	tell(
		context,
		act === 'backup'
			? `No journal is in the archive: ${where}. Back the database up with pg_dump`
			: `No journal was restored: ${where}. Where the database is lost, too, restore it with pg_restore, from what pg_dump made`,
	);
}
