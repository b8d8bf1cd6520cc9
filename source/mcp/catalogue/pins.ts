import {mkdir} from 'node:fs/promises';
import {dirname} from 'node:path';
import {messageOf} from '../../core/errors.ts';
import {withFileLock} from '../../core/file-lock.ts';
import type {Logger} from '../../core/log.ts';
import type {World} from '../../core/world.ts';
import {stillKept} from './kept-definitions.ts';
import {type PinnedTools, pinKey, readPins, writePins} from './pin-file.ts';

/** What is remembered of the tools of one server. */
export type KnownTools = {
	/** Tools that are not in `definitions` are seen for the first time; otherwise (the file was broken, or is full) they count as changed. */
	readonly trustsNewTools: boolean;
	/** Server's own name of a tool → hash of the definition that was seen first, or accepted last. */
	readonly definitions: ReadonlyMap<string, string>;
	/** The same tools → canonical JSON of that definition, where it is kept. */
	readonly texts?: ReadonlyMap<string, string>;
};

/** Remembers how each tool was defined when it was seen first: trust on first use. */
export type Pins = {
	knownOf(profile: string, server: string): KnownTools;
	/**
	 * Pins those of `tools` that are new. Pins that exist stay, unless `trust` is `full`: then a new definition replaces the old one once it has been warned of.
	 * Call it with what was planned, after the plan. Does not reject.
	 */
	remember(server: SeenServer): Promise<void>;
	/** A person allowed a tool with this definition: it is the pinned one from now on. Does not reject; plan the server's tools again afterwards. */
	accept(pin: AcceptedTool): Promise<void>;
};

export type SeenServer = {
	readonly profile: string;
	readonly server: string;
	readonly trust: 'full' | 'untrusted';
	/** The server's own tools, no utility tools. */
	readonly tools: ReadonlyArray<{
		readonly tool: string;
		readonly definition: string;
		/** What `definition` is the hash of. */
		readonly text?: string;
	}>;
};

export type AcceptedTool = {
	readonly profile: string;
	readonly server: string;
	/** The server's own name. */
	readonly tool: string;
	/** `AskedTool.definition` of what was allowed. */
	readonly definition: string;
};

/** Twice what a server may register: names may change, but a server cannot push out its own pins by changing them. */
const maxPerServer = 1000;
const maxServers = 200;
const lockWaitMs = 2000;

/**
 * Reads the pins of `path` (`cache/mcp_tool_pins.json`, 0600). A file that cannot be read makes every tool count as changed until it is accepted or the file is
 * removed. Changes are written with what other processes wrote in the meantime; what cannot be written is logged and holds until the end of the process.
 */
export async function openPins({
	path,
	log,
	clock,
}: Pick<World, 'clock' | 'log'> & {readonly path: string}): Promise<Pins> {
	let pinned = readOrDistrust(path, log);
	/** Servers of which this process knows more than the file may. */
	const touched = new Set<string>();
	/** One write after the other. */
	let lastWrite = Promise.resolve();

	const write = async (): Promise<void> => {
		try {
			await mkdir(dirname(path), {recursive: true, mode: 0o700});
			await withFileLock(
				`${path}.lock`,
				async () => {
					pinned = merge(readOrDistrust(path), pinned, touched);
					await writePins(path, pinned);
				},
				{waitMs: lockWaitMs, clock},
			);
		} catch (error) {
			log.warn(`Cannot write down how tools are defined: ${messageOf(error)}`, {path});
		}
	};

	const change = async (key: string, tools: NewPins): Promise<void> => {
		const next = withTools(pinned, key, tools);
		if (next !== pinned) {
			pinned = next;
			touched.add(key);
			const before = lastWrite;
			lastWrite = (async () => {
				await before;
				await write();
			})();
			await lastWrite;
		}
	};

	return {
		knownOf(profile, server) {
			const definitions = pinned.servers.get(pinKey(profile, server)) ?? new Map<string, string>();
			const texts = [...definitions].flatMap(([tool, hash]) => {
				const text = pinned.kept.get(hash);
				return text === undefined ? [] : [[tool, text] as const];
			});
			return {
				trustsNewTools: pinned.trustsNewTools && definitions.size < maxPerServer,
				definitions,
				...(texts.length > 0 && {texts: new Map(texts)}),
			};
		},
		remember: async ({profile, server, trust, tools}) =>
			change(pinKey(profile, server), {
				tools,
				replaces: trust === 'full',
				adds: trust === 'full' || pinned.trustsNewTools,
			}),
		accept: async ({profile, server, tool, definition}) =>
			change(pinKey(profile, server), {tools: [{tool, definition}], replaces: true, adds: true}),
	};
}

function readOrDistrust(path: string, log?: Logger): PinnedTools {
	try {
		return readPins(path);
	} catch (error) {
		log?.error(messageOf(error));
		return {trustsNewTools: false, servers: new Map(), kept: new Map()};
	}
}

/** What the file holds, and what this process knows of the servers in `touched`. */
function merge(file: PinnedTools, own: PinnedTools, touched: ReadonlySet<string>): PinnedTools {
	const servers = new Map(file.servers);
	for (const key of touched) {
		const tools = new Map([...(servers.get(key) ?? []), ...(own.servers.get(key) ?? [])]);
		servers.delete(key);
		servers.set(key, tools);
	}

	const last = lastServers(servers);
	return {
		trustsNewTools: file.trustsNewTools,
		servers: last,
		kept: stillKept(last, new Map([...file.kept, ...own.kept])),
	};
}

type NewPins = {
	readonly tools: SeenServer['tools'];
	/** Pins that exist give way. */
	readonly replaces: boolean;
	/** Tools without a pin get one. */
	readonly adds: boolean;
};

/** The same object when nothing is different. */
function withTools(pins: PinnedTools, key: string, {tools, replaces, adds}: NewPins): PinnedTools {
	const before = pins.servers.get(key) ?? new Map<string, string>();
	const after = new Map(before);
	for (const {tool, definition} of tools) {
		if (after.has(tool) ? replaces : adds && after.size < maxPerServer) {
			after.set(tool, definition);
		}
	}

	const isSame =
		after.size === before.size &&
		after.entries().every(([tool, hash]) => before.get(tool) === hash);
	const servers = new Map(pins.servers);
	if (!isSame) {
		servers.delete(key);
		servers.set(key, after);
	}

	const last = isSame ? pins.servers : lastServers(servers);
	const texts = tools.flatMap(({tool, definition, text}) =>
		text !== undefined && after.get(tool) === definition ? [[definition, text] as const] : [],
	);
	const kept = stillKept(last, new Map([...pins.kept, ...texts]));
	const isSameKept = kept.size === pins.kept.size && kept.keys().every(hash => pins.kept.has(hash));
	return isSame && isSameKept ? pins : {...pins, servers: last, kept};
}

const lastServers = (
	servers: ReadonlyMap<string, ReadonlyMap<string, string>>,
): PinnedTools['servers'] => new Map([...servers].slice(-maxServers));
