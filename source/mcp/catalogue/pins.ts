import {createHash} from 'node:crypto';
import {readTextFile} from '../../config/text-files.ts';
import {messageOf} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import type {Logger} from '../../core/log.ts';
import {createMutex} from '../../core/mutex.ts';
import type {World} from '../../core/world.ts';
import {replaceShared} from '../wire/shared-file.ts';

/** The known tools of one server. */
export type KnownTools = {
	/** Whether tools absent from `definitions` are new. If false (the file was broken, or is full), they count as changed. */
	readonly trustsNewTools: boolean;
	/** Hash of the definition first seen or last accepted, by the server's own tool name. */
	readonly definitions: Texts;
	/** Canonical JSON of those definitions, where stored. */
	readonly texts?: Texts;
};

/** Remembers each tool's definition from when it was first seen: trust on first use. */
export type Pins = Awaited<ReturnType<typeof openPins>>;

type SeenServer = {
	readonly profile: string;
	readonly server: string;
	readonly trust: 'full' | 'untrusted';
	/** The server's own tools, without utility tools. `text`: the text hashed to `definition`. */
	readonly tools: ReadonlyArray<Pick<AcceptedTool, 'tool' | 'definition'> & {text?: string}>;
};

type AcceptedTool = {
	readonly profile: string;
	readonly server: string;
	/** The server's own name. */
	readonly tool: string;
	/** `AskedTool.definition` as it was allowed. */
	readonly definition: string;
};

type Texts = ReadonlyMap<string, string>;

/** The contents of the file. */
type PinnedTools = {
	/** Whether unpinned tools are new. Stays false once the file was broken. */
	readonly trustsNewTools: boolean;
	/** Profile and server → tool → definition, in order of last use. */
	readonly servers: ReadonlyMap<string, Texts>;
	/** Hash → canonical JSON of the definition when it was pinned. Only for comparison: trust depends on the pins. */
	readonly kept: Texts;
};

const maxFileBytes = 32 * 1024 * 1024;

/** Twice what a server may register: names may change, but a server cannot evict its own pins by renaming. */
const maxPerServer = 1000;

const maxServers = 200;

const limits = {waitMs: 2000, makesFolder: true};

/** Limits in UTF-16 units, so that one verbose server takes no room from others. */
const most = {definition: 16 * 1024, server: 256 * 1024, all: 4 * 1024 * 1024} as const;

/**
 * Reads the pins from `path` (`cache/mcp_tool_pins.json`, mode 0600). If the file is unreadable, every tool counts as changed until it is accepted or the file
 * removed. Writes are merged with those of other processes; a failed write is logged, and the pins then last until the process ends.
 */
