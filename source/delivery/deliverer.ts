import type {PlatformView} from '../core/config-view.ts';
import type {Target} from '../core/run.ts';
import type {ListeningState} from '../platforms/listener.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {TargetHealth} from '../platforms/target-kind.ts';

export type Receipt = {
	/** For a person: `comment on acme/api#7`, `email to ops@example.com`. */
	readonly summary: string;
	/** It was not handed to its target: the log has it instead. */
	readonly withheld?: true;
};

/**
 * Hands texts to their targets. Rejects with a `DeliveryError`; the caller decides about another try.
 */
export type Deliverer = {
	/**
	 * Resolves when the target has the text. `signal` ends the delivery; whether the text has arrived is then not certain.
	 *
	 * @throws DeliveryError
	 */
	deliver(message: OutgoingMessage, signal: AbortSignal): Promise<Receipt>;
	/** Whether a delivery to that kind may be handed over again although its end is not known: this finds out, or does no harm. False for a kind that is not there. */
	mayRepeat(kind: string): boolean;
	/** Whether `text` would be one message there as it is: nothing of it cut, hidden or in another message. Loads what sends; never rejects. */
	fits(target: Target, text: string): Promise<boolean>;
	/** Why the rendered `target` could not be delivered to, or `undefined`; no I/O. Used to refuse early and to show. */
	problemWith(target: Target): string | undefined;
	/** Why nothing could be sent to targets of a kind for `profile` now, as far as that can be asked without sending; takes up to 5 s. */
	problemNow(kind: string, profile: string): Promise<string | undefined>;
	/** Looks whether something could be sent to targets of a kind for `profile`, without sending; `undefined` where there is nothing to look at. */
	examine(kind: string, profile: string, signal: AbortSignal): Promise<TargetHealth | undefined>;
	/** Asks the platforms of the current configuration whether they take our credentials, now and while they do not; again after each change of it. Nothing waits for it. */
	follow(): void;
	/** Hears how listening to a platform stands; `undefined`: it is not listened to. A platform that is listened to is connected once it is. */
	listens(kind: string, state: ListeningState | undefined): void;
	/** The configured platforms, as their last delivery left them. */
	platforms(): readonly PlatformView[];
	/** Ends what is under way at once: child processes and conversations with servers. */
	[Symbol.asyncDispose](): Promise<void>;
};
