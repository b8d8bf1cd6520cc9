import {removeSubscription, setSubscriptionPaused} from '../../config/change-subscription.ts';
import type {Context} from '../console/context.ts';
import {printLines} from '../console/print.ts';

/** Removes a subscription. @throws SvcError `subscription_not_found` */
export async function unsubscribe(context: Context, name: string): Promise<void> {
	await removeSubscription(context.paths(), name, context);
	printLines(context, [`Removed ${name}`]);
}

/** Pauses or resumes a subscription. @throws SvcError `subscription_not_found`, `route_not_editable` */
export async function setPaused(context: Context, name: string, paused: boolean): Promise<void> {
	await setSubscriptionPaused(context.paths(), name, {paused, clock: context.clock});
	printLines(context, [
		paused ? `Paused ${name}: its events are answered 503 and kept` : `Resumed ${name}`,
	]);
}
