import {existsSync} from 'node:fs';
import type {HomePaths} from '../../config/config.ts';
import {editConfig} from '../../config/edit-config.ts';
import {mergeSubscription} from '../../config/merge-subscription.ts';
import {editSubscriptions} from '../../config/subscriptions.ts';
import {type Clock, dayOf} from '../../core/clock.ts';
import {defaultTarget} from '../../platforms/platforms.ts';

/** What the first start wrote. */
export type FirstRun = {
	/** Name of the dynamic route that was created, or of the first existing one. */
	readonly route: string;
};

const route = 'github';

const prompt =
	'{repository.full_name}#{pull_request.number} was {action} by {sender.login}.\n\nTitle: {pull_request.title}\n\n{pull_request.body}\n\nSummarise the change in three sentences and name what a reviewer should look at.';

/**
 * On the first use of a home (without `config.yaml`) writes a configuration that listens only on this machine, and a dynamic route with its own secret. Existing
 * dynamic routes stay unchanged. `undefined` if it is not the first use, or another process was faster.
 *
 * @throws SvcError
 */
export async function prepareFirstRun(
	paths: HomePaths,
	{clock}: {readonly clock: Clock},
): Promise<FirstRun | undefined> {
	if (existsSync(paths.config)) {
		return undefined;
	}

	const entries = await editSubscriptions(
		paths,
		before =>
			Object.keys(before).length > 0
				? before
				: {
						[route]: mergeSubscription(
							undefined,
							{
								events: ['pull_request'],
								prompt,
								description: 'Pull requests of GitHub',
								deliver: defaultTarget,
							},
							{today: dayOf(clock.now())},
						),
					},
		{clock},
	);
	// Of two simultaneous starts, only one writes.
	let isOurs = false;
	await editConfig(paths, [], {
		clock,
		check() {
			isOurs = true;
		},
	});
	return isOurs ? {route: Object.keys(entries)[0] ?? route} : undefined;
}

/** What was done, one line each. */
export const stepsOf = (
	{route: first}: FirstRun,
	{config, subscriptions}: Pick<HomePaths, 'config' | 'subscriptions'>,
): readonly string[] => [
	`wrote ${config}`,
	`wrote ${subscriptions}: "${first}", with a secret of its own`,
];
