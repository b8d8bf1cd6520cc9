import type {KeyDesk} from '../../api/keys/desk.ts';
import {ensureHome} from '../../config/home-paths.ts';
import type {StorePlace} from '../../config/store-place.ts';
import type {Approval} from '../../core/approval.ts';
import {sleep} from '../../core/clock.ts';
import {codeOf} from '../../core/errors.ts';
import {createIdSource} from '../../core/ids.ts';
import {silentLogger} from '../../core/log.ts';
import type {ReadCommands} from '../../gateway/commands/read-commands.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import type {HistoryStep} from '../../store/history/port.ts';
import type {Store} from '../../store/port.ts';
import type {StoreReader} from '../../store/reader-port.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {findGateway, servingContext} from './gateway-access.ts';

/** What can be read from a home, with or without a gateway. */
export type Home = ReadCommands & Pick<GatewayCommands, 'listKeys'> & AsyncDisposable;

/** What can be changed in a home, with or without a gateway. */
export type WritableHome = Home & {
	/** The gateway that makes the changes; absent if none runs. */
	readonly gateway?: GatewayCommands;
} & Pick<
		GatewayCommands,
		| 'createFirstKey'
		| 'createKey'
		| 'deleteSession'
		| 'importDeliveries'
		| 'listKeyDays'
		| 'revokeKey'
		| 'rotateKey'
	>;

/** How long a change waits for a home locked by another process: a command soon ends, and a starting gateway soon answers. */
export const changeLockWaitMs = 5000;

/** How often a locked home is tried again, in milliseconds. */
const lookMs = 50;

/**
 * Opens a context's home: through its gateway if one runs, else through its files and its store. `read`: locks, creates and changes nothing; for a profile served
 * by another home, deliveries, runs, groups and approvals come from there. `write`: locks the home until disposal; waits at most `lockWaitMs` while another
 * process holds the lock.
 *
 * @throws SvcError `gateway_running`, `gateway_silent`, `store_unreadable`, `store_too_new`
 */
export async function openHome(context: Context, mode: 'read'): Promise<Home>;
export async function openHome(
	context: Context,
	mode: 'write',
	options?: {readonly lockWaitMs?: number},
): Promise<WritableHome>;
export async function openHome(
	context: Context,
	mode: 'read' | 'write',
	{lockWaitMs = 0}: {readonly lockWaitMs?: number} = {},
): Promise<Home> {
	if (mode === 'read') {
		return (
			(await throughGateway(context)) ?? (await readElsewhere(context)) ?? (await readHome(context))
		);
	}

	const {clock} = context;
	const until = clock.monotonic() + lockWaitMs;
	for (;;) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- another command, or a gateway that starts, has the home for a moment
			return (await throughGateway(context)) ?? (await writeHome(context));
		} catch (error) {
			if (codeOf(error) !== 'gateway_running' || clock.monotonic() >= until) {
				throw error;
			}

			// oxlint-disable-next-line no-await-in-loop -- as above
			await sleep(clock, lookMs);
		}
	}
}

async function throughGateway(context: Context): Promise<WritableHome | undefined> {
	const gateway = await findGateway(context);
	return gateway && {...gateway, gateway, async [Symbol.asyncDispose]() {}};
}

async function readHome(context: Context): Promise<Home> {
	const commands = await readCommands(context);
	const {readStore} = await import('../../store/open-store.ts');
	const {warnOfBroken} = await import('../../store/broken-rows.ts');
	const warn = (text: string) => tell(context, text);
	const onBroken = warnOfBroken({clock: context.clock, log: {warn}});
	const store = await readStore(await placeOf(context), {onBroken});
	return {
		...commands(store),
		async listKeys() {
			const {createSharedMemory} = await import('../../store/shared-memory.ts');
			// Reading must not record any use of keys.
			const keys = {...store.keys, put: async () => [], async add() {}};
			await using desk = await keyDeskOf(context, {...createSharedMemory(context.clock), keys});
			return desk.list();
		},
		[Symbol.asyncDispose]: async () => store[Symbol.asyncDispose](),
	};
}

