import {prefetchedBy} from '../../../config/code-host-events.ts';
import type {Config} from '../../../config/config.ts';
import {platformSettings, platformError} from '../../../config/platform-settings.ts';
import type {Route} from '../../../config/route.ts';
import {platformKinds, targetKinds, targetNamed, targetOf} from '../../../platforms/platforms.ts';
import type {TargetHealth} from '../../../platforms/target-kind.ts';
import {findProgram} from '../../../tools/sandbox/system-world.ts';
import type {Context} from '../../console/context.ts';
import {openDeliverer} from '../../home/open-deliverer.ts';
import {prefetchClients, readingClients} from '../../home/targets-now.ts';
import {type Check, failed, type CheckResult, ok, unknown, unread} from './check.ts';
import {jobsOf, routesOf} from './users.ts';

/** Targets of answers and clients of code hosts: every kind that a route or job uses or that is enabled, checked by its sender. Sends nothing. */
export const targets: Check = {
	subject: 'target',
	asks: true,
	async look({config, context}, signal) {
		if (!config) {
			return unread;
		}

		await using deliverer = openDeliverer(context, config);
		const routes = routesOf(context, config);
		const used = kindsInUse(context, config, routes);
		const clients = clientsOfRoutes(context, {config, routes}, signal);
		const found = await Promise.all(
			used.map(async ({kind, profile}): Promise<CheckResult | false> => {
				const health = await deliverer.examine(kind, profile, signal);
				const of = profile === 'default' ? kind : `${kind} of ${profile}`;
				return health ? {...withMend(health, kind, config), of} : false;
			}),
		);
		const idle = targetKinds
			.filter(({section, kind}) => section && !used.some(other => other.kind === kind))
			.map(({kind}) => unknown('no route and no job uses it', undefined, kind));
		const all = [...found, ...(await clients), gitOfCheckouts(context, routes), ...idle].filter(
			one => one !== false,
		);
		return all.length === 0 ? ok('answers go to the log') : all;
	},
};

/** Adds a remedy for a platform that is unusable as configured, which itself only says why. */
function withMend(health: TargetHealth, kind: string, config: Config): TargetHealth {
	if (health.health !== 'failed' || health.mend !== undefined || !targetNamed(kind)?.settings) {
		return health;
	}

	const page = `see svc help delivery-${kind}`;
	const mend = platformError(config, kind)
		? `mend platforms.${kind} in config.yaml: ${page}`
		: `svc gateway setup ${kind}, or ${page}`;
	return {...health, mend};
}

/** The clients used for prefetching and for reading the code host, once per client and profile. */
async function clientsOfRoutes(
	context: Context,
	{config, routes}: {readonly config: Config; readonly routes: readonly Route[]},
	signal: AbortSignal,
): Promise<ReadonlyArray<CheckResult | false>> {
	const clients = [
		...prefetchClients(config, routes).map(client => ({...client, of: 'prefetch'})),
		...readingClients(config, routes).map(client => ({...client, of: 'toolsets.terminal.forge'})),
	].map(client => {
		const of = `${client.of} with ${client.cli}`;
		return {...client, of: client.profile === 'default' ? of : `${of} of ${client.profile}`};
	});
	return Promise.all(
		[...new Map(clients.map(client => [client.of, client])).values()].map(
			async ({config: own, kind, profile, of}) => {
				await using deliverer = openDeliverer(context, own);
				const health = await deliverer.examine(kind, profile, signal);
				return health ? {...health, of} : false;
			},
		),
	);
}

/** Checkouts need git in addition to the client. */
function gitOfCheckouts({environment}: Context, routes: readonly Route[]): CheckResult | false {
	if (!routes.some(route => prefetchedBy(route).includes('checkout'))) {
		return false;
	}

	const git = findProgram('git', environment['PATH'] ?? '');
	const of = 'prefetch with git';
	return git === undefined
		? failed('git is not installed', 'install git for the user of the gateway', of)
		: ok(`${git} gets the checkouts`, undefined, of);
}

/** The kinds that routes and jobs deliver to, with their profiles, and enabled platforms. */
function kindsInUse(
	context: Context,
	config: Config,
	routes: readonly Route[],
): ReadonlyArray<{readonly kind: string; readonly profile: string}> {
	const ofRoutes = routes
		.filter(({cronJob}) => cronJob === undefined)
		.map(({deliver, profile}) => ({kind: targetOf(deliver), profile}));
	const ofJobs = jobsOf(context, config).map(({job, profile}) => ({
		kind: targetOf(job.target.kind),
		profile,
	}));
	const on = platformKinds.flatMap(({kind}) => {
		const isOn = platformSettings(config, kind)?.enabled === true || platformError(config, kind);
		return isOn ? [{kind, profile: 'default'}] : [];
	});
	// Platforms are the same for all profiles.
	const all = [...on, ...ofRoutes, ...ofJobs].map(used =>
		targetNamed(used.kind)?.settings ? {...used, profile: 'default'} : used,
	);
	return [...new Map(all.map(used => [JSON.stringify(used), used])).values()];
}
