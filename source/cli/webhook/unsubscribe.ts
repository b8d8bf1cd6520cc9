import {editSubscriptions} from '../../config/edit-subscriptions.ts';
import type {Context} from '../context.ts';
import {printLines} from '../print.ts';
import {notFound} from './receiver-facts.ts';

/** Removes a subscription. @throws SvcError `subscription_not_found` */
export async function unsubscribe(context: Context, name: string): Promise<void> {
	await editSubscriptions(
		context.paths(),
		before => {
			if (!Object.hasOwn(before, name)) {
				throw notFound(context, name);
			}

			const {[name]: _removed, ...others} = before;
			return others;
		},
		{clock: context.clock},
	);
	printLines(context, [`Removed ${name}`]);
}
