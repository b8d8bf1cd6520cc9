import {nearestName} from '../core/names.ts';
import {everyServer, serverPrefix} from '../core/toolsets.ts';
import {problemWithPrefetch} from './code-host-events.ts';
import type {Config} from './config.ts';
import {serverItem} from './invalid-server.ts';
import {warningsAt} from './place-diagnostic.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import type {Route} from './route.ts';
import {routesPlace} from './routes-place.ts';
import {toolsetNames} from './toolset-settings.ts';

type Known = Pick<Config, 'toolServers' | 'toolsets'> & {
	/** What cannot be used as it is written, by `itemKey`: that is told of there. */
	readonly itemErrors: {has(key: string): boolean};
};

/** Toolsets of a route that give nothing: what follows the subject in a sentence. `undefined`: none, or no agent runs by it. */
export function problemWithToolsets(
	{toolsets = [], deliverOnly, cronJob}: Pick<Route, 'toolsets' | 'deliverOnly' | 'cronJob'>,
	known: Known,
): string | undefined {
	if (deliverOnly || cronJob !== undefined) {
		return undefined;
	}

	const problems = [...new Set(toolsets)].flatMap(name => problemWithToolset(name, known) ?? []);
	return problems.length === 0 ? undefined : problems.join(', and ');
}

function problemWithToolset(
	name: string,
	{toolServers, toolsets, itemErrors}: Known,
): string | undefined {
	if (everyServer.has(name)) {
		return undefined;
	}

	const own = toolsetNames.find(one => one === name);
	if (own !== undefined) {
		return toolsets[own].broken === undefined
			? undefined
			: `names toolset "${own}", which cannot be used: see toolsets.${own}`;
	}

	if (name.startsWith(serverPrefix)) {
		const server = name.slice(serverPrefix.length);
		return toolServers.has(server) || itemErrors.has(serverItem(server))
			? undefined
			: `names a tool server that is not configured: "${server}"`;
	}

	const meant = nearestName(name, [...everyServer, ...toolsetNames]);
	return `names a toolset that does not exist: "${name}"${meant === undefined ? '' : ` (did you mean "${meant}"?)`}`;
}

/** The same for every static route, and of what it prefetches, with its place in `value` (all of `config.yaml`). */
export const diagnoseToolsets = (
	value: unknown,
	routes: ReadonlyMap<string, Route>,
	known: Known,
): readonly UnplacedDiagnostic[] =>
	[...routes.values()].flatMap(route => {
		const place = [...routesPlace(value), route.name];
		return [
			...warningsAt([...place, 'toolsets'], problemWithToolsets(route, known)),
			...warningsAt([...place, 'prefetch'], problemWithPrefetch(route)),
		];
	});
