import {isDeepStrictEqual} from 'node:util';
import {createTimer, type Clock} from '../core/clock.ts';
import type {PlatformView} from '../core/config-view.ts';
import {messageOf} from '../core/errors.ts';
import {DeliveryError, platformFailure} from '../platforms/delivery-error.ts';
import type {MessagePlace} from '../platforms/platform.ts';
import type {PlatformSettings, Sender, TargetKind} from '../platforms/target-kind.ts';
import {limitsFrom} from './send-parts.ts';

/** Wait before a failed platform is checked again: doubled each time, up to the maximum. */
const firstWaitMs = 5000;
const mostWaitMs = 300_000;

const checkMs = 10_000;

/** Checks whether the platform accepts our credentials. */
export type PlatformCheck = NonNullable<Sender<unknown>['check']>;

/** The state of one platform, by its connect checks and deliveries. */
export type PlatformState = ReturnType<typeof createPlatformState>;

type Standing = {readonly settings: unknown} & (
	| {readonly state: 'connecting' | 'connected'; readonly waitMs?: number | undefined}
	| {
			readonly state: 'failed';
			readonly error: DeliveryError;
			/** Milliseconds since 1970. */
			readonly nextTry: number;
			readonly waitMs: number;
	  }
);

/** `onChanged` is called after every change; it must not throw. */
export function createPlatformState(
	name: string,
	clock: Clock,
	onChanged: (platform: PlatformView) => void,
) {
	let standing: Standing | undefined;
	let watched:
		| {readonly settings: unknown; readonly load: () => Promise<PlatformCheck | undefined>}
		| undefined;
	let ended = new AbortController();
	const timer = createTimer(clock);

	const set = (next: Standing) => {
		const before = standing && viewOf(standing);
		standing = next;
		const now = viewOf(next);
		if (!isDeepStrictEqual(before, now)) {
			onChanged(now);
		}
	};

	const viewOf = (of: Standing): PlatformView =>
		of.state === 'failed'
			? {name, state: 'failed', reason: of.error.reason, nextTry: of.nextTry}
			: {name, state: of.state};

	/** Whether these settings have been replaced: their results say nothing about the watched settings. */
	const isOld = (settings: unknown) => watched !== undefined && watched.settings !== settings;

	const succeed = (settings: unknown) => {
		if (!isOld(settings)) {
			timer.cancel();
			set({settings, state: 'connected'});
		}
	};

	const fail = (settings: unknown, error: DeliveryError) => {
		// While a wait runs, further failures do not change it.
		const isWaiting =
			standing?.state === 'failed' &&
			standing.settings === settings &&
			clock.now() < standing.nextTry;
		if (isOld(settings) || isWaiting) {
			return;
		}

		const last = standing && standing.settings === settings ? standing.waitMs : undefined;
		const usualMs = last === undefined ? firstWaitMs : last * 2;
		const waitMs = Math.min(mostWaitMs, Math.max(usualMs, error.retryAfterMs ?? 0));
		set({settings, state: 'failed', error, nextTry: clock.now() + waitMs, waitMs});
		timer.cancel();
		if (watched) {
			timer.set(waitMs, () => void ask());
		}
	};

	const ask = async () => {
		const asked = watched;
		const {signal} = ended;
		if (!asked) {
			return;
		}

		const {settings, load} = asked;
		try {
			const check = await load();
			await check?.({...limitsFrom(clock, checkMs), signal});
			if (!signal.aborted && check) {
				succeed(settings);
			} else if (!signal.aborted) {
				// The next delivery is the check; if it fails, the wait is doubled.
				set({settings, state: 'connected', waitMs: standing?.waitMs});
			}
		} catch (error) {
			if (!signal.aborted) {
				fail(
					settings,
					error instanceof DeliveryError
						? error
						: platformFailure('platform_failed', messageOf(error)),
				);
			}
		}
	};

	const stop = () => {
		ended.abort();
		timer.cancel();
		ended = new AbortController();
		watched = undefined;
	};

	return {
		/**
		 * The error for any try with `settings` while the platform has failed; `undefined`: it may be tried. The error says how long to wait until the next check, except
		 * when the sender of an event waits (`isDirect`), which is answered at once.
		 */
		holds(settings: unknown, isDirect: boolean): DeliveryError | undefined {
			if (
				standing?.state !== 'failed' ||
				standing.settings !== settings ||
				(watched?.settings !== settings && clock.now() >= standing.nextTry)
			) {
				return undefined;
			}

			const {error, nextTry} = standing;
			const leftMs = nextTry - clock.now();
			const seconds = Math.ceil(Math.max(0, leftMs) / 1000);
			return new DeliveryError(
				error.code,
				`Cannot deliver: platform ${name} has failed, next check in ${seconds} s: ${error.reason}`,
				{passes: true, ...(!isDirect && {retryAfterMs: Math.max(1000, leftMs)})},
			);
		},
		/** Makes a try of a delivery with `settings`, and records whether the platform was reachable. */
		async observe<Result>(settings: unknown, attempt: () => Promise<Result>): Promise<Result> {
			try {
				const result = await attempt();
				succeed(settings);
				return result;
			} catch (error) {
				if (error instanceof DeliveryError && error.isPlatformDown) {
					fail(settings, error);
				}

				throw error;
			}
		},
		/** Checks the platform with these settings now, and after each failure until it is reachable; `undefined`: it is not used. Without a check, a failure ends after its wait. */
		watch(settings: unknown, load: (() => Promise<PlatformCheck | undefined>) | undefined) {
			if (watched?.settings === settings) {
				return;
			}

			stop();
			if (settings === undefined || !load) {
				standing = undefined;
				return;
			}

			watched = {settings, load};
			set({settings, state: 'connecting'});
			void ask();
		},
		/** `undefined` for a platform that is not configured. With settings that were not tried yet it counts as connected. */
		view(settings: PlatformSettings | undefined): PlatformView | undefined {
			if (settings === undefined) {
				return undefined;
			}

			if (!settings.enabled) {
				return {name, state: 'disabled'};
			}

			return settings.lacks === undefined
				? standing?.settings === settings
					? viewOf(standing)
					: {name, state: 'connected'}
				: {name, state: 'failed', reason: `lacks ${settings.lacks}`};
		},
		[Symbol.dispose]: stop,
	};
}

