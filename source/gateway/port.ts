import type {GatewayEvent} from '../core/events.ts';
import type {GatewayState} from '../core/state.ts';
import type {contract} from './contract/contract.ts';
import type {CommandsOf} from './contract/operation.ts';

/** What a gateway can be asked and told: `contract/` has the table. Commands reject with `SvcError`; nothing here throws synchronously. */
export type GatewayCommands = CommandsOf<typeof contract>;

type Answer<Name extends keyof GatewayCommands> = Awaited<ReturnType<GatewayCommands[Name]>>;

/** What a replay would do, said before it is done. */
export type ReplayPlan = Answer<'planReplay'>;

/** @see manual/control-api.md */
export type GatewayStatus = Answer<'status'>;

/** Something that cannot be used as it is written. @see manual/guarantees.md#nothing-accepted-is-lost */
export type StatusError = GatewayStatus['slips'][number];

export type StopConsequences = Answer<'stopConsequences'>;

/** What reading the tool servers' configuration again would do; one line each. */
export type ServerReloadPlan = Answer<'planServerReload'>;

/**
 * What a face may do with a gateway: watch it and command it. Two implementations: in this process, and over `run/gateway.sock`; a face cannot tell
 * them apart.
 */
export type GatewayPort = GatewayCommands & {
	/** Commands that change something are refused. */
	readonly isReadOnly?: true;
	/** `false` when the gateway runs in another process. */
	readonly embedded: boolean;
	/** The current state; the same object until something happened. */
	readonly getState: () => GatewayState;
	/** Calls `listener` with every batch of events, after the state holds them. Returns the way out. */
	readonly subscribe: (listener: (events: readonly GatewayEvent[]) => void) => () => void;

	/** Leaves: an attached face goes, the gateway stays. */
	[Symbol.asyncDispose](): Promise<void>;
};
