import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {SvcError} from '../../core/errors.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {servers as table} from '../contract/servers.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for tool servers of a gateway in this process. */
export function createServerCommands(
	rooms: Pick<Rooms, 'clock' | 'servers' | 'live' | 'approvals' | 'log'>,
): CommandsOf<typeof table> {
	return {
		listServers: async () => rooms.servers.views(),
		connectServer: async (name, {profile} = {}) => rooms.servers.connect(name, profile),
		disconnectServer: async (name, {profile} = {}) => rooms.servers.disconnect(name, profile),
		testServer: async (name, {profile} = {}) => rooms.servers.test(name, profile),
		async planServerReload() {
			const {servers, live, approvals} = rooms;
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
		async tryTool(name, {arguments: args = {}, ...options}, hungUp) {
			const {tryTool} = await import('../servers/try-tool.ts');
			return tryTool(rooms, {name, args, ...options, ...(hungUp && {hungUp})});
		},
	};
}
