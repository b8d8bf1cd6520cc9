import {idOfNumber, timeOfNumber} from '../../core/ids.ts';
import {hourMs, hoursOfDay, type RouteCounts} from '../../core/route-counts.ts';
import type {TrafficMinute} from '../../core/traffic.ts';
import type {CountQuestion, HistorySearching, PartCount} from '../../store/history/port.ts';

type Counting = Pick<HistorySearching, 'count'>;

/** Maximum number of steps, of about 60 ms each; older rows are not counted, and `since` says from where. */
const mostSteps = 15;

const minuteMs = 60_000;

/** Counts in steps, so that other queries of the history run between them. */
async function countAll(history: Counting, asked: CountQuestion) {
	const all: PartCount[] = [];
	let newest: number | undefined;
	let searchedTo: number | undefined;
	for (let step = 0; step < mostSteps; step += 1) {
		const question = searchedTo === undefined ? asked : {...asked, before: searchedTo};
		// oxlint-disable-next-line no-await-in-loop -- each step says where the next one begins
		const {counts, ...rest} = await history.count(question);
		all.push(...counts);
		newest ??= rest.newest;
		({searchedTo} = {searchedTo: undefined, ...rest});
		if (searchedTo === undefined) {
			break;
		}
	}

	return {
		all,
		newest,
		since: searchedTo === undefined ? asked.from : Math.max(asked.from, timeOfNumber(searchedTo)),
	};
}

/** Counts the deliveries of the day before `now`, by route. @throws SvcError `history_unreadable`, `history_busy` */
export async function countRoutes(history: Counting, now: number): Promise<RouteCounts> {
	const from = now - hoursOfDay * hourMs;
	const {all, newest, since} = await countAll(history, {from, partMs: hourMs});
	const routes = new Map<string, {-readonly [Key in keyof Counted]: Counted[Key]}>();
	for (const {profile, route, part, received, taken, refused} of all) {
		if (route !== '') {
			const key = `${profile}/${route}`;
			const sum = routes.get(key) ?? {profile, route, ...nothing()};
			routes.set(key, sum);
			sum.taken += taken;
			sum.refused += refused;
			sum.ignored += received - taken - refused;
			const hour = Math.min(hoursOfDay - 1, part);
			sum.hours[hour] = (sum.hours[hour] ?? 0) + received;
		}
	}

	return {
		since,
		until: now,
		routes: [...routes.values()],
		...(newest !== undefined && {newest: idOfNumber(newest)}),
	};
}

type Counted = Omit<RouteCounts['routes'][number], 'hours'> & {readonly hours: number[]};

const nothing = () => ({
	taken: 0,
	ignored: 0,
	refused: 0,
	hours: Array.from({length: hoursOfDay}, () => 0),
});

/** Counts the deliveries of the last `minutes` before `now`, by minute, oldest first. Same errors. */
export async function countMinutes(
	history: Counting,
	{now, minutes}: {readonly now: number; readonly minutes: number},
): Promise<readonly TrafficMinute[]> {
	const first = Math.floor(now / minuteMs) - minutes + 1;
	const {all} = await countAll(history, {from: first * minuteMs, partMs: minuteMs});
	const byMinute = Map.groupBy(all, ({part}) => first + part);
	return [...byMinute]
		.map(([minute, counts]) => ({
			minute,
			received: counts.reduce((sum, {received}) => sum + received, 0),
			refused: counts.reduce((sum, {refused}) => sum + refused, 0),
		}))
		.toSorted((one, other) => one.minute - other.minute);
}
