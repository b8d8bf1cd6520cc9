import type {Logger} from '../../core/log.ts';
import {openSqliteStore} from '../../store/open-sqlite-store.ts';
import type {Store} from '../../store/port.ts';
import type {GatewayWorld} from '../rooms.ts';

/** The journal of a home, and whether it can be written. @throws SvcError as `openSqliteStore` does */
export async function openJournal(
	{clock, paths, journalPages}: GatewayWorld,
	{log}: {readonly log: Logger},
): Promise<{
	readonly store: Store;
	/** Why nothing can be written now, if so. */
	readonly failing: () => string | undefined;
}> {
	let failing: string | undefined;
	const store = await openSqliteStore(
		{
			clock,
			log: log.from('store'),
			onFailing(reason) {
				failing = reason;
			},
		},
		{file: paths.stateDb, ...(journalPages !== undefined && {maxPages: journalPages})},
	);
	return {store, failing: () => failing};
}
