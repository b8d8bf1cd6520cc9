import type {SecureContext} from 'node:tls';
import type {SandboxConfig, ToolsetsConfig} from '../config/toolset-settings.ts';
import type {Tool} from '../core/tool.ts';
import type {World} from '../core/world.ts';

/** A tool of svc's own as a person hears of it before any run. */
export type OfferedTool = {
	readonly name: string;
	/** Whether each call asks a person. */
	readonly asks: boolean;
	/** Claims to change nothing. */
	readonly readOnly: boolean;
};

/** A run that asks for a toolset by its name. */
export type ToolsRun = {
	readonly id: number;
	readonly profile: {
		readonly name: string;
		/** Its folder, and the one that holds all profiles. */
		readonly home: string;
		readonly svcHome: string;
		readonly userHome: string;
		readonly environment: Readonly<Record<string, string | undefined>>;
	};
	/** What started it was not signed: anybody may have sent it. */
	readonly isUnsigned: boolean;
	/** Ends whatever the tools do. */
	readonly signal: AbortSignal;
	/** Shows a sentence in the run at once, as often as it is called; clean. Must not throw. */
	readonly note: (text: string) => void;
};

export type ToolsWorld = Pick<World, 'clock' | 'redact' | 'log'> & {
	/** As it is now: asked at each call. */
	readonly settings: () => ToolsetsConfig;
	readonly sandbox: () => SandboxConfig;
	/** Whom connections trust; absent: the authorities of Node. */
	readonly secureContext?: (() => SecureContext | undefined) | undefined;
};

/** Tools that svc brings itself. @see manual/routes.md#tools-of-a-route */
export type BuiltInToolset = {
	readonly name: keyof ToolsetsConfig;
	readonly offers: (settings: ToolsetsConfig) => readonly OfferedTool[];
	/** Why this run does not get it; what follows a colon. */
	readonly whyDropped?: (run: ToolsRun, world: ToolsWorld) => Promise<string | undefined>;
	/** The tools of one run. What is opened for them ends with `stack`. Loads what it needs. */
	readonly open: (
		run: ToolsRun,
		world: ToolsWorld,
		stack: AsyncDisposableStack,
	) => Promise<readonly Tool[]>;
};
