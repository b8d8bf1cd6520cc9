import type {ServerView} from '../core/tool-server.ts';
import {cell} from '../core/untrusted.ts';
import type {Config, Slip} from './config.ts';
import type {KeyPath} from './plain-data.ts';
import {slipKey} from './slips.ts';

const section = 'mcp_servers';

/** The server that `path` leads to; `undefined` when it leads elsewhere. */
export const serverAt = ([first, name, ...rest]: KeyPath): string | undefined =>
	first === section && name !== undefined && rest.length === 0 ? String(name) : undefined;

/** Tool servers that cannot be used as they are written, by name; one that is `kept` runs as it was. */
export const slippedServers = ({slips}: Pick<Config, 'slips'>): ReadonlyMap<string, Slip> =>
	new Map(
		[...slips.values()].flatMap(slip => {
			const name = serverAt(slip.path);
			return name === undefined ? [] : [[name, slip] as const];
		}),
	);

/** The key of such a server in `Config.slips`. */
export const serverItem = (name: string): string => slipKey([section, name]);

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
