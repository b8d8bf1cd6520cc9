import type {AskedTool} from '../core/approval.ts';
import type {ServerChange} from './approvals.ts';

/** What the servers' tools are now, as far as that was told. */
export type PresentTools = {
	changed(change: ServerChange): void;
	/** The tool that models call so. */
	named(profile: string, name: string): AskedTool | undefined;
	/** Whether a tool is known to be another one now, or none, or one of another server: a run goes on with the tools that it started with. */
	isStale(
		tool: Pick<AskedTool, 'profile' | 'server' | 'tool' | 'endpoint' | 'definition'>,
	): boolean;
};

export function createPresentTools(): PresentTools {
	const servers = new Map<string, ServerChange>();
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
		isStale({profile, server, tool, endpoint, definition}) {
			const known = servers.get(placeOf(profile, server));
			return (
				known !== undefined &&
				(known.definitions?.get(tool) !== definition ||
					(known.endpoint !== undefined && known.endpoint !== endpoint))
			);
		},
	};
}

const placeOf = (profile: string, server: string) => `${profile}\n${server}`;