/**
 * The state of all platforms, and of each of their webhooks separately: a dead webhook says nothing about the others. `onChanged` is called after every change of a
 * platform; it must not throw.
 */
export function createPlatformStates(
	kinds: readonly TargetKind[],
	clock: Clock,
	onChanged: (platform: PlatformView) => void,
) {
	const whole = new Map(
		kinds.flatMap(({kind, settings}) =>
			settings ? [[kind, createPlatformState(kind, clock, onChanged)] as const] : [],
		),
	);
	/** States by platform and by name of the webhook: at most one for each configured webhook. */
	const webhooks = new Map<string, Map<string, PlatformState>>();

	const ofWebhook = (kind: string, name: string): PlatformState => {
		const all = webhooks.get(kind) ?? new Map<string, PlatformState>();
		webhooks.set(kind, all);
		const state =
			all.get(name) ?? createPlatformState(kind, clock, view => onChanged(named(view, name)));
		all.set(name, state);
		return state;
	};

	return {
		/** The state for deliveries to `address` (see `TargetKind.check`); without an address the state of the whole platform. `undefined` for a kind that is no platform. */
		of(kind: string, address?: unknown): PlatformState | undefined {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
			const place = address as MessagePlace | undefined;
			return whole.has(kind) && place?.isWebhook === true
				? ofWebhook(kind, place.chat)
				: whole.get(kind);
		},
		/** The view of a platform. A connected platform with a failed webhook counts as failed, with the reason of that webhook. */
		view(kind: string, settings: PlatformSettings | undefined): PlatformView | undefined {
			const view = whole.get(kind)?.view(settings);
			if (view?.state !== 'connected') {
				return view;
			}

			const [failed] = [...(webhooks.get(kind) ?? [])].flatMap(([name, state]) => {
				const one = state.view(settings);
				return one?.state === 'failed' ? [named(one, name)] : [];
			});
			return failed ?? view;
		},
		[Symbol.dispose]() {
			for (const state of [whole, ...webhooks.values()].flatMap(all => [...all.values()])) {
				state[Symbol.dispose]();
			}
		},
	};
}

const named = (view: PlatformView, webhook: string): PlatformView => ({
	...view,
	...(view.reason !== undefined && {reason: `webhook ${webhook}: ${view.reason}`}),
});
