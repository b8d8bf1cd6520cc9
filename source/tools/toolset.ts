import type {SecureContext} from 'node:tls';
import type {SandboxConfig, SandboxedToolset, ToolsetsConfig} from '../config/toolset-settings.ts';
import type {Tool} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import type {CodeHostSend} from './forge-broker/code-host.ts';

/** One of svc's own tools, as listed before any run. */
export type OfferedTool = {
	readonly name: string;
	/** Whether each call needs approval. */
	readonly asks: boolean;
	readonly readOnly: boolean;
};

/** The place of a route's, a job's or a chat's runs. */
export type ToolsPlace = {
	readonly profile: {
		readonly name: string;
		/** The profile's folder, and the folder of all profiles. */
		readonly home: string;
		readonly svcHome: string;
		readonly userHome: string;
		readonly environment: Readonly<Record<string, string | undefined>>;
	};
	/** Whether the event is unsigned, so that anybody may have sent it. */
	readonly isUnsigned: boolean;
	/** The checkout in which a run's tools work, in place of the working folder. */
	readonly checkout?: {
		/** Outside of all folders that a sandbox may write to. The gateway fills it before the first call. */
		readonly folder: string;
		/** All toolsets see the checkout at the working folder of this one. */
		readonly of: SandboxedToolset;
	};
};

/** A run that requests a toolset by name. */
export type ToolsRun = ToolsPlace & {
	readonly id: number;
	/** Ends the tools' work. */
	readonly signal: AbortSignal;
	/** What the run may read from the code host, if `toolsets.terminal.forge` allows it. */
	readonly forge: {
		/** The code host's client: a program on PATH, or its path. */
		readonly cli: string;
		/** The client's code host, such as `github.com`. */
		readonly host: string;
		/** `owner/name` of the event's repository; absent if it has none. */
		readonly repository?: string;
		/** Gets the token printed by the client. Rejects with a sentence. */
		readonly token: () => Promise<string>;
	};
	/** Shows a safe sentence in the run immediately. Must not throw. */
	readonly note: (text: string) => void;
};

/** The current settings: read at each call. */
export type ToolsSettings = {
	readonly settings: () => ToolsetsConfig;
	readonly sandbox: () => SandboxConfig;
};

export type ToolsWorld = ToolsSettings &
	Pick<World, 'clock' | 'redact' | 'log'> & {
		/** Sends a request to the code host; absent: the run opens its own connections. */
		readonly askCodeHost?: CodeHostSend;
		/** The certificate authorities to trust; absent: those of Node. */
		readonly secureContext?: (() => SecureContext | undefined) | undefined;
	};

/** Settings of a toolset that are known only by a trial, at a place. */
export type Tried = {
	/** Why runs do not get the toolset; follows a colon. */
	readonly broken?: string;
	/** Why its tools work without a sandbox, so that each call needs approval. */
	readonly open?: string;
};

/** A toolset built into svc. @see manual/routes.md#tools-of-a-route */
export type BuiltInToolset = {
	readonly name: keyof ToolsetsConfig;
	readonly offers: (settings: ToolsetsConfig) => readonly OfferedTool[];
	readonly tryAt?: (place: ToolsPlace, world: ToolsSettings) => Promise<Tried>;
	/** Opens the tools for one run, loading what they need. Resources are released with `stack`. */
	readonly open: (
		run: ToolsRun,
		world: ToolsWorld,
		stack: AsyncDisposableStack,
	) => Promise<readonly Tool[]>;
};
