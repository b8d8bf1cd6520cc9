import type {JsonObject} from '../core/json.ts';
import type {Target} from '../core/run.ts';

/** A text to be delivered. */
export type OutgoingMessage = {
	readonly text: string;
	/** Rendered: a template that remains in it is an error. */
	readonly target: Target;
	readonly profile: string;
	readonly route: string;
	readonly event: string;
	/** `Delivery.id` of the event behind it; absent when a schedule or a person fired a job. */
	readonly delivery?: string;
	/** The sender's identifier of an event that is delivered without an agent: the same when it is sent again. */
	readonly identifier?: string;
	/** The scheduled job of its run. */
	readonly job?: {readonly id: string; readonly name: string};
	/** The run of the agent. Absent when there is none: the sender of the event then waits for the delivery, unless `isBackground`. */
	readonly runId?: number;
	/** No run and no waiting sender: it has the time limit of an answer. */
	readonly isBackground?: true;
	/** A person tests the target: it is sent at once, also to a platform that has failed. */
	readonly isTest?: true;
	/** `RunPlan.again`: a text delivered again after it arrived counts as another message. */
	readonly again?: number;
	/** When the run first started, or started after a person queued it again, milliseconds since 1970. */
	readonly startedAt?: number;
	/** `RunPlan.key` of the run. */
	readonly key?: string;
	/** It replaces an earlier message completely: text beyond one message is sent in further messages. Otherwise it is cut. */
	readonly isWhole?: true;
	/** After its arrival it is also added to the session of its chat. */
	readonly mirrors?: true;
	/** Buttons below its last part, on platforms that support them and are listened to. */
	readonly buttons?: ReadonlyArray<{readonly label: string; readonly data: string}>;
	/** Whether no language model wrote it (offline model): unless allowed, such text is only delivered to `log`. */
	readonly offline: boolean;
};

/** Characters that no target needs: control characters except tab and line feed, and those that change the direction of text. */
// oxlint-disable-next-line no-control-regex -- they are what it removes
const unwanted = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text with line feeds as its only line breaks, without control characters and lone surrogates. */
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
