import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {Challenge, SenderPreset} from './sender.ts';

/** Answers by `type` to requests that are no events: 0 the PING of webhook events, 1 the PING of interactions, 4 autocomplete, which gets no suggestions. */
const answers: ReadonlyMap<unknown, ReturnType<Challenge>> = new Map([
	[0, {}],
	[1, {body: {type: 1}}],
	[4, {body: {type: 8, data: {choices: []}}}],
]);

/**
 * The `type` of an interaction. Webhook events have such a `type`, too, but are recognised by their `event`.
 *
 * @see https://docs.discord.com/developers/interactions/overview, https://docs.discord.com/developers/events/webhook-events
 */
const typeOf = (payload: JsonValue): JsonValue | undefined =>
	isJsonObject(payload) && !Object.hasOwn(payload, 'event') ? payload['type'] : undefined;

const challenge: Challenge = payload => answers.get(typeOf(payload));

/** Flag of a message that only the person who used the command sees. */
const ephemeral = 64;

/**
 * Answers at once (type 4). A deferred answer (type 5) shows "is thinking…" until a second request, which is never sent here: after 15 minutes it would fail.
 *
 * @see https://docs.discord.com/developers/interactions/receiving-and-responding
 */
const acknowledge: SenderPreset['acknowledge'] = (payload, said) =>
	typeof typeOf(payload) === 'number'
		? {body: {type: 4, data: {content: said, flags: ephemeral}}}
		: undefined;

export const discord: SenderPreset = {
	description:
		'`X-Signature-Ed25519` with `X-Signature-Timestamp`, 300 s; the secret is the public key of the application (64 hex digits); the event is `event.type` (command: `data.name`; button, menu or form: `data.custom_id`); the identifier is `id`; `PING` and [commands](receiver.md#people-who-wait) are answered',
	signature: {
		header: 'x-signature-ed25519',
		ed25519: true,
		timestampHeader: 'x-signature-timestamp',
	},
	names: {eventFields: ['event.type', 'data.name', 'data.custom_id'], idFields: ['id']},
	subjects: [
		['/{data.name}[ by {member.user.username}][ by {user.username}]', 'application_id'],
		['{event.data.user.username}', 'application_id'],
	],
	challenge,
	acknowledge,
};
