import type {Clock} from '../../core/clock.ts';
import type {Logger} from '../../core/log.ts';

/** What is remembered of the tools of one server. */
export type KnownTools = {
	/** Tools that are not in `definitions` are seen for the first time; otherwise (the file was broken, or is full) they count as changed. */
	readonly trustsNewTools: boolean;
	/** Server's own name of a tool → hash of the definition that was seen first, or accepted last. */
	readonly definitions: ReadonlyMap<string, string>;
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
	readonly tools: ReadonlyArray<{readonly tool: string; readonly definition: string}>;
};

export type AcceptedTool = {
	readonly profile: string;
	readonly server: string;
	/** The server's own name. */
	readonly tool: string;
	/** `AskedTool.definition` of what was allowed. */
	readonly definition: string;
};

/** Reads the pins of `path` (`cache/mcp_tool_pins.json`). A file that cannot be read makes every tool count as changed until it is accepted or the file is removed. */
export async function openPins(_options: {
	readonly path: string;
	readonly log: Logger;
	readonly clock: Clock;
}): Promise<Pins> {
	throw new Error('not written yet');
}
