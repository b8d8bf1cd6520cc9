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

/** The settings with the reasons why runs at `place` do not get a toolset of `names`, or get it without a sandbox, as far as they are known only by trying. Rejects with what its folders cannot be looked at for. */
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
		(found, [name, {dropped, open} = {}]) => ({
			...found,
			[name]: {
				...found[name],
				...(dropped !== undefined && {broken: dropped}),
				...(open !== undefined && {open}),
			},
		}),
		settings,
	);
}

/**
 * The toolsets of svc's own that `names` ask for, opened for `run`; the others are there without tools. What is opened ends with `stack`.
 *
 * @see manual/routes.md#tools-of-a-route
 */
export const openBuiltIn = async (
	names: readonly string[] | undefined,
	...[run, world, stack]: Parameters<BuiltInToolset['open']>
): Promise<readonly Toolset[]> =>
	Promise.all(
		builtInToolsets.map(async ({name, open, tryAt}) => {
			const toolset = ownToolset(name, world.settings());
			const isWanted = toolset.dropped === undefined && names?.includes(name) === true;
			if (!isWanted) {
				return {...toolset, tools: []};
			}

			try {
				const {dropped} = (await tryAt?.(run, world)) ?? {};
				return dropped === undefined
					? {...toolset, tools: await open(run, world, stack)}
					: {...toolset, tools: [], dropped};
			} catch (error) {
				run.signal.throwIfAborted();
				return {...toolset, tools: [], dropped: world.redact(messageOf(error))};
			}
		}),
	);
