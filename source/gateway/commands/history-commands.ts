import type {Clock} from '../../core/clock.ts';
import type {RouteCounts} from '../../core/route-counts.ts';
import type {
	HistoryItems,
	HistoryNoun,
	HistoryQuestion,
	HistoryStep,
} from '../../store/history/port.ts';
import type {history as table} from '../contract/history.ts';
import type {CommandsOf} from '../contract/operation.ts';
import {countRoutes} from '../history/count-routes.ts';
import type {Rooms} from '../rooms.ts';

/** How long what was counted is told again, milliseconds. */
const keptMs = 30_000;

/** The searches of a gateway in this process. */
export const createHistoryCommands = ({
	clock,
	rooms,
}: {
	readonly clock: Clock;
	readonly rooms: () => Promise<Pick<Rooms, 'store'>>;
}): CommandsOf<typeof table> => {
	/** `hungUp`: of an operation that `heedsHangUp`. */
	const searching =
		<Noun extends HistoryNoun>(noun: Noun) =>
		async (
			{filter = '', limit = 100, ...cursor}: Partial<HistoryQuestion> = {},
			hungUp?: AbortSignal,
		): Promise<HistoryStep<HistoryItems[Noun]>> => {
			const {store} = await rooms();
			return store.history.search(noun, {...cursor, filter, limit, now: clock.now()}, hungUp);
		};

	let counted: {readonly at: number; readonly counts: Promise<RouteCounts>} | undefined;
	const count = async (): Promise<RouteCounts> => {
		const {store} = await rooms();
		return countRoutes(store.history, clock.now());
	};

	return {
		async countRoutes() {
			const now = clock.monotonic();
			if (!counted || now - counted.at >= keptMs) {
				counted = {at: now, counts: count()};
			}

			const {counts} = counted;
			try {
				return await counts;
			} catch (error) {
				// Whoever asks next is not told of this one again.
				counted = counted.counts === counts ? undefined : counted;
				throw error;
			}
		},
		searchDeliveries: searching('deliveries'),
		searchRuns: searching('runs'),
		searchGroups: searching('groups'),
		searchApprovals: searching('approvals'),
	};
};
