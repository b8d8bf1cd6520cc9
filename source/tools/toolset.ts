import type {SecureContext} from 'node:tls';
import type {SandboxConfig, SandboxedToolset, ToolsetsConfig} from '../config/toolset-settings.ts';
import type {Tool} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import type {CodeHostSend} from './forge-broker/code-host.ts';

/** A tool of svc's own as it is listed before any run. */
export type OfferedTool = {
	readonly name: string;
	/** Whether each call asks a person. */
	readonly asks: boolean;
	readonly readOnly: boolean;
};

/** Where runs of a route, a job or a chat stand. */
export type ToolsPlace = {
	readonly profile: {
		readonly name: string;
		/** Its folder, and the one that holds all profiles. */
		readonly home: string;
		readonly svcHome: string;
		readonly userHome: string;
		readonly environment: Readonly<Record<string, string | undefined>>;
	};
	/** The event is not signed: anybody may have sent it. */
	readonly isUnsigned: boolean;
	/** The checkout that the tools of a run work in, in place of the working folder. */
	readonly checkout?: {
		/** Outside of all folders that a sandbox may write. Filled by the gateway before the first call. */
		readonly folder: string;
		/** All toolsets see it in the working folder of this one. */
		readonly of: SandboxedToolset;
	};
};

/** A run that asks for a toolset by its name. */
export type ToolsRun = ToolsPlace & {
	readonly id: number;
	/** Ends the work of the tools. */
	readonly signal: AbortSignal;
	/** What it may read of the code host, where `toolsets.terminal.forge` allows that. */
	readonly forge: {
		/** The client: a program on PATH, or its path. */
		readonly cli: string;
		/** The code host of the client, such as `github.com`. */
		readonly host: string;
		/** `owner/name` of the event's repository; absent: it has none. */
		readonly repository?: string;
		/** The token that the client prints. Rejects with a sentence. */
		readonly token: () => Promise<string>;
	};
	/** Shows a clean sentence in the run at once, on each call. Must not throw. */
	readonly note: (text: string) => void;
};

/** The settings as they are now: read at each call. */
export type ToolsSettings = {
	readonly settings: () => ToolsetsConfig;
	readonly sandbox: () => SandboxConfig;
};

export type ToolsWorld = ToolsSettings &
	Pick<World, 'clock' | 'redact' | 'log'> & {
		/** Sends a request to the code host; absent: by connections of the run. */
		readonly askCodeHost?: CodeHostSend;
		/** The authorities that connections trust; absent: those of Node. */
		readonly secureContext?: (() => SecureContext | undefined) | undefined;
	};

/** What runs at a place will find: settings of a toolset that are known only by trying. */
export type Tried = {
	/** Why they do not get the toolset; follows a colon. */
	readonly broken?: string;
	/** Why its tools work without a sandbox, so that each call asks. */
	readonly open?: string;
};

/** Tools that svc brings itself. @see manual/routes.md#tools-of-a-route */
export type BuiltInToolset = {
	readonly name: keyof ToolsetsConfig;
	readonly offers: (settings: ToolsetsConfig) => readonly OfferedTool[];
	readonly tryAt?: (place: ToolsPlace, world: ToolsSettings) => Promise<Tried>;
	/** The tools of one run. What they open ends with `stack`. Loads what it needs. */
	readonly open: (
		run: ToolsRun,
		world: ToolsWorld,
		stack: AsyncDisposableStack,
	) => Promise<readonly Tool[]>;
};
