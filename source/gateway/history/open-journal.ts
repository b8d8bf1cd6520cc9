import type {Logger} from '../../core/log.ts';
import {openStore} from '../../store/open-store.ts';
import type {Store} from '../../store/port.ts';
import type {GatewayWorld} from '../rooms.ts';

/** The journal of a home, and whether it can be written. @throws SvcError as `openStore` does */
export async function openJournal(
	{clock, paths, journalPages}: GatewayWorld,
	{log}: {readonly log: Logger},
): Promise<{
	readonly store: Store;
	/** Why nothing can be written now, if so. */
	readonly failing: () => string | undefined;
}> {
	let failing: string | undefined;
	const store = await openStore(
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
