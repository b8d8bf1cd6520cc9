import {identifyHome, type StorePlace, storePlaceOf, usable} from '../../config/store-place.ts';
import type {Logger} from '../../core/log.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import {openStore} from '../../store/open-store.ts';
import type {Store} from '../../store/port.ts';
import type {TakenOver} from '../../store/shared-port.ts';
import type {LiveConfig} from '../live-config.ts';
import type {GatewayWorld} from '../rooms.ts';

/** The store of a gateway, open, and what dead gateways had left in it. */
export type OpenedStore = {
	readonly store: Store;
	readonly taken: TakenOver;
	/** Others may have it open, too. */
	readonly isShared: boolean;
	/** What this gateway is called there. */
	readonly node: string;
	/** Why nothing can be written to it now, if so. */
	readonly failing: () => string | undefined;
};

type Waiting = {
	/** The store cannot be opened now, and is tried again; `undefined`: it is open. */
	readonly onWaiting: (reason: string | undefined) => void;
	/** Aborts when the gateway ends. */
	readonly ending: AbortSignal;
};

/** Whether others may have the store open, too; also one that cannot be told is none of a file. */
export function sharesStore({current}: Pick<LiveConfig, 'current'>): boolean {
	const {url, broken} = storePlaceOf(current());
	return url !== undefined || broken !== undefined;
}

/**
 * Opens the store that the configuration says, and takes over what dead gateways left. One that is shared is waited for.
 *
 * @throws SvcError `store_unreadable`, `store_too_new` of a file; the reason of `ending`
 */
export async function openGatewayStore(
	world: Pick<World, 'clock' | 'emit'> &
		Pick<GatewayWorld, 'journalPages'> & {readonly log: Logger; readonly live: LiveConfig},
	waiting: Waiting,
): Promise<OpenedStore> {
	const {clock, emit, log, live, journalPages} = world;
	const isShared = sharesStore(live);
	let failing: string | undefined;
	const onFailing = (reason: string | undefined) => {
		// Each try to open it has a store of its own, which says the same.
		if (reason === failing) {
			return;
		}

		failing = reason;
		emit({
			type: 'store-failing',
			at: clock.now(),
			...(reason !== undefined && {reason: escapeLine(reason, 400)}),
		});
		// Of its file the store says that by itself.
		if (isShared) {
			tellOfStore(log, reason);
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
		// What failed was told by the store of an earlier try.
		if (failing !== undefined && (await store.health()).failing === undefined) {
			onFailing(undefined);
		}

		stack.move();
		return {store, taken, isShared, node: place.node, failing: () => failing};
	};

	if (!isShared) {
		return open(storePlaceOf(live.current()));
	}

	const {awaitStore} = await import('./await-store.ts');
	return awaitStore(async () => open(usable(storePlaceOf(live.current()))), {...world, ...waiting});
}

function tellOfStore(log: Logger, reason: string | undefined): void {
	if (reason === undefined) {
		log.note('The store can be reached again');
	} else {
		log.error(reason);
	}
}
