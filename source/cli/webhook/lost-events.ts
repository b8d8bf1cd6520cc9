import {existsSync} from 'node:fs';
import type {DeliveryRow} from '../../core/state.ts';
import {lossMemoryMs} from '../../core/traffic.ts';
import {rowOf} from '../../nouns/delivery/delivery.ts';
import type {Context} from '../console/context.ts';
import {openHome} from '../home/open-home.ts';

const maxCounted = 1000;

/** The newest 1,000 events that routes turned away within the hour because of their rate limit. Empty if the records are unreadable: commands that show records report why. */
export async function readLostEvents(context: Context): Promise<readonly DeliveryRow[]> {
	if (!existsSync(context.paths().stateDb)) {
		return [];
	}

	try {
		await using home = await openHome(context, 'read');
		const since = context.clock.now() - lossMemoryMs;
		const lost = await home.listDeliveries({outcomes: ['rate'], since, limit: maxCounted});
		return lost.map(rowOf);
	} catch {
		return [];
	}
}
