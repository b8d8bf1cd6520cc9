import type {Clock} from '../../core/clock.ts';
import type {
	HistoryItems,
	HistoryNoun,
	HistoryQuestion,
	HistoryStep,
} from '../../store/history/port.ts';
import type {history as table} from '../contract/history.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms} from '../rooms.ts';

/** The searches of a gateway in this process. */
export const createHistoryCommands = ({
	clock,
	rooms,
}: {
	readonly clock: Clock;
	readonly rooms: () => Promise<Pick<Rooms, 'store'>>;
}): CommandsOf<typeof table> => {
	const search = async <Noun extends HistoryNoun>(
		noun: Noun,
		{filter = '', limit = 100, ...cursor}: Partial<HistoryQuestion> = {},
	): Promise<HistoryStep<HistoryItems[Noun]>> => {
		const {store} = await rooms();
		return store.history.search(noun, {...cursor, filter, limit, now: clock.now()});
	};

	return {
		searchDeliveries: async question => search('deliveries', question),
		searchRuns: async question => search('runs', question),
		searchGroups: async question => search('groups', question),
		searchApprovals: async question => search('approvals', question),
	};
};
