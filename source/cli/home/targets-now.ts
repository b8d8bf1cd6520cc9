import {clientsOfEvents, prefetchedBy} from '../../config/code-host-events.ts';
import type {Config} from '../../config/config.ts';
import {isUnsignedRoute} from '../../config/route-refusals.ts';
import type {Route} from '../../config/route.ts';
import {forgeComment} from '../../platforms/forge-comment/descriptor.ts';
import {clientFor} from '../../platforms/forge-comment/pull-request.ts';
import {targetNamed} from '../../platforms/platforms.ts';
import type {Context} from '../console/context.ts';
import {openDeliverer} from './open-deliverer.ts';

/** A target kind, and the profile whose answers go there. */
type Sending = {readonly kind: string; readonly profile: string};

/**
 * Why nothing can be sent to these targets now (such as a client that is not logged in), one sentence each, in order; `undefined` if no problem is known. Each
 * kind and profile is checked once, for up to 5 s. Problems of the configuration alone are reported elsewhere.
 */
export async function problemsNow(
	context: Context,
	config: Config,
	sendings: readonly Sending[],
): Promise<ReadonlyArray<string | undefined>> {
	await using deliverer = openDeliverer(context, config);
	const asked = new Map<string, Promise<string | undefined>>();
	// Awaited here, because the deliverer is disposed of at return.
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

/**
 * Why requests of these routes to their clients would fail now, in order: a client is missing or not logged in, which is checked once per client. `undefined` if
 * no problem is known, or nothing is requested.
 */
const problemsOfClients =
	(clientsOf: typeof prefetchClients) =>
	async (
		context: Context,
		config: Config,
		routes: readonly Route[],
	): Promise<ReadonlyArray<string | undefined>> => {
		const asked = new Map<string, ReturnType<typeof problemsNow>>();
		return Promise.all(
			routes.map(async route => {
				const problems = clientsOf(config, [route]).map(async client => {
					const key = JSON.stringify([client.cli, client.profile]);
					const answer = asked.get(key) ?? problemsNow(context, client.config, [client]);
					asked.set(key, answer);
					return (await answer)[0];
				});
				return (await Promise.all(problems)).find(problem => problem !== undefined);
			}),
		);
	};

/** The code host clients used by the prefetches of `routes`: one target each, with a configuration whose `forge.cli` is that client. */
export const prefetchClients = (config: Config, routes: readonly Route[]) =>
	routes
		.filter(route => prefetchedBy(route).length > 0)
		.flatMap(({events, profile}) =>
			clientsOfEvents(events, config.forge.cli).map(cli => clientAs(cli, profile, config)),
		);

/** The code host clients used by commands that read the code host. @see manual/sandbox-network.md#forge */
export const readingClients = (config: Config, routes: readonly Route[]) =>
	routes
		.filter(
			route =>
				config.toolsets.terminal.forge === 'read' &&
				route.toolsets?.includes('terminal') === true &&
				!route.deliverOnly &&
				route.cronJob === undefined &&
				!isUnsignedRoute(route),
		)
		.map(({profile}) => clientAs(clientFor('github', config.forge.cli), profile, config));

const clientAs = (cli: string, profile: string, config: Config) => ({
	kind: forgeComment.kind,
	profile,
	cli,
	config: cli === config.forge.cli ? config : {...config, forge: {cli}},
});

export const prefetchProblemsNow = problemsOfClients(prefetchClients);
export const readingProblemsNow = problemsOfClients(readingClients);
