import type {ServerView} from '../core/tool-server.ts';
import {cell} from '../core/untrusted.ts';
import type {Config, Slip} from './config.ts';

const prefix = 'mcp_servers.';

/** Tool servers that cannot be used as they are written, by name; one that is `kept` runs as it was. */
export const slippedServers = ({slips}: Pick<Config, 'slips'>): ReadonlyMap<string, Slip> =>
	new Map(
		[...slips.values()].flatMap(slip =>
			slip.item.startsWith(prefix) ? [[slip.item.slice(prefix.length), slip] as const] : [],
		),
	);

/** What the entry of such a server is called in `Config.slips`. */
export const serverItem = (name: string): string => prefix + name;

/** Such a server as faces see it, when no last good version of it is there: failed, with what is wrong. */
export const viewOfSlippedServer = (name: string, {reason}: Slip): Omit<ServerView, 'since'> => ({
	name: cell(name).text,
	profile: 'default',
	transport: 'stdio',
	status: 'failed',
	endpoint: '',
	trust: 'untrusted',
	tools: [],
	offered: 0,
	reason,
	activeCalls: 0,
	warnings: [],
});
