import {selectTools} from '../../agent/toolsets.ts';
import type {ListedServer} from '../../nouns/server/server.ts';
import type {Context} from '../console/context.ts';
import {inFileOrder, serversOf} from '../mcp/find-servers.ts';
import type {ToolsOfRuns, ToolFacts} from './capability.ts';

type Known = ToolFacts & {
	/** The server, of which it is not known what it has. */
	readonly unknown?: string;
};

/** The tools that runs of a profile would have for these toolsets, as far as it is known without connecting to anything. */
export async function toolsOfRuns(
	context: Context,
	{profile, toolsets}: {readonly profile: string; readonly toolsets: readonly string[] | undefined},
): Promise<ToolsOfRuns> {
	const all = inFileOrder(context, await serversOf(context, profile));
	const servers = all.filter(({status}) => status !== 'skipped');
	const {tools, warnings, tooMany} = selectTools(
		toolsets,
		new Map(servers.filter(hasToolset).map(server => [server.name, factsOf(server)])),
	);
	return {
		tools: tools.filter(({unknown}) => unknown === undefined),
		unknown: tools.flatMap(({unknown}) => (unknown === undefined ? [] : [unknown])),
		warnings,
		...(tooMany !== undefined && {tooMany}),
		hasServers: servers.length > 0,
	};
}

/** Whether it has been connected as it is configured. */
const isKnown = ({tools, savedAt, protocol}: ListedServer): boolean =>
	tools.length > 0 || savedAt !== undefined || protocol !== undefined;

/** "When filtering removes all server-native tools and no utility tool is registered, no runtime toolset is created." @see manual/tool-servers.md#which-tools-a-server-offers */
const hasToolset = (server: ListedServer): boolean => server.tools.length > 0 || !isKnown(server);

const factsOf = (server: ListedServer): readonly Known[] =>
	isKnown(server)
		? server.tools.map(({name, asks}) => ({name, needsApproval: asks}))
		: // No tool has such a name.
			[{name: ` ${server.name}`, needsApproval: false, unknown: server.name}];
