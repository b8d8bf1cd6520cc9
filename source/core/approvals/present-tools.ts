import type {AskedTool} from '../approval.ts';
import type {ServerChange} from './approvals.ts';

/** What the servers' tools are now, as far as that was told. */
export type PresentTools = {
	changed(change: ServerChange): void;
	/** Whether a tool is known to be another one now, or none: a run goes on with the tools that it started with. */
	isStale(tool: Pick<AskedTool, 'profile' | 'server' | 'tool' | 'definition'>): boolean;
};

export function createPresentTools(): PresentTools {
	const servers = new Map<string, ReadonlyMap<string, string>>();
	return {
		changed({profile, server, definitions}) {
			if (definitions) {
				servers.set(placeOf(profile, server), definitions);
			} else {
				servers.delete(placeOf(profile, server));
			}
		},
		isStale({profile, server, tool, definition}) {
			const definitions = servers.get(placeOf(profile, server));
			return definitions !== undefined && definitions.get(tool) !== definition;
		},
	};
}

const placeOf = (profile: string, server: string) => `${profile}\n${server}`;
