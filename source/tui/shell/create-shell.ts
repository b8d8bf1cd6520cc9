import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {GatewayState} from '../../core/state.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {createGuard} from '../approvals/guard.ts';
import {ringForApprovals} from '../approvals/ring.ts';
import {closeSettled} from '../commands/sheet.ts';
import {createDetails} from '../panes/detail.ts';
import {holdSection} from '../panes/groups/sections.ts';
import {clean, type Line} from '../panes/line.ts';
import {paneOf} from '../panes/pane.ts';
import {createMemory} from '../panes/remember.ts';
import {createFeed, feedIntervals, type Feed} from '../state/feed.ts';
import {layoutOf} from '../state/layout.ts';
import {createLoader} from '../state/loader.ts';
import {createStore} from '../state/store.ts';
import {
	newView,
	type FirstRunCard,
	type KeptFilters,
	type PaneId,
	type Size,
	type ViewState,
} from '../state/view.ts';
import type {ThemeName} from '../theme/theme.ts';
import {bannerLines} from './banners.ts';
import {createLists} from './create-lists.ts';
import type {Desktop, Shell} from './shell.ts';

export type ShellOptions = {
	readonly size: Size;
	readonly theme: ThemeName;
	readonly ssh: boolean;
	readonly version: string;
	/** Who answers approvals here: `tui (alice, pts/3)`. */
	readonly by?: string;
	readonly firstRun?: FirstRunCard;
	/** What was there when it was last left. */
	readonly pane?: PaneId;
	readonly filters?: KeptFilters;
};

/** How long a toast stays. */
const toastMs = 4000;

const nothing = () => {};

/** While the sheet is open it says what waits. */
const noApprovals: GatewayState['approvals'] = [];

/** The state of the interface and everything its commands use; no React in it. */
export function createShell(
	{
		port,
		clock,
		desktop,
	}: {readonly port: GatewayPort; readonly clock: Clock; readonly desktop: Desktop},
	options: ShellOptions,
): Shell {
	const shownMs = options.ssh ? feedIntervals.sshMs : feedIntervals.localMs;
	const feed = createFeed({port, clock}, () => {
		if (runsBars()) {
			return {intervalMs: feedIntervals.barMs, tickMs: feedIntervals.barMs};
		}

		const intervalMs = isPaused() ? feedIntervals.pausedMs : shownMs;
		return {intervalMs, tickMs: feedIntervals.tickMs};
	});
	const first = newView(options.size, options.theme);
	const {filters = {}, firstRun} = options;
	const view = createStore<ViewState>({
		...first,
		pane: options.pane ?? first.pane,
		overlay: firstRun && {kind: 'first-run', card: firstRun},
	});
	holdSection({feed, view});

	const remember = createMemory<readonly Line[]>();
	const banners = () => {
		const {size, overlay} = view.get();
		const {columns} = size;
		const {state, now} = feed.get();
		const {gateway, webhook, problems, model, modelOffer, modelProblem, approvals} = state;
		const isOpen = overlay?.kind === 'approval';
		const shown = isOpen ? noApprovals : approvals;
		const second = shown.length === 0 ? 0 : Math.floor(now / 1000);
		return remember(
			[gateway, webhook, problems, model, modelOffer, modelProblem, shown, second, columns],
			() => bannerLines({...state, approvals: shown}, {width: columns, now}),
		);
	};

	const layout = () => {
		const {size, pane, region, isZoomed} = view.get();
		const {hasDetail, isWide} = paneOf(pane);
		return layoutOf(size, {banners: banners().length, hasDetail, isWide, region, isZoomed});
	};

	const lists = createLists({feed, view, layout, filters});
	let cancelToast = nothing;

	const toast: Shell['toast'] = (text, tone = 'plain') => {
		cancelToast();
		view.set(state => ({...state, toast: {text, tone}}));
		cancelToast = clock.after(toastMs, () => {
			view.set(state => ({...state, toast: undefined}));
		});
	};

	const details = {
		delivery: createLoader({clock, load: async key => port.getDelivery(key)}),
		// The key is `id state`: a run that went on is loaded again.
		run: createLoader({clock, load: async key => port.getRun(Number.parseInt(key, 10))}),
		// The key is `id count state`: a group that was joined is loaded again.
		group: createLoader({
			clock,
			async load(key) {
				const group = await port.getGroup(Number.parseInt(key, 10));
				return group && {group, latest: await port.getDelivery(group.latest)};
			},
		}),
	};

	/** Whether bars run on the screen: clocks of groups that wait. */
	const runsBars = () => {
		const {pane, region, overlay} = view.get();
		const isShown = pane === 'groups' && region === 'list' && overlay === undefined;
		return isShown && port.getState().groups.some(({state}) => state === 'pending');
	};

	/** Whether the open list is one that moves by itself, and stands still. */
	const isPaused = () => {
		const {isLive, list} = paneOf(view.get().pane);
		return isLive && list?.(shell).get().isFollowing === false;
	};

	const shell = {
		port,
		clock,
		feed,
		view,
		desktop,
		version: clean(options.version),
		ssh: options.ssh,
		by: options.by ?? 'tui',
		guard: createGuard(clock),
		layout,
		banners,
		lists,
		details,
		toast,
		attempt(action: () => Promise<void>) {
			void (async () => {
				try {
					await action();
				} catch (error) {
					toast(clean(messageOf(error)), 'bad');
				}
			})();
		},
	};
	const detail = createDetails(shell);
	// Asked in the turn in which the selection changed, not after drawing: one frame instead of two.
	const want = () => {
		try {
			detail.want();
		} catch {
			// The pane that cannot list its items says so itself, when it is drawn.
		}
	};

	const stops = [feed, view, ...Object.values(shell.lists)].map(source => source.subscribe(want));
	want();
	stops.push(watchPace(view, feed), ringForApprovals(shell));
	const whole: Shell = {
		...shell,
		detail,
		[Symbol.dispose]() {
			for (const stop of stops) {
				stop();
			}

			cancelToast();
			shell.guard[Symbol.dispose]();
			details.delivery[Symbol.dispose]();
			details.run[Symbol.dispose]();
			details.group[Symbol.dispose]();
			feed[Symbol.dispose]();
		},
	};
	stops.push(
		feed.subscribe(() => {
			closeSettled(whole);
		}),
	);
	return whole;
}

/** Lets the feed know when what is shown changes, so that bars begin to run at once. */
function watchPace(view: Shell['view'], feed: Feed): () => void {
	let last = view.get();
	return view.subscribe(() => {
		const next = view.get();
		if (next.pane !== last.pane || next.region !== last.region || next.overlay !== last.overlay) {
			feed.repace();
		}

		last = next;
	});
}
