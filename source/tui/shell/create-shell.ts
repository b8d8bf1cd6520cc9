import {stopAll} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {GatewayState} from '../../core/state.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {dialogNow, type Dialog} from '../acts/dialog.ts';
import {closeSettled, forgetShown} from '../acts/sheet.ts';
import {createGuard} from '../approvals/guard.ts';
import {dialogs as allDialogs} from '../commands/dialogs.ts';
import {firstRun, tickOff} from '../commands/first-run.ts';
import {createKeyTable, keyTable} from '../commands/table.ts';
import {createDetails} from '../lines/detail.ts';
import type {Pane} from '../panes/pane.ts';
import {panes as allPanes} from '../panes/panes.ts';
import {createFeed, feedIntervals} from '../state/feed.ts';
import {screenLayout} from '../state/layout.ts';
import {localOf} from '../state/source.ts';
import {createStore} from '../state/store.ts';
import {newView, type Size, type ViewState, watchView} from '../state/view.ts';
import type {ThemeName} from '../theme/theme.ts';
import {announceVersions, ringBellForApprovals, announceLogins} from './announce.ts';
import {createBanners} from './create-banners.ts';
import {watchFirstKey} from './first-key.ts';
import {openSources} from './open-sources.ts';
import type {Host, Shell} from './shell.ts';
import {createToaster} from './toast.ts';
import type {TuiOptions} from './tui-world.ts';

export type ShellOptions = Pick<TuiOptions, 'firstRun' | 'offersKey' | 'ssh' | 'version'> & {
	readonly size: Size;
	readonly theme: ThemeName;
	/** The theme chosen earlier; kept even while a terminal has no colours. */
	readonly chosenTheme?: ThemeName;
	/** Who answers approvals here, for the record: `tui (alice, pts/3)`. */
	readonly by?: string;
	/** The person declined the offer of a first key earlier. */
	readonly declinedKey?: boolean;
	/** The pane open when the interface was last left. */
	readonly pane?: string;
	readonly filters?: Readonly<Record<string, string>>;
	/** The available dialogs. */
	readonly dialogs?: readonly Dialog[];
	readonly panes?: readonly [Pane, ...Pane[]];
};

/** How long events are gathered per frame, in milliseconds, when more arrive than anybody can read; 0 otherwise. */
const busyMsOf = ({health}: GatewayState): number =>
	feedIntervals.busy.find(({perSecond}) => (health?.requestsPerSecond ?? 0) >= perSecond)?.ms ?? 0;

