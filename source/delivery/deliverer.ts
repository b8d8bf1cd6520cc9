import type {PlatformView} from '../core/config-view.ts';
import type {Target} from '../core/run.ts';

/** One text on its way out. */
export type OutgoingMessage = {
	readonly text: string;
	readonly target: Target;
	readonly profile: string;
	readonly route: string;
	readonly event: string;
	/** `Delivery.id` of the event behind it. */
	readonly delivery: string;
	readonly runId?: number;
	/** True when a language model did not write it (offline engine): such text goes to `log` only unless allowed. */
	readonly offline: boolean;
};

export type Receipt = {
	/** For a person: `comment on acme/api#7`, `email to ops@example.com`. */
	readonly summary: string;
};

/**
 * Hands texts to their targets. Rejects with a `DeliveryError`; the caller decides about another try.
 */
export type Deliverer = {
	deliver(message: OutgoingMessage, signal: AbortSignal): Promise<Receipt>;
	/** Why `target` could not be delivered to, or `undefined`; no I/O. Used to refuse early and to show. */
	problemWith(target: Target): string | undefined;
	platforms(): readonly PlatformView[];
	[Symbol.asyncDispose](): Promise<void>;
};
