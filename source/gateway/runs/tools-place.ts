import type {Config} from '../../config/config.ts';
import {isUnsignedRoute} from '../../config/route-refusals.ts';
import type {Route} from '../../config/route.ts';
import type {ToolsetsConfig} from '../../config/toolset-settings.ts';
import {sandboxPlaces} from '../../config/working-folders.ts';
import type {ToolsPlace} from '../../tools/toolset.ts';
import {triedSettings} from '../../tools/toolsets.ts';

/** Where tools of a profile work. */
export function placesOf(
	name: string,
	{profiles}: Pick<Config, 'profiles'>,
): ToolsPlace['profile'] {
	const {paths, environment} = profiles.of(name);
	return {name, ...sandboxPlaces(paths, environment)};
}

/** The settings of toolsets as runs of a route meet them: with the reason where no sandbox works for one of `toolsets`. Makes their working folders. */
export const settingsOfRuns = async (
	route: Pick<Route, 'profile' | 'secrets'>,
	toolsets: readonly string[] | undefined,
	config: Pick<Config, 'profiles' | 'toolsets' | 'sandbox'>,
): Promise<ToolsetsConfig> =>
	triedSettings(
		toolsets,
		{profile: placesOf(route.profile, config), isUnsigned: isUnsignedRoute(route)},
		{settings: () => config.toolsets, sandbox: () => config.sandbox},
	);
