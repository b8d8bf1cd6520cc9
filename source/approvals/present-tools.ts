import {type AskedTool, toolPlace} from '../core/tool.ts';
import type {ToolsChange} from './approvals.ts';

/** What tools there are now, as far as that was told. */
export type PresentTools = {
	changed(change: ToolsChange): void;
	/** The tool that models call so. */
	named(profile: string, name: string): AskedTool | undefined;
	/** Whether a tool is known to be another one now, or none, or one of another server: a run goes on with the tools that it started with. */
	isStale(tool: Pick<AskedTool, 'profile' | 'from' | 'tool' | 'definition'>): boolean;
};

export function createPresentTools(): PresentTools {
	const servers = new Map<string, ToolsChange>();
	return {
		changed(change) {
			const place = placeOf(change.profile, change.server);
			if (change.definitions) {
				servers.set(place, change);
			} else {
				servers.delete(place);
			}
		},
		named: (profile, name) =>
			[...servers.values()]
				.filter(server => server.profile === profile)
				.flatMap(({tools = []}) => tools)
				.find(tool => tool.name === name),
		isStale({profile, from, tool, definition}) {
			const {server, endpoint} = toolPlace(from);
			const known = servers.get(placeOf(profile, server));
			return (
				known !== undefined &&
				(known.definitions?.get(tool) !== definition ||
					(known.endpoint !== undefined && known.endpoint !== endpoint))
			);
		},
	};
}

const placeOf = (profile: string, server: string | undefined) => `${profile}\n${server ?? ''}`;