async function writeHome(context: Context): Promise<WritableHome> {
	const commands = await readCommands(context);
	const {createSessionDesk} = await import('../../store/session-desk.ts');
	const {createKeyCommands} = await import('../../gateway/commands/key-commands.ts');
	const {lockHome} = await import('../../gateway/control/lock.ts');
	const {openStore} = await import('../../store/open-store.ts');
	const {usableConfig} = await import('./receiver-facts.ts');
	const {identifyHome} = await import('../../config/store-place.ts');
	const {clock} = context;
	const paths = context.paths();
	ensureHome(paths);
	await using stack = new AsyncDisposableStack();
	stack.use(lockHome(paths));
	const place = await placeOf(context);
	const identity = place.url === undefined ? {} : await identifyHome(paths);
	const store = stack.use(await openStore({clock}, {...place, ...identity}));
	let desk: Promise<KeyDesk> | undefined;
	stack.defer(async () => (await desk?.catch(() => undefined))?.[Symbol.asyncDispose]());
	/** Opened at the first change of a key, so that unreadable keys block nothing else. */
	const keys = async () => {
		desk ??= keyDeskOf(context, store);
		return desk;
	};

	const sessions = createSessionDesk({clock, sessions: store.sessions, leases: store.leases});
	const ids = createIdSource(clock, store.lastId, store.share);
	const opened = stack.move();
	return {
		...commands(store),
		...createKeyCommands({clock, api: {keys}, live: {current: () => usableConfig(context)}}),
		deleteSession: async id => sessions.remove(id),
		async importDeliveries({deliveries}) {
			const {importDeliveries} = await import('../../gateway/deliveries/import-deliveries.ts');
			return importDeliveries(deliveries, {clock, ids, store, emit() {}});
		},
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

/** The location of the store by the configuration. @throws SvcError `journal_unavailable`: it cannot be told */
async function placeOf(context: Context): Promise<StorePlace> {
	const {readStorePlace} = await import('../../config/store-place.ts');
	return readStorePlace(context.paths(), context.environment);
}

async function keyDeskOf(
	{clock}: Context,
	{keys, limits, events}: Pick<Store, 'keys' | 'limits' | 'events'>,
): Promise<KeyDesk> {
	const {openKeyDesk} = await import('../../api/keys/key-desk.ts');
	return openKeyDesk({clock, keys, limits: limits.keys, events, log: silentLogger});
}

/** Reads a store without a gateway: no request waits, and only rules that outlive a gateway apply. */
async function readCommands(context: Context): Promise<(store: StoreReader) => ReadCommands> {
	const {createReadCommands} = await import('../../gateway/commands/read-commands.ts');
	const {outlivesGateway} = await import('../../core/approvals/keeper.ts');
	const {clock, environment} = context;
	return store =>
		createReadCommands({
			clock,
			store,
			paths: context.paths(),
			live: {
				async current() {
					const {loadConfig} = await import('../../config/load-config.ts');
					const loaded = loadConfig({paths: context.paths(), environment});
					// With a refused configuration no gateway starts, so nothing is purged.
					return loaded.ok ? loaded.config : {retention: undefined, platforms: {}};
				},
			},
			approvals: {
				waiting: () => [],
				async rules() {
					const now = clock.now();
					return (await store.approvals.rules()).filter(rule => outlivesGateway(rule, now));
				},
			},
		});
}

/** The most approvals that can wait. */
const maxWaiting = 200;

/** The waiting approvals, to describe runs that wait for one. */
export const waitingOf = async (home: Home): Promise<readonly Approval[]> =>
	home.listApprovals({state: 'waiting', limit: maxWaiting});

/** The records of a profile served by another home, combined with its own keys, sessions and chats. Loads nothing if there is no profile. */
async function readElsewhere(context: Context): Promise<Home | undefined> {
	const above = await servingContext(context);
	if (!above) {
		return undefined;
	}

	const stack = new AsyncDisposableStack();
	/** Opens a home on first use, so that a failure to open one of two does not affect the other. */
	const onDemand = (open: () => Promise<Home>) => {
		let home: Promise<Home> | undefined;
		stack.defer(async () => (await home?.catch(() => undefined))?.[Symbol.asyncDispose]());
		return async () => (home ??= open());
	};

	const own = onDemand(async () => readHome(context));
	const serving = onDemand(async () => openHome(above, 'read'));
	return {
		...partOf(serving, context.paths().profile),
		listKeys: async () => (await own()).listKeys(),
		listSessions: async filter => (await own()).listSessions(filter),
		getSession: async id => (await own()).getSession(id),
		searchSessions: async question => (await own()).searchSessions(question),
		listChats: async () => (await own()).listChats(),
		getChat: async name => (await own()).getChat(name),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

/** The records of a home that belong to one of its profiles. */
function partOf(home: () => Promise<Home>, profile: string) {
	type OfProfile = {readonly profile: string};
	const isOwn = (record: OfProfile) => record.profile === profile;
	const own = <T extends OfProfile>(record: T | undefined): T | undefined =>
		record && isOwn(record) ? record : undefined;
	const ownOf = <T extends OfProfile>(step: HistoryStep<T>): HistoryStep<T> => ({
		...step,
		items: step.items.filter(isOwn),
	});
	return {
		getDelivery: async id => own(await (await home()).getDelivery(id)),
		listDeliveries: async filter => (await home()).listDeliveries({...filter, profile}),
		searchDeliveries: async question => ownOf(await (await home()).searchDeliveries(question)),
		async countRoutes() {
			const counts = await (await home()).countRoutes();
			return {...counts, routes: counts.routes.filter(isOwn)};
		},
		getRun: async id => own(await (await home()).getRun(id)),
		listRuns: async filter => (await home()).listRuns({...filter, profile}),
		searchRuns: async question => ownOf(await (await home()).searchRuns(question)),
		sumRuns: async (question, hungUp) => (await home()).sumRuns({...question, profile}, hungUp),
		getGroup: async id => own(await (await home()).getGroup(id)),
		listGroups: async filter => (await home()).listGroups({...filter, profile}),
		searchGroups: async question => ownOf(await (await home()).searchGroups(question)),
		getApproval: async id => own(await (await home()).getApproval(id)),
		listApprovals: async filter => (await home()).listApprovals({...filter, profile}),
		searchApprovals: async question => ownOf(await (await home()).searchApprovals(question)),
		listApprovalRules: async () => (await (await home()).listApprovalRules()).filter(isOwn),
	} satisfies Partial<ReadCommands>;
}