/** The interface's state and everything its commands use; free of React. */
export function createShell(
	{port, logins, clock, desktop}: Pick<Host, 'clock' | 'desktop' | 'logins' | 'port'>,
	{panes = allPanes, ...options}: ShellOptions,
): Shell {
	const shownMs = options.ssh ? feedIntervals.sshMs : feedIntervals.localMs;
	const feed = createFeed({port, clock}, shown => {
		if (desktop.isStalled()) {
			// Frames would pile up in memory while the terminal does not read.
			const {stalledMs} = feedIntervals;
			return {intervalMs: stalledMs, tickMs: stalledMs, isHeld: true};
		}

		if (runsBars(shown)) {
			return {intervalMs: feedIntervals.barMs, tickMs: feedIntervals.barMs};
		}

		const showsWords = pane().showsWords?.(host) === true;
		const intervalMs =
			isPaused() && !showsWords ? feedIntervals.pausedMs : Math.max(shownMs, busyMsOf(shown));
		const countsSeconds =
			pane().countsSeconds?.(shown, host) === true ||
			dialogNow(host)?.dialog.countsSeconds?.(shown) === true;
		return {intervalMs, tickMs: feedIntervals.tickMs, countsSeconds, showsWords};
	});
	const byId = new Map(panes.map(pane => [pane.id, pane]));
	const first = byId.get(options.pane ?? '') ?? panes[0];
	const view = createStore<ViewState>({
		...newView(first.id, options.size, options.theme),
		chosenTheme: options.chosenTheme,
		declinedKey: options.declinedKey === true,
		overlay: options.firstRun && {kind: firstRun.kind, card: options.firstRun},
	});
	tickOff(view, options.firstRun);
	const pane = () => byId.get(view.get().pane) ?? first;

	const findBanners = createBanners();
	const banners = () => findBanners(feed.get(), dialogNow(host)?.dialog.tells);

	const layout = () => {
		const {size, region, isZoomed, field, overlay} = view.get();
		const {isWide, listShare} = pane();
		const {listing} = host.section();
		return screenLayout(size, {
			banners: banners().length > 0 ? 1 : 0,
			hints: field === 'filter' && !overlay ? 1 : 0,
			hasDetail: listing !== undefined,
			hasCursor: listing?.hasCursor === true,
			isWide,
			listShare,
			region,
			isZoomed,
		});
	};

	const toaster = createToaster(view, clock);

	/** Whether something on the screen moves faster than once a second. */
	const runsBars = (shown: GatewayState) => {
		const {region, overlay} = view.get();
		return region === 'list' && overlay === undefined && pane().hasBars?.(shown) === true;
	};

	/** Whether the open list is live but not following. */
	const isPaused = () => {
		const {listing} = host.section();
		return listing?.isLive === true && !host.list(listing.list).get().isFollowing;
	};

	let wanting: Pane | undefined;
	// Called in the same turn as the change of selection, not after drawing: one frame instead of two.
	const want = () => {
		try {
			detail.want();
			const open = pane();
			if (wanting !== open) {
				wanting?.want?.(host);
				wanting = open;
			}

			open.want?.(host);
			dialogNow(host)?.dialog.want?.(host);
		} catch {
			// A pane that cannot list its items shows the error when it is drawn.
		}
	};

	const sources = openSources(() => host, {
		filters: options.filters ?? {},
		onListChange: want,
		feed,
		isPouring: () => busyMsOf(feed.get().state) > 0 && !isPaused(),
	});
	const lifetime = createLifetime();
	const {toast, noteKey} = toaster;
	const host: Host = {
		...sources,
		port,
		logins,
		clock,
		feed,
		view,
		desktop,
		version: escapeLine(options.version),
		by: options.by ?? 'tui',
		dialogs: new Map((options.dialogs ?? allDialogs).map(dialog => [dialog.kind, dialog])),
		keys:
			options.dialogs || panes !== allPanes
				? createKeyTable(options.dialogs ?? allDialogs, panes)
				: keyTable,
		guard: createGuard(clock),
		layout,
		banners,
		panes,
		pane,
		section: () => pane().focus?.now(host) ?? pane().sections[0],
		openList() {
			const {listing} = host.section();
			return listing && sources.list(listing.list);
		},
		local: state => localOf(view, state),
		toast,
		noteKey,
		attempt(action) {
			void (async () => {
				try {
					await action();
				} catch (error) {
					toast(escapeLine(messageOf(error)), 'bad');
				}
			})();
		},
		untilEnd: lifetime.untilEnd,
	};
	for (const {focus} of panes) {
		focus?.hold?.(host);
	}

	const detail = createDetails(host);
	const stops = [feed.subscribe(want), view.subscribe(want)];
	want();
	stops.push(
		watchView(
			view,
			({pane: id, region, overlay}) => [id, region, overlay],
			() => feed.repace(),
		),
		ringBellForApprovals(host, options.firstRun?.underWay?.over),
		announceLogins(host),
	);
	const whole: Shell = {
		...host,
		detail,
		[Symbol.dispose]() {
			stopAll(stops)();
			lifetime[Symbol.dispose]();
			toaster[Symbol.dispose]();
			host.guard[Symbol.dispose]();
			sources[Symbol.dispose]();
			feed[Symbol.dispose]();
		},
	};
	stops.push(
		feed.subscribe(() => closeSettled(whole)),
		watchView(
			view,
			({size}) => [size.columns, size.rows],
			() => forgetShown(whole),
		),
		announceVersions(whole),
	);
	if (options.offersKey === true) {
		stops.push(watchFirstKey(whole));
	}

	return whole;
}

/** Ends timers and subscriptions started by commands when the interface ends. */
function createLifetime(): Disposable & Pick<Shell, 'untilEnd'> {
	const stops = new Set<() => void>();
	let isOver = false;
	return {
		untilEnd(stop) {
			if (isOver) {
				stop();
				return () => {};
			}

			stops.add(stop);
			return () => {
				stops.delete(stop);
			};
		},
		[Symbol.dispose]() {
			isOver = true;
			stopAll(stops)();
			stops.clear();
		},
	};
}
