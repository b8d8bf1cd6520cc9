import type {JsonObject} from '../core/json.ts';
import type {Target} from '../core/run.ts';

/** One text on its way out. */
export type OutgoingMessage = {
	readonly text: string;
	/** Rendered: a template left in it is an error. */
	readonly target: Target;
	readonly profile: string;
	readonly route: string;
	readonly event: string;
	/** `Delivery.id` of the event behind it; absent when a schedule or a person fired a job. */
	readonly delivery?: string;
	/** The sender's identifier of the event, where it is delivered without an agent: the same when it is sent again. */
	readonly identifier?: string;
	/** The scheduled job whose run it is. */
	readonly job?: {readonly id: string; readonly name: string};
	/** Absent: there is no agent, and the sender of the event waits, unless `isBackground`. */
	readonly runId?: number;
	/** No run made it, and no sender waits for it: it has the time of an answer. */
	readonly isBackground?: true;
	/** A person tests the target: it is sent at once, also to a platform that has failed. */
	readonly isTest?: true;
	/** `RunPlan.again`: a text that is sent once more after it arrived is another message. */
	readonly again?: number;
	/** When the run was first begun, or begun after a person put it back, milliseconds since 1970. */
	readonly startedAt?: number;
	/** `RunPlan.key` of the run. */
	readonly key?: string;
	/** It replaces an earlier message whole: the text that one message has no room for follows in others. Otherwise it is cut. */
	readonly isWhole?: true;
	/** Once it has arrived, it stands in the session of its chat, too. */
	readonly mirrors?: true;
	/** Buttons below its last part, on platforms that have buttons whose presses are heard. */
	readonly buttons?: ReadonlyArray<{readonly label: string; readonly data: string}>;
	/** True when no language model wrote it (offline engine): unless allowed, such text goes only to `log`. */
	readonly offline: boolean;
};

/** Characters that no target needs: controls other than tabs and line feeds, and those that change the direction of a text. */
// oxlint-disable-next-line no-control-regex -- they are what it removes
const unwanted = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text with line feeds as its only line breaks, without controls and lone surrogates. */
export const withoutUnwanted = (text: string): string =>
	text
		.toWellFormed()
		.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
		.replaceAll(unwanted, '');

/** A message that shows a person that a platform works, sent at `now`. It belongs to no run, and so has the short limits of a text that a sender waits for. */
export const testMessage = (kind: string, extra: JsonObject, now: number): OutgoingMessage => ({
	text: `It works: a test message of svc, ${new Date(now).toISOString()}.`,
	target: {kind, extra},
	profile: 'default',
	route: 'test',
	event: 'test',
	delivery: `test-${now}`,
	isTest: true,
	offline: false,
});
