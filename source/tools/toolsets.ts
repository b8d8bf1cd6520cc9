import type {SandboxedToolset, ToolsetsConfig} from '../config/toolset-settings.ts';
import {messageOf} from '../core/errors.ts';
import type {Toolset} from '../core/toolsets.ts';
import type {BuiltInToolset, ToolsPlace, ToolsSettings} from './toolset.ts';
import {webToolset} from './web/web-toolset.ts';

/** Tries the sandbox for the tools of toolset `name`. */
const tryIn =
	(name: SandboxedToolset): NonNullable<BuiltInToolset['tryAt']> =>
	async (place, world) =>
		(await import('./sandbox/tools-sandbox.ts')).tryTools(name, place, world);

/** In display order. */
export const builtInToolsets: readonly BuiltInToolset[] = [
	/** Commands in a sandbox. @see manual/sandbox.md */
	{
		name: 'terminal',
		offers: ({terminal: {approval, open}}) => [
			{name: 'terminal', asks: open !== undefined || approval === 'ask', readOnly: false},
		],
		tryAt: tryIn('terminal'),
		open: async (run, world, stack) => [
			await (await import('./terminal/terminal.ts')).terminalTool(run, world, stack),
		],
	},
	/** Reads, searches and changes files in a sandbox. @see manual/file.md */
	{
		name: 'file',
		offers({file: {approval, open}}) {
			const isOpen = open !== undefined;
			const asks = isOpen || approval === 'ask';
			return [
				{name: 'read_file', asks: isOpen, readOnly: true},
				{name: 'search_files', asks: isOpen, readOnly: true},
				{name: 'write_file', asks, readOnly: false},
				{name: 'edit_file', asks, readOnly: false},
			];
		},
		tryAt: tryIn('file'),
		open: async (run, world, stack) =>
			(await import('./file/file-tools.ts')).fileTools(run, world, stack),
	},
	webToolset,
];

/** The toolset's definition without its tools: enough to know whether runs get it. */
export function ownToolset(
	name: BuiltInToolset['name'],
	settings: ToolsetsConfig,
): Pick<Toolset, 'name' | 'isOfServer' | 'dropped'> {
	const {broken} = settings[name];
	return {name, isOfServer: false, ...(broken !== undefined && {dropped: broken})};
}

/** The settings for runs at `place`, completed by trials: why they do not get a toolset of `names`, or get it without a sandbox. Rejects if folders cannot be read. */
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
 * All built-in toolsets: those in `names` with their tools, opened for `run`, the others without. Resources are released with `stack`.
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
