import type {JsonObject} from '../core/json.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';

/** A message by which a person sees that a platform works, sent at `now`. It belongs to no run, so that it has the short limits of a text that a sender waits for. */
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
