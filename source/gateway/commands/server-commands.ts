import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {servers as table} from '../contract/servers.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for tool servers of a gateway in this process. */
export function createServerCommands({
	clock,
	rooms,
}: {
	readonly clock: Clock;
	readonly rooms: () => Promise<Pick<Rooms, 'servers' | 'live' | 'approvals' | 'log'>>;
}): CommandsOf<typeof table> {
	return {
		listServers: async () => (await rooms()).servers.views(),
		connectServer: async (name, {profile} = {}) => (await rooms()).servers.connect(name, profile),
		disconnectServer: async (name, {profile} = {}) =>
			(await rooms()).servers.disconnect(name, profile),
		testServer: async (name, {profile} = {}) => (await rooms()).servers.test(name, profile),
		async planServerReload() {
			const {servers, live, approvals} = await rooms();
			const next = live.peek();
			if (!next.ok) {
				const [problem] = next.problems;
				throw new SvcError(
					'config_invalid',
					problem ? formatDiagnostic(problem) : 'Cannot read config.yaml',
				);
			}

			const {describeServerPlan} = await import('../servers/server-plan.ts');
			return describeServerPlan(servers.plan(next.config.toolServers), {
				profile: 'default',
				rules: approvals.rules(),
			});
		},
		async tryTool(name, {arguments: args = {}, ...options}) {
			const opened = await rooms();
			const {tryTool} = await import('../servers/try-tool.ts');
			return tryTool(opened, {name, args, clock, ...options});
		},
	};
}
