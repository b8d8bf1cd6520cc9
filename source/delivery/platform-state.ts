import type {PlatformView} from '../core/config-view.ts';
import {messageOf} from '../core/errors.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';

/** What the deliveries to one platform say about it. */
export type PlatformState = {
	/** Runs a delivery and remembers whether the platform was there. `settings` are those that it used. */
	observe<Result>(settings: unknown, delivery: () => Promise<Result>): Promise<Result>;
	/** `undefined` when the platform is not configured. New settings get the benefit of the doubt. */
	view(settings: {readonly enabled: boolean} | undefined): PlatformView | undefined;
};

/** `onChanged` hears of every change; it must not throw. */
export function createPlatformState(
	name: string,
	onChanged: (platform: PlatformView) => void,
): PlatformState {
	let failure: {readonly settings: unknown; readonly reason: string} | undefined;

	const set = (next: typeof failure) => {
		const changed = next?.reason !== failure?.reason;
		failure = next;
		if (changed) {
			onChanged(next ? {name, state: 'failed', reason: next.reason} : {name, state: 'connected'});
		}
	};

	return {
		async observe(settings, delivery) {
			try {
				const result = await delivery();
				set(undefined);
				return result;
			} catch (error) {
				if (error instanceof DeliveryError && error.isPlatformDown) {
					set({settings, reason: messageOf(error)});
				}

				throw error;
			}
		},
		view(settings) {
			if (settings === undefined) {
				return undefined;
			}

			if (!settings.enabled) {
				return {name, state: 'disabled'};
			}

			return failure?.settings === settings
				? {name, state: 'failed', reason: failure.reason}
				: {name, state: 'connected'};
		},
	};
}
