import type {StoredRun} from '../../core/run.ts';
import {type CheckoutPlace, getCheckout} from './get-checkout.ts';
import {getDiff, type Prefetched, type PrefetchWorld} from './get-diff.ts';
import {forgeOfRun} from './place-checkout.ts';

const told = (text: string): Prefetched => ({texts: [], notes: [{text}]});

/**
 * Fetches what the plan of a run wants beforehand: nothing for most runs; if the event names no pull request, the run gets a note and goes on. `checkout`: where the run's
 * tools work in a checkout, or why they do not; absent if the plan wants none.
 *
 * @throws SvcError `prefetch_failed`: something could not be got, or not in time, or `signal` aborted
 * @see manual/prefetch.md
 */
export async function prefetch(
	run: Pick<StoredRun, 'plan'>,
	world: PrefetchWorld,
	checkout?: CheckoutPlace,
): Promise<Prefetched> {
	const {what = [], pullRequest} = run.plan.prefetch ?? {};
	if (what.length === 0) {
		return {texts: [], notes: []};
	}

	if (!pullRequest) {
		return told('Prefetch: there is nothing to get, the event names no pull request');
	}

	const ofDiff = what.includes('diff') ? await getDiff(pullRequest, world) : undefined;
	const ofCheckout =
		checkout?.kind === 'none'
			? told(`Prefetch: no checkout is got: ${checkout.reason}`)
			: checkout &&
				(await getCheckout(pullRequest, checkout, {...world, ...forgeOfRun(run, world)}));
	const got = [ofDiff, ofCheckout].filter(one => one !== undefined);
	return {
		texts: got.flatMap(({texts}) => texts),
		notes: got.flatMap(({notes}) => notes),
	};
}
