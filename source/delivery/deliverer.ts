import type {PlatformView} from '../core/config-view.ts';
import {nearestName} from '../core/names.ts';
import type {Target} from '../core/run.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {ListeningState} from '../platforms/listener.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import {deliverValues} from '../platforms/platforms.ts';
import type {TargetHealth} from '../platforms/target-kind.ts';

export type Receipt = {
	/** The result for a person: `comment on acme/api#7`, `email to ops@example.com`. */
	readonly summary: string;
	/** The text was not sent to its target, but written to the log. */
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
	/** Whether an interrupted delivery to that kind may be tried again: the kind finds out what arrived, or a repetition does no harm. False for an unknown kind. */
	mayRepeat(kind: string): boolean;
	/** Whether `text` would be one unchanged message there: not cut, split or redacted. Loads the sender; never rejects. */
	fits(target: Target, text: string): Promise<boolean>;
	/** Why nothing can be delivered to the rendered `target`; `undefined`: it can. Without I/O, so that targets can be refused early and problems shown. */
	problemWith(target: Target): string | undefined;
	/** Why nothing can be sent to targets of a kind for `profile` now; `undefined`: no problem was found. Sends nothing; takes up to 5 s. */
	problemNow(kind: string, profile: string): Promise<string | undefined>;
	/** Checks whether targets of a kind can be reached for `profile`, without sending; `undefined` if there is nothing to check. */
	examine(kind: string, profile: string, signal: AbortSignal): Promise<TargetHealth | undefined>;
	/** Checks whether the configured platforms accept our credentials, repeatedly until they do. Call it again after each change of the configuration. Nothing waits for it. */
	follow(): void;
	/** Sets the state of listening to a platform; `undefined`: it is not listened to. Otherwise the platform counts as connected only once it is listened to. */
	listens(kind: string, state: ListeningState | undefined): void;
	/** The configured platforms, in the state after their last delivery or check. */
	platforms(): readonly PlatformView[];
	/** Ends everything under way at once: child processes and connections to servers. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** The problem of a `deliver` value that names no kind. @see manual/delivery.md */
export function unknownTarget(kind: string): {
	readonly code: 'platform_unknown';
	readonly problem: string;
} {
	const shown = escapeLine(kind, 80);
	const near = nearestName(kind, deliverValues);
	return {
		code: 'platform_unknown',
		problem: `"${shown}" is not a platform${near === undefined ? '' : `, did you mean "${near}"?`}`,
	};
}

/** The retry policy for failed deliveries. */
type RetryPlan = {
	/** Tries in all; 3 when absent. */
	readonly tries?: number;
	/** Milliseconds from the first try to the last; 10 minutes when absent. */
	readonly spanMs?: number;
	/** Returns a random number from 0 to below 1, for the jitter. */
	readonly random: () => number;
};

const growth = 4;
const minDelayMs = 1000;

/** Largest part by which a wait is shortened at random, so that runs that failed together are not retried together. */
const jitter = 0.2;

/**
 * Milliseconds to wait after try number `attempt` (from 1) has failed; `undefined` after the last try. Each wait is four times as long as the one before, and together they
 * fill the span: about 2 and 8 minutes for 3 tries.
 *
 * @see manual/delivery.md#tries
 */
export function nextTry(
	attempt: number,
	{tries = 3, spanMs = 600_000, random}: RetryPlan,
): number | undefined {
	if (attempt >= tries) {
		return undefined;
	}

	// 1 + 4 + 16 + …
	const shares = (growth ** (tries - 1) - 1) / (growth - 1);
	const waitMs = (spanMs * growth ** (Math.max(attempt, 1) - 1)) / shares;
	return Math.max(minDelayMs, Math.round(waitMs * (1 - jitter * random())));
}
