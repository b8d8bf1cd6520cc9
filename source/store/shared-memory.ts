import type {Clock} from '../core/clock.ts';
import {createListeners} from '../core/derive.ts';
import type {JsonValue} from '../core/json.ts';
import {createKeyLimits} from './limits/key-limits.ts';
import {createPaces} from './limits/paces.ts';
import {createRateWindows} from './limits/rate-windows.ts';
import type {StoreParts} from './parts.ts';
import type {Cluster, Leases, LeaseToken, Shared, StoreNote} from './shared-port.ts';

/** What gateways share, in memory, for a sole gateway. `promised`: for each route, milliseconds until the last start promised earlier. */
export const createSharedMemory = (
	clock: Clock,
	promised: Parameters<typeof createPaces>[1] = [],
): Pick<Shared, 'limits' | 'events'> & ReturnType<typeof createNamedLeases> => {
	const {tell, subscribe} = createListeners<[StoreNote]>();
	return {
		limits: {
			windows: createRateWindows(clock),
			paces: createPaces(clock, promised),
			keys: createKeyLimits(clock),
		},
		...createNamedLeases(clock),
		events: {publish: tell, subscribe},
	};
};

/** The cluster of a sole gateway. `leases`: number of runs that it has leased. */
export function createClusterOfOne(
	{clock, owner}: Pick<StoreParts, 'clock' | 'owner'>,
	{node, leases}: {readonly node: string; readonly leases: () => number},
): Cluster {
	const since = clock.now();
	let told: JsonValue = {};
	return {
		members: async () => [
			{owner, node, since, seen: clock.now(), leases: leases(), state: 'live', data: told},
		],
		async describe(data) {
			told = data;
		},
	};
}

/** Leases and holders of tokens end with the process, so both start over with the next one. */
function createNamedLeases(clock: Clock): {
	readonly leases: Leases;
	/** Whether nobody else has taken the lease since. */
	readonly isLast: (lease: LeaseToken) => boolean;
} {
	/** When each lease expires, on the monotonic clock. */
	const held = new Map<string, {readonly token: number; until: number}>();
	let lastToken = 0;
	const leases: Leases = name => ({
		async take(leaseMs) {
			const now = clock.monotonic();
			if ((held.get(name)?.until ?? now) > now) {
				return undefined;
			}

			lastToken += 1;
			const own = {token: lastToken, until: now + leaseMs};
			held.set(name, own);
			return {
				name,
				token: own.token,
				async beat(moreMs) {
					const isHeld = held.get(name) === own && own.until > clock.monotonic();
					if (isHeld) {
						own.until = clock.monotonic() + moreMs;
					}

					return isHeld;
				},
				async release() {
					if (held.get(name) === own) {
						held.delete(name);
					}
				},
			};
		},
	});
	return {leases, isLast: ({name, token}) => held.get(name)?.token === token};
}
