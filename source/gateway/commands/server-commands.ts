import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import type {ApprovalRule} from '../../core/approval.ts';
import {SvcError} from '../../core/errors.ts';
import {countOf} from '../../core/names.ts';
import type {PlannedServerChange} from '../../mcp/contract.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {servers as table} from '../contract/servers.ts';
import type {ServerReloadPlan} from '../port.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for tool servers. */
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

/** Describes for a person what a reload of the tool servers of `profile` would change, and which rules it would void. Pure. */
export function describeServerPlan(
	changes: readonly PlannedServerChange[],
	{profile, rules}: {readonly profile: string; readonly rules: readonly ApprovalRule[]},
): ServerReloadPlan {
	const own = rules.filter(rule => rule.profile === profile);
	return {
		changes: changes.map(change => lineOf(change, voidRules(change, own))),
		closes: changes.filter(({closes}) => closes).map(({name}) => name),
	};
}

function lineOf({name, kind, keys, tools}: PlannedServerChange, rules: number): string {
	const consequences = [
		...(tools && tools.before !== tools.after
			? [`${tools.before} → ${countOf(tools.after, 'tool')}`]
			: []),
		...(rules > 0
			? [`${countOf(rules, 'approval rule')} ${rules === 1 ? 'becomes' : 'become'} void`]
			: []),
	];
	const what = {
		added: `+ ${name}`,
		removed: `- ${name}`,
		changed: `~ ${name}: ${keys.length > 0 ? `${keys.join(', ')} changed` : 'connects again'}`,
	}[kind];
	return consequences.length > 0 ? `${what} (${consequences.join(', ')})` : what;
}

/** Number of rules for a tool that would be gone, or for a server that would be replaced by another. */
function voidRules(
	{name, isOther, lostTools}: PlannedServerChange,
	rules: readonly ApprovalRule[],
): number {
	return rules.filter(({server, tool}) => server === name && (isOther || lostTools.includes(tool)))
		.length;
}
