import {ensureHome} from '../../config/home-paths.ts';
import type {StoredDelivery} from '../../core/delivery.ts';
import {createIdSource} from '../../core/ids.ts';
import type {Context} from '../console/context.ts';

/** Takes deliveries into a journal. */
export type Importer = AsyncDisposable & {
	import(deliveries: readonly StoredDelivery[]): Promise<number>;
};

/**
 * Opens the journal of a home whose gateway does not run, for writing. The home is locked for as long.
 *
 * @throws SvcError `gateway_running`, `store_unreadable`, `store_too_new`
 */
export async function openImporter(context: Context): Promise<Importer> {
	const [{lockHome}, {importDeliveries}, {openSqliteStore}] = await Promise.all([
		import('../../gateway/control/lock.ts'),
		import('../../gateway/deliveries/import-deliveries.ts'),
		import('../../store/open-sqlite-store.ts'),
	]);
	const {clock} = context;
	const paths = context.paths();
	ensureHome(paths);
	await using stack = new AsyncDisposableStack();
	stack.use(lockHome(paths));
	const store = stack.use(await openSqliteStore({clock}, {file: paths.stateDb}));
	const ids = createIdSource(clock, store.lastId);
	const opened = stack.move();
	return {
		import: async deliveries =>
			importDeliveries(deliveries, {clock, ids, intake: store.intake, emit() {}}),
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}
