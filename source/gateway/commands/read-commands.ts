import type {Approvals} from '../../approvals/approvals.ts';
import type {Config} from '../../config/config.ts';
import type {ApprovalRule} from '../../core/approval.ts';
import type {RouteCounts} from '../../core/route-counts.ts';
import type {Run} from '../../core/run.ts';
import type {World} from '../../core/world.ts';
import type {
	HistoryItems,
	HistoryNoun,
	HistoryQuestion,
	HistoryStep,
} from '../../store/history/port.ts';
import type {StoreReader} from '../../store/reader-port.ts';
import {countRoutes} from '../history/count-routes.ts';
import type {GatewayCommands} from '../port.ts';
import type {Rooms} from '../rooms.ts';
import {createChatReads} from './chat-commands.ts';

/** How long counts are cached, milliseconds. */
const keptMs = 30_000;

/** Default period over which runs are summed, milliseconds. */
const sumMs = 7 * 86_400_000;

/** The commands that only read the journal, for a running gateway or for a home without one. */
export type ReadCommands = Pick<GatewayCommands, keyof ReturnType<typeof createReadCommands>>;

type ReadConfig = Pick<Config, 'platforms' | 'retention'>;

/** `nodesOfRuns`: which other gateway works on which run. The store does not record it; it is known from their events. @see ReadCommands */
export function createReadCommands(
	rooms: Pick<World, 'clock'> & {
		readonly store: StoreReader;
		readonly paths: Pick<Rooms['paths'], 'profile'>;
		readonly live: {
			/** Without `retention` nothing is removed. */
			current(): ReadConfig | Promise<ReadConfig>;
		};
		readonly approvals: Pick<Approvals, 'waiting'> & {
			rules(): readonly ApprovalRule[] | Promise<readonly ApprovalRule[]>;
		};
	},
	nodesOfRuns: () => ReadonlyMap<number, string> = () => new Map(),
) {
	/** `hungUp` aborts when the client disconnects; only operations with `heedsHangUp` get it. */
	const searching =
		<Noun extends HistoryNoun>(noun: Noun) =>
		async (
			{filter = '', limit = 100, ...cursor}: Partial<HistoryQuestion> = {},
			hungUp?: AbortSignal,
		): Promise<HistoryStep<HistoryItems[Noun]>> => {
			const now = rooms.clock.now();
			return rooms.store.history.search(noun, {...cursor, filter, limit, now}, hungUp);
		};

	const withNodes = <One extends Run>(runs: readonly One[]): readonly One[] => {
		const nodes = nodesOfRuns();
		return nodes.size === 0
			? runs
			: runs.map(run => {
					const node = run.state === 'queued' ? undefined : nodes.get(run.id);
					return node === undefined ? run : {...run, node};
				});
	};

	let counted: {readonly at: number; readonly counts: Promise<RouteCounts>} | undefined;

	return {
		listDeliveries: async filter => rooms.store.journal.list(filter),
		getDelivery: async id => rooms.store.journal.get(id),
		async countRoutes() {
			const now = rooms.clock.monotonic();
			if (!counted || now - counted.at >= keptMs) {
				counted = {at: now, counts: countRoutes(rooms.store.history, rooms.clock.now())};
			}

			const {counts} = counted;
			try {
				return await counts;
			} catch (error) {
				// A failure is not cached.
				counted = counted.counts === counts ? undefined : counted;
				throw error;
			}
		},
		listRuns: async filter => withNodes(await rooms.store.runs.list(filter)),
		async getRun(id) {
			const [run] = withNodes(
				[await rooms.store.runs.get(id)].filter(found => found !== undefined),
			);
			return run;
		},
		listGroups: async filter => rooms.store.groups.list(filter),
		getGroup: async id => rooms.store.groups.get(id),
		async listApprovals({state, ...filter}) {
			const {profile, limit} = filter;
			return state === 'waiting'
				? rooms.approvals
						.waiting()
						.filter(one => profile === undefined || one.profile === profile)
						.slice(0, limit)
				: rooms.store.approvals.settled(filter);
		},
		async getApproval(id) {
			// The journal has the request as first asked: without larger arguments and without extensions of its deadline.
			const waiting = rooms.approvals.waiting().find(one => one.id === id);
			return waiting ?? rooms.store.approvals.get(id);
		},
		listApprovalRules: async () => rooms.approvals.rules(),
		listSessions: async filter => rooms.store.sessions.list(filter),
		async getSession(id) {
			const {sessions} = rooms.store;
			const session = await sessions.get(id);
			return session && {...session, conversation: await sessions.messages(id)};
		},
		searchSessions: async ({text = '', limit}) => rooms.store.sessions.search(text, limit),
		...createChatReads(rooms),
		async sumRuns({by = 'route', since, profile} = {}, hungUp) {
			const until = rooms.clock.now();
			const from = since ?? until - sumMs;
			const {retention} = await rooms.live.current();
			const sums = await rooms.store.history.sum(
				{by, from, ...(profile !== undefined && {profile})},
				hungUp,
			);
			return {by, until, ...(retention && {keptMs: retention.rowMs}), ...sums};
		},
		searchDeliveries: searching('deliveries'),
		searchRuns: searching('runs'),
		searchGroups: searching('groups'),
		searchApprovals: searching('approvals'),
	} satisfies Partial<GatewayCommands>;
}
