import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {sleep} from '../../core/clock.ts';
import {codeOf, SvcError} from '../../core/errors.ts';
import {silentLogger} from '../../core/log.ts';
import type {keys as table} from '../../gateway/contract/keys.ts';
import type {CommandsOf} from '../../gateway/contract/operation.ts';
import type {Context} from '../console/context.ts';
import {findGateway} from '../home/gateway-access.ts';

/** What can be done with keys, and the way out. */
export type OpenKeys = AsyncDisposable & {
	readonly keys: CommandsOf<typeof table>;
	/** Where the chat API listens, if it does now. */
	readonly url?: string;
};

/**
 * The keys of the home: of its gateway, which heeds a change at once, or of its journal when none runs, which is locked for as long.
 *
 * @throws SvcError as `loadConfig`, `lockHome` and `openSqliteStore` do
 */
export async function openKeys(context: Context): Promise<OpenKeys> {
	const {clock} = context;
	const until = clock.monotonic() + lockWaitMs;
	for (;;) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- another command, or a gateway that starts, has the home for a moment
			return await openOnce(context);
		} catch (error) {
			if (codeOf(error) !== 'gateway_running' || clock.monotonic() >= until) {
				throw error;
			}

			// oxlint-disable-next-line no-await-in-loop -- as above
			await sleep(clock, lookMs);
		}
	}
}

/** How long another command may have the home, and how often it is looked. */
const lockWaitMs = 5000;
const lookMs = 50;

async function openOnce(context: Context): Promise<OpenKeys> {
	const gateway = await findGateway(context);
	if (gateway) {
		const {api} = await gateway.status();
		return {
			keys: gateway,
			...('url' in api && {url: api.url}),
			async [Symbol.asyncDispose]() {},
		};
	}

	const [{openKeyDesk}, {createKeyCommands}, {lockHome}, {openSqliteStore}, {loadConfig}] =
		await Promise.all([
			import('../../api/keys/key-desk.ts'),
			import('../../gateway/commands/key-commands.ts'),
			import('../../gateway/control/lock.ts'),
			import('../../store/open-sqlite-store.ts'),
			import('../../config/load-config.ts'),
		]);
	const {clock} = context;
	const paths = context.paths();
	const loaded = loadConfig({paths, environment: context.environment});
	if (!loaded.ok) {
		throw new SvcError(
			'config_refused',
			`Cannot read the configuration: ${loaded.problems[0] ? formatDiagnostic(loaded.problems[0]) : 'see "svc config check"'}`,
		);
	}

	const prefix = loaded.config.api.keyPrefix;
	ensureHome(paths);
	await using stack = new AsyncDisposableStack();
	stack.use(lockHome(paths));
	const store = stack.use(await openSqliteStore({clock}, {file: paths.stateDb}));
	const desk = stack.use(await openKeyDesk({clock, keys: store.keys, log: silentLogger}));
	const opened = stack.move();
	return {
		keys: createKeyCommands(clock, async () => ({desk, prefix})),
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

/** To look at them: nothing is locked, and a home that has none stays as it is. */
export async function listKeys(context: Context) {
	const gateway = await findGateway(context);
	if (gateway) {
		return gateway.listKeys();
	}

	const [{openKeyDesk}, {openSqliteReader}] = await Promise.all([
		import('../../api/keys/key-desk.ts'),
		import('../../store/sqlite-reader.ts'),
	]);
	await using reader = await openSqliteReader(context.paths().stateDb);
	const keys = {
		...reader.keys,
		// Nothing is used by looking.
		put: async () => [],
		async add() {},
	};
	await using desk = await openKeyDesk({clock: context.clock, keys, log: silentLogger});
	return desk.list();
}
