import type {ToolsetsConfig} from '../config/toolset-settings.ts';
import {messageOf} from '../core/errors.ts';
import type {Toolset} from '../core/toolsets.ts';
import {fileToolset} from './file/toolset.ts';
import {terminalToolset} from './terminal/toolset.ts';
import type {BuiltInToolset, ToolsPlace, ToolsSettings} from './toolset.ts';
import {webToolset} from './web/web-toolset.ts';

/** In display order. */
export const builtInToolsets: readonly BuiltInToolset[] = [
	terminalToolset,
	fileToolset,
	webToolset,
];

/** The toolset without its tools: whether runs get it at all. */
export function ownToolset(
	name: BuiltInToolset['name'],
	settings: ToolsetsConfig,
): Pick<Toolset, 'name' | 'isOfServer' | 'dropped'> {
	const {broken} = settings[name];
	return {name, isOfServer: false, ...(broken !== undefined && {dropped: broken})};
}

/** The settings as runs at `place` find them: with why they do not get a toolset of `names`, or get it without a sandbox. Rejects where folders cannot be read. */
export async function triedSettings(
	names: readonly string[] | undefined,
	place: ToolsPlace,
	world: ToolsSettings,
): Promise<ToolsetsConfig> {
	const settings = world.settings();
	const reasons = await Promise.all(
		builtInToolsets
			.filter(({name}) => names?.includes(name) === true && settings[name].broken === undefined)
			.map(async ({name, tryAt}) => [name, await tryAt?.(place, world)] as const),
	);
	return reasons.reduce(
		(found, [name, reason]) => ({...found, [name]: {...found[name], ...reason}}),
		settings,
	);
}

/**
 * All toolsets of svc's own: those of `names` with their tools, opened for `run`, the others without. They end with `stack`.
 *
 * @see manual/routes.md#tools-of-a-route
 */
export const openBuiltIn = async (
	names: readonly string[] | undefined,
	...[run, world, stack]: Parameters<BuiltInToolset['open']>
): Promise<readonly Toolset[]> =>
	Promise.all(
		builtInToolsets.map(async ({name, open, tryAt}) => {
			const toolset = {...ownToolset(name, world.settings()), tools: []};
			if (toolset.dropped !== undefined || names?.includes(name) !== true) {
				return toolset;
			}

			try {
				const {broken} = (await tryAt?.(run, world)) ?? {};
				return broken === undefined
					? {...toolset, tools: await open(run, world, stack)}
					: {...toolset, dropped: broken};
			} catch (error) {
				run.signal.throwIfAborted();
				return {...toolset, dropped: world.redact(messageOf(error))};
			}
		}),
	);
