import {isJsonObject} from '../../core/json.ts';
import type {Challenge, SenderPreset} from './sender.ts';

/**
 * The PING of an interactions endpoint has type 1, and so has an event of webhook events, which brings an `event`; their own PING has type 0.
 *
 * @see https://docs.discord.com/developers/interactions/overview, https://docs.discord.com/developers/events/webhook-events
 */
const challenge: Challenge = payload => {
	if (!isJsonObject(payload) || Object.hasOwn(payload, 'event')) {
		return undefined;
	}

	if (payload['type'] === 0) {
		return {};
	}

	return payload['type'] === 1 ? {body: {type: 1}} : undefined;
};

export const discord: SenderPreset = {
	description:
		'`X-Signature-Ed25519` with `X-Signature-Timestamp`, 300 s; the secret is the public key of the application (64 hex digits); the event is `event.type`; `PING` is answered',
	signature: {
		header: 'x-signature-ed25519',
		ed25519: true,
		timestampHeader: 'x-signature-timestamp',
	},
	names: {eventFields: ['event.type'], idFields: ['id']},
	subjects: [
		{
			text: '/{data.name}',
			more: [' by {member.user.username}', ' by {user.username}'],
			needs: 'application_id',
		},
		{text: '{event.data.user.username}', needs: 'application_id'},
	],
	challenge,
};
