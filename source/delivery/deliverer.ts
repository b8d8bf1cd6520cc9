import type {PlatformView} from '../core/config-view.ts';
import {nearestName} from '../core/names.ts';
import type {Target} from '../core/run.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {ListeningState} from '../platforms/listener.ts';
import {type OutgoingMessage, withoutUnwanted} from '../platforms/outgoing-message.ts';
import {deliverValues} from '../platforms/platforms.ts';
import type {TargetHealth, TargetKind} from '../platforms/target-kind.ts';
import {neutraliseMentions} from './neutralise-mentions.ts';

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

/** What is wrong with a `deliver` value that names no kind. @see manual/delivery.md */
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

/**
 * A text as a kind of target sends it: line breaks as line feeds, no controls, no lone surrogates, at most as many characters as it takes. A longer one is cut and
 * says so at its end. Without `rules` the text stays as it is.
 */
export function outgoingText(text: string, rules: TargetKind['text']): string {
	if (!rules) {
		return text;
	}

	const bounded = cleanText(text, rules.maxLength);
	return rules.mentions === 'neutralised' ? neutraliseMentions(bounded) : bounded;
}

function cleanText(text: string, limit: number): string {
	const clean = withoutUnwanted(text);
	if (clean.length <= limit) {
		return clean;
	}

	const note = `\n\n[cut: the whole text has ${clean.length} characters]`;
	// The cut may tear a surrogate pair.
	return clean.slice(0, limit - note.length).replace(/[\ud800-\udbff]$/, '') + note;
}

/** How failed deliveries are tried again. */
type RetryPlan = {
	/** Tries in all; 3 when absent. */
	readonly tries?: number;
	/** Milliseconds from the first try to the last; 10 minutes when absent. */
	readonly spanMs?: number;
	/** A number from 0 to below 1. */
	readonly random: () => number;
};

const growth = 4;
const minDelayMs = 1000;

/** Waits are shortened by up to this part, so that runs that failed together do not come back together. */
const jitter = 0.2;

/**
 * Milliseconds to wait after try number `attempt` (counted from 1) has failed; `undefined` when that was the last. Each wait is four times the
 * one before, and all of them fill the span: about 2 and 8 minutes for 3 tries.
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
