import type {ServerView} from '../core/tool-server.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {Config, ConfigError} from './config.ts';
import {itemKey} from './item-errors.ts';
import type {KeyPath} from './plain-data.ts';

const section = 'mcp_servers';

/** The name of the server at `path`; `undefined` for any other path. */
export const serverAt = ([first, name, ...rest]: KeyPath): string | undefined =>
	first === section && name !== undefined && rest.length === 0 ? String(name) : undefined;

/** Tool servers that cannot be used as written, by name; a `kept` one runs in its last good version. */
export const invalidServers = ({
	itemErrors,
}: Pick<Config, 'itemErrors'>): ReadonlyMap<string, ConfigError> =>
	new Map(
		[...itemErrors.values()].flatMap(itemError => {
			const name = serverAt(itemError.path);
			return name === undefined ? [] : [[name, itemError] as const];
		}),
	);

/** The key of a server in `Config.itemErrors`. */
export const serverItem = (name: string): string => itemKey([section, name]);

/** The view of an invalid server without a last good version: failed, with the reason. */
export const viewOfInvalidServer = (
	name: string,
	{reason}: ConfigError,
): Omit<ServerView, 'since'> => ({
	name: escapeLine(name),
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
