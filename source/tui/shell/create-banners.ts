import {createMemory} from '../../core/derive.ts';
import {lossyRoutes, type LossyRoute} from '../../core/lost-events.ts';
import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {Line} from '../lines/line.ts';
import type {Snapshot} from '../state/feed.ts';
import type {ViewState} from '../state/view.ts';
import {bannerLines} from './banners.ts';
import {loginAlarm} from './login-alarm.ts';

/** How often a loss is looked at that may be over. */
const lossyEveryMs = 10_000;

/** How long a banner says that a route lost events; the status row does for an hour, where it takes no row of the pane. */
const lossBannerMs = 600_000;

/** What banners are told while the sheet is open, which says what waits itself. */
const noApprovals: GatewayState['approvals'] = [];

/** The banners of what is shown now; the same rows again while nothing of them changed. */
export function createBanners(): (
	view: Pick<ViewState, 'size' | 'overlay'>,
	snapshot: Pick<Snapshot, 'state' | 'now'>,
) => readonly Line[] {
	const remember = createMemory<readonly Line[]>();
	const findAlarm = createMemory<Safe | undefined>();
	const findLossy = createMemory<readonly LossyRoute[]>();
	return ({size: {columns, rows}, overlay}, {state, now}) => {
		const {gateway, webhook, api, problems, model, modelOffer, modelProblem, approvals} = state;
		const installs = overlay?.kind === 'install' ? undefined : state.installs;
		const isOpen = overlay?.kind === 'approval';
		const shown = isOpen ? noApprovals : approvals;
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
				shown,
				installs,
				lossy,
				alarm,
				second,
				columns,
				rows,
			],
			() =>
				bannerLines(
					{...state, approvals: shown, installs: installs ?? [], lossy, loginAlarm: alarm},
					{width: columns, rows, now},
				),
		);
	};
}
