import type {Clock} from '../core/clock.ts';
import type {PlatformView} from '../core/config-view.ts';
import type {Place} from '../platforms/platform.ts';
import type {PlatformSettings, TargetKind} from '../platforms/target-kind.ts';
import {createPlatformState, type PlatformState} from './platform-state.ts';

/** What is known of all platforms, and of each of their webhooks by itself: one that is dead says nothing of the others. */
export type PlatformStates = {
	/** Where a delivery to `address` (what `TargetKind.check` makes) is noted; without one what is known of the platform as a whole. `undefined` for a kind that is no platform. */
	of(kind: string, address?: unknown): PlatformState | undefined;
	/** A platform that is there, of which a webhook has failed, has failed with that one's reason. */
	view(kind: string, settings: PlatformSettings | undefined): PlatformView | undefined;
	[Symbol.dispose](): void;
};

/** `onChanged` hears of every change of a platform; it must not throw. */
export function createPlatformStates(
	kinds: readonly TargetKind[],
	clock: Clock,
	onChanged: (platform: PlatformView) => void,
): PlatformStates {
	const whole = new Map(
		kinds.flatMap(({kind, settings}) =>
			settings ? [[kind, createPlatformState(kind, clock, onChanged)] as const] : [],
		),
	);
	/** By the platform, then by the webhook's name: as many as are configured. */
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
		of(kind, address) {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
			const place = address as Place | undefined;
			return whole.has(kind) && place?.isWebhook === true
				? ofWebhook(kind, place.chat)
				: whole.get(kind);
		},
		view(kind, settings) {
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
