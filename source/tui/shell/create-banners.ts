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
import {type Banner, bannersOf} from './banners.ts';

/** How often a loss is looked at that may be over. */
const lossyEveryMs = 10_000;

/** How long a banner says that a route lost events; the status row does for an hour, where it takes no row of the pane. */
const lossBannerMs = 600_000;

/** What banners are told while the sheet is open, which says what waits itself. */
const noApprovals: GatewayState['approvals'] = [];

/** The banners of what is shown now; the same ones again while nothing of them changed. */
export function createBanners(): (
	snapshot: Pick<Snapshot, 'state' | 'now'>,
	/** What the open dialog tells itself. */
	told?: Dialog['tells'],
) => readonly Banner[] {
	const remember = createMemory<readonly Banner[]>();
	const findAlarm = createMemory<Safe | undefined>();
	const findLossy = createMemory<readonly LossyRoute[]>();
	return ({state, now}, told) => {
		const {gateway, webhook, api, problems, platforms, routes, approvals} = state;
		const {model, modelOffer, modelProblem, modelSilence} = state;
		const installs = told === 'installs' ? undefined : state.installs;
		const shown = told === 'approvals' ? noApprovals : approvals;
		const lossy = findLossy([state.deliveries, state.routes, Math.floor(now / lossyEveryMs)], () =>
			lossyRoutes(state, now).filter(({lastAt}) => now - lastAt < lossBannerMs),
		);
		const alarm = findAlarm([state.servers, state.runs, state.routes], () => loginAlarm(state));
		const second = shown.length === 0 && !installs?.length ? 0 : Math.floor(now / 1000);
		return remember(
			[
				gateway,
				webhook,
				api,
				problems,
				model,
				modelOffer,
				modelProblem,
				modelSilence,
				platforms,
				routes,
				shown,
				installs,
				lossy,
				alarm,
				second,
			],
			() =>
				bannersOf(
					{...state, approvals: shown, installs: installs ?? [], lossy, loginAlarm: alarm},
					now,
				),
		);
	};
}

const maxNameCells = 32;

/** Names the tool server that wants a login while runs wait for it, or agents are at work that would have its tools: those do without. A run whose route names other toolsets is not among them. `undefined`: none. */
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
	const more = others.length > 0 ? ` (+${others.length})` : '';
	const what =
		waiting > 0
			? safe`${waiting} ${waiting === 1 ? literal('run waits') : literal('runs wait')} for it`
			: safe`${working} ${working === 1 ? literal('run is') : literal('runs are')} under way without it`;
	return safe`! ${clip(escapeLine(serverName(server)), maxNameCells)}${escapeLine(more)} needs a login: ${what}`;
}
