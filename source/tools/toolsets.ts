import type {ToolsetsConfig} from '../config/toolset-settings.ts';
import {messageOf} from '../core/errors.ts';
import type {Toolset} from '../core/toolsets.ts';
import {fileToolset} from './file/toolset.ts';
import {terminalToolset} from './terminal/toolset.ts';
import type {BuiltInToolset} from './toolset.ts';
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
		builtInToolsets.map(async ({name, open, whyDropped}) => {
			const toolset = ownToolset(name, world.settings());
			const isWanted = toolset.dropped === undefined && names?.includes(name) === true;
			if (!isWanted) {
				return {...toolset, tools: []};
			}

			try {
				const dropped = await whyDropped?.(run, world);
				return dropped === undefined
					? {...toolset, tools: await open(run, world, stack)}
					: {...toolset, tools: [], dropped};
			} catch (error) {
				run.signal.throwIfAborted();
				return {...toolset, tools: [], dropped: world.redact(messageOf(error))};
			}
		}),
	);
