import {createHash} from 'node:crypto';

/** The limit of model APIs. */
const maxNameLength = 64;

const hashLength = 8;

/** @see manual/tool-servers.md#which-tools-a-server-offers: every character other than letter, digit, underscore is replaced by an underscore */
const sanitised = (name: string): string => name.replace(/[^A-Za-z0-9_]/gu, '_');

/** A tool to be named. A server's own tool and a utility tool may have the same `tool`; `key` is unique. */
type ToName = {readonly key: string; readonly tool: string};

/** The names of a server's tools. */
export type ToolNames = {
	/** Key → name for models. */
	readonly names: ReadonlyMap<string, string>;
	/** Own names of tools whose name collided with another. */
	readonly collided: readonly string[];
	/** Assigned names, and those before collisions were resolved. */
	readonly reserved: ReadonlySet<string>;
};

/**
 * Names each of `tools` (keys are unique) `mcp__<server>__<tool>`: cut and suffixed with a hash if longer than 64 characters, and suffixed with a hash if several
 * would get the same, or `taken` contains it. Names are unique, none is in `taken`, and they depend on the set of tools, not its order.
 *
 * @see manual/tool-servers.md#which-tools-a-server-offers, manual/tool-servers.md#states
 */
export function nameTools(
	server: string,
	tools: readonly ToName[],
	taken: ReadonlySet<string>,
): ToolNames {
	const wished = tools
		.toSorted((a, b) => (a.key < b.key ? -1 : 1))
		.map(({key, tool}) => ({key, tool, wish: wishedName(server, {key, tool})}));
	const perWish = Map.groupBy(wished, ({wish}) => wish);
	const collided = wished.filter(
		({wish}) => taken.has(wish) || (perWish.get(wish)?.length ?? 0) > 1,
	);
	const names = new Map(wished.map(({key, wish}) => [key, wish]));
	const reserved = new Set(names.values());
	for (const tool of collided) {
		const name = freeName(
			server,
			tool,
			candidate => !reserved.has(candidate) && !taken.has(candidate),
		);
		reserved.add(name);
		names.set(tool.key, name);
	}

	return {names, collided: collided.map(({tool}) => tool), reserved};
}

const plainName = (server: string, tool: string): string =>
	`mcp__${sanitised(server)}__${sanitised(tool)}`;

function wishedName(server: string, {key, tool}: ToName): string {
	const name = plainName(server, tool);
	return name.length > maxNameLength ? suffixed(name, `${server}\0${key}`) : name;
}

function freeName(server: string, {key, tool}: ToName, isFree: (name: string) => boolean): string {
	const name = plainName(server, tool);
	for (let attempt = 0; ; attempt += 1) {
		const candidate = suffixed(name, `${server}\0${key}${attempt > 0 ? `\0${attempt}` : ''}`);
		if (isFree(candidate)) {
			return candidate;
		}
	}
}

const suffixed = (name: string, hashed: string): string =>
	`${name.slice(0, maxNameLength - hashLength - 1)}_${createHash('sha256').update(hashed).digest('hex').slice(0, hashLength)}`;
