import {identifyHome, type StorePlace, storePlaceOf, usable} from '../../config/store-place.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {openStore} from '../../store/open-store.ts';
import type {LiveConfig} from '../live-config.ts';
import type {RoomWorld, StoreWait} from '../rooms.ts';

/** Whether other gateways may have the store open. True also for a broken setting, since a broken one never names a file. */
export function sharesStore({current}: Pick<LiveConfig, 'current'>): boolean {
	const {url, broken} = storePlaceOf(current());
	return url !== undefined || broken !== undefined;
}

/**
 * Opens the configured store and takes over the work of dead gateways in it; waits until a shared store is reachable. `node`: the name of this gateway there.
 *
 * @throws SvcError `store_unreadable`, `store_too_new` of a file; the reason of `ending`
 */
export async function openGatewayStore(
	world: Pick<RoomWorld, 'clock' | 'emit' | 'journalPages' | 'live' | 'log'>,
	waiting: StoreWait,
) {
	const {clock, emit, log, live, journalPages} = world;
	const isShared = sharesStore(live);
	let failing: string | undefined;
	const onFailing = (reason: string | undefined) => {
		// Each attempt opens a new store, which may report the same failure again.
		if (reason === failing) {
			return;
		}

		failing = reason;
		emit({
			type: 'store-failing',
			at: clock.now(),
			...(reason !== undefined && {reason: escapeLine(reason, 400)}),
		});
		// A store in a file logs its failures itself.
		if (isShared) {
			log[reason === undefined ? 'note' : 'error'](reason ?? 'The store can be reached again');
		}
	};

	const open = async ({url, ...place}: StorePlace) => {
		await using stack = new AsyncDisposableStack();
		const store = stack.use(
			await openStore(
				{clock, log, ending: waiting.ending, onFailing},
				{
					...place,
					...(url !== undefined && {url, ...(await identifyHome(live.current().paths))}),
					...(journalPages !== undefined && {maxPages: journalPages}),
				},
			),
		);
		const taken = await store.takeOver();
		// An earlier attempt's store reported the failure; this one works.
		if (failing !== undefined && (await store.health()).failing === undefined) {
			onFailing(undefined);
		}

		stack.move();
		return {store, taken, node: place.node, failing: () => failing};
	};

	if (!isShared) {
		return open(storePlaceOf(live.current()));
	}

	const {awaitStore} = await import('./await-store.ts');
	return awaitStore(async () => open(usable(storePlaceOf(live.current()))), {...world, ...waiting});
}
