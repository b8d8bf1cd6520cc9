import type {GatewayEvent} from '../core/events.ts';
import type {GatewayState} from '../core/state.ts';
import type {contract} from './contract/contract.ts';
import type {CommandsOf} from './contract/operation.ts';

/** The commands of a gateway, as described in `contract/`. They reject with `SvcError`; nothing here throws synchronously. */
export type GatewayCommands = CommandsOf<typeof contract>;

type Answer<Name extends keyof GatewayCommands> = Awaited<ReturnType<GatewayCommands[Name]>>;

/** What a replay would do. */
export type ReplayPlan = Answer<'planReplay'>;

/** @see manual/control-api.md */
export type GatewayStatus = Answer<'status'>;

/** An invalid item of the configuration. @see manual/guarantees.md#nothing-accepted-is-lost */
export type StatusError = GatewayStatus['slips'][number];

export type StopConsequences = Answer<'stopConsequences'>;

/** What reading the tool servers' configuration again would do; one line each. */
export type ServerReloadPlan = Answer<'planServerReload'>;

/** What a face can do with a gateway: observe it and command it. Two implementations: in this process, and over `run/gateway.sock`; a face cannot tell them apart. */
export type GatewayPort = GatewayCommands & {
	/** Set when commands that change something are refused. */
	readonly isReadOnly?: true;
	/** `false` when the gateway runs in another process. */
	readonly embedded: boolean;
	/** The current state; the same object until something happened. */
	readonly getState: () => GatewayState;
	/** Calls `listener` with every batch of events, once the state includes them. Returns the unsubscribe function. */
	readonly subscribe: (listener: (events: readonly GatewayEvent[]) => void) => () => void;

	/** Detaches: an attached face leaves, the gateway stays. */
	[Symbol.asyncDispose](): Promise<void>;
};