export async function openPins(world: Pick<World, 'clock' | 'log'> & {readonly path: string}) {
	const {path, log, clock} = world;
	let pinned = readPins(path, log);
	/** Servers whose pins in memory may be newer than in the file. */
	const touched = new Set<string>();
	const oneByOne = createMutex();
	const merged = () => {
		pinned = merge(readPins(path), pinned, touched);
		return fileOf(pinned);
	};

	const change = async (key: string, tools: NewPins): Promise<void> => {
		const next = withTools(pinned, key, tools);
		if (next === pinned) {
			return;
		}

		pinned = next;
		touched.add(key);
		try {
			await oneByOne(async () => replaceShared(path, merged, {...limits, clock}));
		} catch (error) {
			log.warn(`Cannot write down how tools are defined: ${messageOf(error)}`, {path});
		}
	};

	return {
		knownOf(profile: string, server: string): KnownTools {
			const definitions: Texts = pinned.servers.get(pinKey(profile, server)) ?? new Map();
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
		/**
		 * Pins new `tools`. Existing pins stay unless `trust` is `full`: then the new definition replaces the old one, after its warning. Call with the planned
		 * tools, after planning. Does not reject.
		 */
		async remember({profile, server, trust, tools}: SeenServer): Promise<void> {
			const replaces = trust === 'full';
			const adds = replaces || pinned.trustsNewTools;
			await change(pinKey(profile, server), {tools, replaces, adds});
		},
		/** A person allowed a tool with this definition, which is now pinned. Does not reject; plan the server's tools again afterwards. */
		accept: async ({profile, server, ...tool}: AcceptedTool): Promise<void> =>
			change(pinKey(profile, server), {tools: [tool], replaces: true, adds: true}),
	};
}

/** One key for profile and server, which neither name can forge. */
const pinKey = (profile: string, server: string): string => JSON.stringify([profile, server]);

/** A missing file holds no pins; errors about an unusable one do not quote it. */
function readPins(path: string, log?: Logger): PinnedTools {
	try {
		const text = readTextFile(path, maxFileBytes);
		return text === undefined
			? {trustsNewTools: true, servers: new Map(), kept: new Map()}
			: parse(text);
	} catch {
		log?.error(
			`Cannot use "${path}", which remembers how tools were defined when they were first seen: until it is removed, tools count as changed unless they are accepted`,
		);
		return {trustsNewTools: false, servers: new Map(), kept: new Map()};
	}
}

const fileOf = ({trustsNewTools, servers, kept}: PinnedTools) => ({
	version: 1,
	trustsNewTools,
	servers: [...servers].map(([key, tools]) => [key, Object.fromEntries(tools)]),
	kept: Object.fromEntries(kept),
});

function parse(text: string): PinnedTools {
	const value: unknown = JSON.parse(text);
	if (!isJsonObject(value) || value['version'] !== 1 || !Array.isArray(value['servers'])) {
		throw new Error('not of the form');
	}

	const kept = isJsonObject(value['kept']) ? Object.entries(value['kept']) : [];
	return {
		trustsNewTools: value['trustsNewTools'] === true,
		servers: new Map(value['servers'].map(parseServer)),
		// Drops texts that do not have the hash they are stored under.
		kept: new Map(
			kept.flatMap(([hash, known]) =>
				typeof known === 'string' && hashOf(known) === hash ? [[hash, known] as const] : [],
			),
		),
	};
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function parseServer(entry: unknown): readonly [string, Texts] {
	const [key, tools]: readonly unknown[] = Array.isArray(entry) ? entry : [];
	const pins = isJsonObject(tools) ? Object.entries(tools) : [];
	const hashes = pins.flatMap(([tool, definition]) =>
		typeof definition === 'string' && /^[0-9a-f]{64}$/.test(definition)
			? [[tool, definition] as const]
			: [],
	);
	if (typeof key !== 'string' || !isJsonObject(tools) || hashes.length < pins.length) {
		throw new Error('not of the form');
	}

	return [key, new Map(hashes)];
}

/** Merges the file with what this process knows about servers in `touched`. */
function merge(file: PinnedTools, own: PinnedTools, touched: ReadonlySet<string>): PinnedTools {
	const servers = new Map(file.servers);
	for (const key of touched) {
		const tools = new Map([...(servers.get(key) ?? []), ...(own.servers.get(key) ?? [])]);
		servers.delete(key);
		servers.set(key, tools);
	}

	const last = lastServers(servers);
	const kept = stillKept(last, new Map([...file.kept, ...own.kept]));
	return {trustsNewTools: file.trustsNewTools, servers: last, kept};
}

type NewPins = {
	readonly tools: SeenServer['tools'];
	/** New definitions replace existing pins. */
	readonly replaces: boolean;
	/** Tools without a pin get one. */
	readonly adds: boolean;
};

/** Returns the same object if nothing changes. */
function withTools(pins: PinnedTools, key: string, {tools, replaces, adds}: NewPins): PinnedTools {
	const before: Texts = pins.servers.get(key) ?? new Map();
	const after = new Map(before);
	for (const {tool, definition} of tools) {
		if (after.has(tool) ? replaces : adds && after.size < maxPerServer) {
			after.set(tool, definition);
		}
	}

	const isSame =
		after.size === before.size &&
		after.entries().every(([tool, hash]) => before.get(tool) === hash);
	const others = [...pins.servers].filter(([other]) => other !== key);
	const last = isSame ? pins.servers : lastServers(new Map([...others, [key, after]]));
	const texts = tools.flatMap(({tool, definition, text}) =>
		text !== undefined && after.get(tool) === definition ? [[definition, text] as const] : [],
	);
	const kept = stillKept(last, new Map([...pins.kept, ...texts]));
	const isSameKept = kept.size === pins.kept.size && kept.keys().every(hash => pins.kept.has(hash));
	return isSame && isSameKept ? pins : {...pins, servers: last, kept};
}

const lastServers = (servers: PinnedTools['servers']): PinnedTools['servers'] =>
	new Map([...servers].slice(-maxServers));

/** The texts of `kept` that `servers` still pin, as far as there is room; last used first. */
function stillKept(servers: PinnedTools['servers'], kept: Texts): Texts {
	const after = new Map<string, string>();
	let room: number = most.all;
	for (const pins of [...servers.values()].toReversed()) {
		let left = Math.min(room, most.server);
		for (const hash of pins.values()) {
			const text = kept.get(hash);
			if (text !== undefined && text.length <= Math.min(left, most.definition)) {
				after.set(hash, text);
				left -= text.length;
				room -= text.length;
			}
		}
	}

	return after;
}
