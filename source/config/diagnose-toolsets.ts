import {serverPrefix} from '../core/toolsets.ts';
import {problemWithPrefetch} from './code-host-events.ts';
import type {Config} from './config.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import type {Route} from './route.ts';
import {routesPlace} from './routes-place.ts';
import {serverItem} from './slipped-server.ts';

type Servers = Pick<Config, 'toolServers'> & {
	/** What cannot be used as it is written, by `slipKey`: that is told of there. */
	readonly slips: {has(key: string): boolean};
};

/** Toolsets of a route that name tool servers which are not configured: what follows the subject in a sentence. `undefined`: none, or no agent runs by it. */
export function problemWithToolsets(
	{toolsets = [], deliverOnly, cronJob}: Pick<Route, 'toolsets' | 'deliverOnly' | 'cronJob'>,
	{toolServers, slips}: Servers,
): string | undefined {
	if (deliverOnly || cronJob !== undefined) {
		return undefined;
	}

	const missing = toolsets
		.filter(name => name.startsWith(serverPrefix))
		.map(name => name.slice(serverPrefix.length))
		.filter(server => !toolServers.has(server) && !slips.has(serverItem(server)));
	return missing.length === 0
		? undefined
		: `names tool servers that are not configured: ${[...new Set(missing)].map(server => `"${server}"`).join(', ')}`;
}

/** The same for every static route, and of what it prefetches, with its place in `value` (all of `config.yaml`). */
export const diagnoseToolsets = (
	value: unknown,
	{routes, ...servers}: Servers & {readonly routes: ReadonlyMap<string, Route>},
): readonly UnplacedDiagnostic[] =>
	[...routes.values()].flatMap((route): readonly UnplacedDiagnostic[] => {
		const problems = [
			['toolsets', problemWithToolsets(route, servers)],
			['prefetch', problemWithPrefetch(route)],
		] as const;
		return problems.flatMap(([key, message]) =>
			message === undefined
				? []
				: [{path: [...routesPlace(value), route.name, key], message, severity: 'warning'}],
		);
	});
