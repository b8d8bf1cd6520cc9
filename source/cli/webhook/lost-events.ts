import {existsSync} from 'node:fs';
import type {Route} from '../../config/route.ts';
import {countOf} from '../../core/counted.ts';
import {lossMemoryMs, remedyOf} from '../../core/lost-events.ts';
import type {Context} from '../console/context.ts';
import {openHome} from '../home/open-home.ts';

const maxCounted = 1000;

/** What a route is said to have lost: its name, profile, and where its events wait. */
export type RateFacts = Pick<Route, 'name' | 'profile' | 'overflow' | 'deliverOnly'>;

/** Says of a route what it turned away; `undefined`: nothing, or it would not any more. */
export type LossSentence = (route: RateFacts) => string | undefined;

/**
 * What routes turned away because of their rate within the last hour, at most 1,000 events of all together. Of records that cannot be read nothing is known: that is no reason to say
 * nothing else.
 */
export async function readLosses(context: Context): Promise<LossSentence> {
	const counts = await countLosses(context);
	return ({name, profile, overflow, deliverOnly}) => {
		const count = counts.get(`${profile}/${name}`);
		return count === undefined || overflow === 'queue'
			? undefined
			: `loses events: ${countOf(count, 'event')} answered 429 within the hour, ${remedyOf({mode: deliverOnly ? 'deliver_only' : 'agent'})}`;
	};
}

async function countLosses(context: Context): Promise<ReadonlyMap<string, number>> {
	const counts = new Map<string, number>();
	try {
		if (!existsSync(context.paths().stateDb)) {
			return counts;
		}

		await using home = await openHome(context, 'read');
		const lost = await home.listDeliveries({
			outcomes: ['rate'],
			since: context.clock.now() - lossMemoryMs,
			limit: maxCounted,
		});
		for (const {profile, route} of lost) {
			const name = `${profile}/${route}`;
			counts.set(name, (counts.get(name) ?? 0) + 1);
		}
	} catch {
		// Whoever asks for the records themselves is told what is wrong with them.
	}

	return counts;
}
