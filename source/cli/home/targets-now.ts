import {clientsOfEvents, prefetchedBy} from '../../config/code-host-events.ts';
import type {Config} from '../../config/config.ts';
import type {Route} from '../../config/route.ts';
import {forgeComment} from '../../platforms/forge-comment/descriptor.ts';
import {targetNamed} from '../../platforms/platforms.ts';
import type {Context} from '../console/context.ts';
import {openDeliverer} from './open-deliverer.ts';

/** Whose answers go where. */
type Sending = {readonly kind: string; readonly profile: string};

/**
 * Why nothing can be sent to these now (a client that is not logged in), a sentence each, in their order; `undefined` where nothing is known to be wrong. Each kind and profile is asked
 * once, for up to 5 s. What the configuration alone tells is told where it is read.
 */
export async function problemsNow(
	context: Context,
	config: Config,
	sendings: readonly Sending[],
): Promise<ReadonlyArray<string | undefined>> {
	await using deliverer = openDeliverer(context, config);
	const asked = new Map<string, Promise<string | undefined>>();
	// Awaited here: the deliverer ends when this function does.
	return await Promise.all(
		sendings.map(async ({kind, profile}) => {
			if (targetNamed(kind)?.settings) {
				return undefined;
			}

			const key = JSON.stringify([kind, profile]);
			const answer = asked.get(key) ?? deliverer.problemNow(kind, profile);
			asked.set(key, answer);
			return answer;
		}),
	);
}

/** Why what these routes prefetch cannot be got now, in their order: their client is not there or not logged in, which each client is asked once. `undefined` where nothing is known to be wrong, or nothing prefetched. */
export async function prefetchProblemsNow(
	context: Context,
	config: Config,
	routes: readonly Route[],
): Promise<ReadonlyArray<string | undefined>> {
	const asked = new Map<string, ReturnType<typeof problemsNow>>();
	return Promise.all(
		routes.map(async route => {
			const problems = prefetchClients(config, [route]).map(async client => {
				const key = JSON.stringify([client.cli, client.profile]);
				const answer = asked.get(key) ?? problemsNow(context, client.config, [client]);
				asked.set(key, answer);
				return (await answer)[0];
			});
			return (await Promise.all(problems)).find(problem => problem !== undefined);
		}),
	);
}

/** The clients of what `routes` prefetch: each as a target of a configuration in which it is `forge.cli`. */
export const prefetchClients = (config: Config, routes: readonly Route[]) =>
	routes
		.filter(route => prefetchedBy(route).length > 0)
		.flatMap(({events, profile}) =>
			clientsOfEvents(events, config.forge.cli).map(cli => ({
				kind: forgeComment.kind,
				profile,
				cli,
				config: cli === config.forge.cli ? config : {...config, forge: {cli}},
			})),
		);
