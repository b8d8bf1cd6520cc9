import type {SecureContext} from 'node:tls';
import type {SandboxConfig, SandboxedToolset, ToolsetsConfig} from '../config/toolset-settings.ts';
import type {Tool} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import type {CodeHostSend} from './forge-broker/code-host.ts';

/** A tool of svc's own as a person hears of it before any run. */
export type OfferedTool = {
	readonly name: string;
	/** Whether each call asks a person. */
	readonly asks: boolean;
	/** Claims to change nothing. */
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
	/** What starts them is not signed: anybody may have sent it. */
	readonly isUnsigned: boolean;
	/** The checkout that the tools of a run work in, in place of the working folder. */
	readonly checkout?: {
		/** Outside of all that any sandbox may write. Filled by the gateway before the first call. */
		readonly folder: string;
		/** The toolset in whose working folder it is seen, by all of them. */
		readonly of: SandboxedToolset;
	};
};

/** A run that asks for a toolset by its name. */
export type ToolsRun = ToolsPlace & {
	readonly id: number;
	/** Ends whatever the tools do. */
	readonly signal: AbortSignal;
	/** What it may read of the code host, where `toolsets.terminal.forge` lets it. */
	readonly forge: {
		/** The client: a program on PATH, or its path. */
		readonly cli: string;
		/** The one that the client speaks to, such as `github.com`. */
		readonly host: string;
		/** `owner/name` of what the event is about; absent: it is about none. */
		readonly repository?: string;
		/** What the client prints as its token. Rejects with a sentence. */
		readonly token: () => Promise<string>;
	};
	/** Shows a sentence in the run at once, as often as it is called; clean. Must not throw. */
	readonly note: (text: string) => void;
};

/** As they are now: asked at each call. */
export type ToolsSettings = {
	readonly settings: () => ToolsetsConfig;
	readonly sandbox: () => SandboxConfig;
};

export type ToolsWorld = ToolsSettings &
	Pick<World, 'clock' | 'redact' | 'log'> & {
		/** Sends a request to the code host; absent: by connections of the run. */
		readonly askCodeHost?: CodeHostSend;
		/** Whom connections trust; absent: the authorities of Node. */
		readonly secureContext?: (() => SecureContext | undefined) | undefined;
	};

/** What runs at a place meet. */
export type Tried = {
	/** Why they do not get a toolset; what follows a colon. */
	readonly dropped?: string;
	/** Why its tools work without a sandbox, so that each call asks. */
	readonly open?: string;
};

/** Tools that svc brings itself. @see manual/routes.md#tools-of-a-route */
export type BuiltInToolset = {
	readonly name: keyof ToolsetsConfig;
	readonly offers: (settings: ToolsetsConfig) => readonly OfferedTool[];
	/** What is known of runs there only by trying. */
	readonly tryAt?: (place: ToolsPlace, world: ToolsSettings) => Promise<Tried>;
	/** The tools of one run. What is opened for them ends with `stack`. Loads what it needs. */
	readonly open: (
		run: ToolsRun,
		world: ToolsWorld,
		stack: AsyncDisposableStack,
	) => Promise<readonly Tool[]>;
};
