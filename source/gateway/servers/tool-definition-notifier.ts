import type {ToolsChange} from '../../approvals/approvals.ts';
import type {ServerView} from '../../core/tool-server.ts';
import {toolPlace, type Tool} from '../../core/tool.ts';

type Place = {readonly profile: string; readonly name: string};

/** Tells which definitions the tools of servers have; only what is known for sure, and only when it is news. */
export type ToolDefinitionNotifier = {
	/** The server stands like this, with these tools. */
	changed(view: ServerView, tools: readonly Tool[] | undefined): void;
	removed(server: Place): void;
};

/**
 * A server that is not connected has the tools that it had; one that is switched off or gone has none. `onTools` is called when that is different from what was
 * said last.
 */
export function createToolDefinitionNotifier(
	onTools: (change: ToolsChange) => void,
): ToolDefinitionNotifier {
	/** By profile and name: the tools that were told of; `none` for a server that has none any more. */
	const told = new Map<string, readonly Tool[] | 'none'>();

	const tell = ({profile, name}: Place, tools: readonly Tool[] | 'none') => {
		const key = `${profile} ${name}`;
		if (isSame(told.get(key), tools)) {
			return;
		}

		told.set(key, tools);
		onTools({
			profile,
			server: name,
			...(tools !== 'none' && toldOf(tools)),
		});
	};

	return {
		changed(view, tools = noTools) {
			if (view.status === 'connected') {
				tell(view, tools);
			} else if (view.status === 'skipped') {
				tell(view, 'none');
			}
		},
		removed(server) {
			tell(server, 'none');
			told.delete(`${server.profile} ${server.name}`);
		},
	};
}

type AnnouncedTools = readonly Tool[] | 'none' | undefined;

function isSame(before: AnnouncedTools, now: AnnouncedTools): boolean {
	if (typeof before !== 'object' || typeof now !== 'object') {
		return before === now;
	}

	return before.length === now.length && before.every((tool, index) => tool === now[index]);
}

const noTools: readonly Tool[] = [];

function toldOf(tools: readonly Tool[]): Omit<ToolsChange, 'profile' | 'server'> {
	const asked = tools.flatMap(tool => tool.asked ?? []);
	const [first] = asked;
	return {
		...(first && toolPlace(first.from)),
		definitions: new Map(asked.map(({tool, definition}) => [tool, definition])),
		tools: asked,
	};
}
