import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {AskedTool} from '../../core/approval.ts';
import type {JsonObject} from '../../core/json.ts';
import type {KnownTools} from './pins.ts';

export type UtilityKind = 'list_resources' | 'read_resource' | 'list_prompts' | 'get_prompt';

/** A tool as it is registered. */
export type PlannedTool = {
	/** What models call it: at most 64 characters of `A-Za-z0-9_`. */
	readonly name: string;
	/** The server's own name, raw; the kind for utility tools. */
	readonly tool: string;
	readonly kind: 'native' | UtilityKind;
	/** What the server said of it, as it came; absent for utility tools. */
	readonly listed?: ListedTool;
	/** For models: hidden characters are gone. */
	readonly description: string;
	/** For models; never what is sent to the server. */
	readonly inputSchema: JsonObject;
	/** Claims to change nothing, and claimed so when its definition was first seen, or accepted. May be replayed. */
	readonly readOnly: boolean;
	/** A person must agree before each call. */
	readonly needsApproval: boolean;
	readonly asked: AskedTool;
};

/** What `planTools` made of a list. */
export type ToolPlan = {
	/** By name. Empty: no toolset exists for this server. */
	readonly tools: readonly PlannedTool[];
	/** For `ServerView.warnings`: one cleaned line each, at most 20. */
	readonly warnings: readonly string[];
	/** How many tools the server offers itself, before the filter. */
	readonly offered: number;
	/** Names that its tools have, or would have had without a collision: part of `taken` for other servers. */
	readonly claimed: ReadonlySet<string>;
};

export type ToolsToPlan = {
	readonly server: ToolServerConfig;
	readonly profile: string;
	readonly listed: readonly ListedTool[];
	/** What the session exposes. */
	readonly capabilities: {readonly resources: boolean; readonly prompts: boolean};
	/** `pins.knownOf(profile, server.name)` */
	readonly known: KnownTools;
	/**
	 * `claimed` of all other servers, and names of built-in tools. A tool that meets one of them gets a hash suffix; plan the other server again with this
	 * one's `claimed`, and the outcome does not depend on who connected first.
	 */
	readonly taken: ReadonlySet<string>;
};

/** Which tools of a server are registered, under which names, and which of them ask. Pure; same input, same order. @see Interface 2.13, Decisions 6 */
export function planTools(_plan: ToolsToPlan): ToolPlan {
	throw new Error('not written yet');
}
