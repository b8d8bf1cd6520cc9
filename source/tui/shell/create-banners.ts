import {createMemory} from '../../core/derive.ts';
import type {Run} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import {needsServer} from '../../core/toolsets.ts';
import {lossyRoutes, type LossyRoute} from '../../core/traffic.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {serverName} from '../../nouns/server/server.ts';
import {clip} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Dialog} from '../acts/dialog.ts';
import type {Snapshot} from '../state/feed.ts';
import {
	type Banner,
	type BannerState,
	bannerParts,
	bannersOf,
	maxNameCells,
	moreText,
} from './banners.ts';

/** How often to check whether a loss is over. */
const lossyEveryMs = 10_000;

/** How long a banner reports lost events. The status row, which takes no room from the pane, does so for an hour. */
const lossBannerMs = 600_000;

/** Replaces the items that the open dialog shows itself, so that no banner names them. */
const nothing: readonly never[] = [];

/** Creates a function that returns the current banners; memoised. */
export function createBanners(): (
	snapshot: Pick<Snapshot, 'state' | 'now'>,
	/** The waiting requests that the open dialog shows itself. */
	told?: Dialog['tells'],
) => readonly Banner[] {
	const remember = createMemory<readonly Banner[]>();
	const findAlarm = createMemory<Safe | undefined>();
	const findLossy = createMemory<readonly LossyRoute[]>();
	return ({state, now}, told) => {
		const lossy = findLossy([state.deliveries, state.routes, Math.floor(now / lossyEveryMs)], () =>
			lossyRoutes(state, now).filter(({lastAt}) => now - lastAt < lossBannerMs),
		);
		const seen: BannerState = {
			...state,
			...(told && {[told]: nothing}),
			lossy,
			loginAlarm: findAlarm([state.servers, state.runs, state.routes], () => loginAlarm(state)),
		};
		const counts = seen.approvals.length > 0 || (seen.installs ?? nothing).length > 0;
		const second = counts ? Math.floor(now / 1000) : 0;
		const inputs = [...bannerParts.map(part => seen[part]), lossy, seen.loginAlarm, second];
		return remember(inputs, () => bannersOf(seen, now));
	};
}

/**
 * Names the tool server that needs a login while runs wait for it, or while agents work without its tools. Runs whose route names other toolsets do not count.
 * `undefined` if there is none.
 */
export function loginAlarm({
	servers,
	runs,
	routes,
}: Pick<GatewayState, 'servers' | 'runs' | 'routes'>): Safe | undefined {
	const wanting = servers.filter(({status}) => status === 'needs login');
	if (wanting.length === 0) {
		return undefined;
	}

	const mayWant = ({route, profile}: Run, server: string): boolean =>
		needsServer(
			routes.find(one => one.name === route && one.profile === profile)?.toolsets,
			server,
		);
	const [first, ...others] = wanting
		.map(server => {
			const own = runs.filter(({profile}) => profile === server.profile);
			return {
				server,
				waiting: own.filter(({awaitsLogins}) => awaitsLogins?.includes(server.name)).length,
				working: own.filter(run => run.state === 'running' && mayWant(run, server.name)).length,
			};
		})
		.filter(({waiting, working}) => waiting + working > 0)
		.toSorted((a, b) => b.waiting - a.waiting);
	if (!first) {
		return undefined;
	}

	const {server, waiting, working} = first;
	const what =
		waiting > 0
			? safe`${waiting} ${waiting === 1 ? literal('run waits') : literal('runs wait')} for it`
			: safe`${working} ${working === 1 ? literal('run is') : literal('runs are')} under way without it`;
	return safe`! ${clip(escapeLine(serverName(server)), maxNameCells)}${moreText(others)} needs a login: ${what}`;
}
