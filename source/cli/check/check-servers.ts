import type {Config} from '../../config/config.ts';
import {expandServer} from '../../config/expand-server.ts';
import {contextVariables} from '../../config/server-references.ts';
import type {Diagnostic} from '../../core/config-view.ts';

/** Tool servers that could not be connected to now, for each profile whose runs have them: variables that are not set, values that make no URL. */
export function problemsWithServers({
	toolServers,
	profiles,
	paths,
}: Pick<Config, 'toolServers' | 'profiles' | 'paths'>): readonly Diagnostic[] {
	const enabled = [...toolServers.values()].filter(server => server.enabled);
	return [profiles.of('default'), ...profiles.others].flatMap(({name: profile, environment}) => {
		const scope = {environment, context: contextVariables(environment)};
		return enabled.flatMap((server): readonly Diagnostic[] => {
			const expanded = expandServer(server, scope);
			return expanded.ok
				? []
				: [
						{
							// The gateway may be started with other variables.
							severity: 'warning',
							file: paths.config,
							line: 0,
							column: 0,
							key: `mcp_servers.${server.name}`,
							message: `cannot be connected to${profile === 'default' ? '' : ` for profile "${profile}"`}: ${expanded.message}`,
						},
					];
		});
	});
}
