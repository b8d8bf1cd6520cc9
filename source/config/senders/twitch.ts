import {isJsonObject} from '../../core/json.ts';
import {hmacSha256, type Challenge, type SenderPreset} from './sender.ts';

/** The challenge of a new subscription; events have no `challenge`. @see https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#responding-to-a-challenge-request */
const challenge: Challenge = payload => {
	const text =
		isJsonObject(payload) && Object.hasOwn(payload, 'subscription')
			? payload['challenge']
			: undefined;
	return typeof text === 'string' ? {text} : undefined;
};

/** @see https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#verifying-the-event-message */
export const twitch: SenderPreset = {
	description:
		'`Twitch-Eventsub-Message-Signature: sha256=…` of `Twitch-Eventsub-Message-Id` (the identifier), `Twitch-Eventsub-Message-Timestamp` (RFC 3339, 300 s) and the body; the event is `subscription.type`; its challenge is answered',
	signature: hmacSha256('twitch-eventsub-message-signature', {
		prefix: 'sha256=',
		timestampHeader: 'twitch-eventsub-message-timestamp',
		timeFormat: 'iso',
		idHeader: 'twitch-eventsub-message-id',
		signed: '{id}{timestamp}{body}',
	}),
	names: {eventFields: ['subscription.type'], idHeaders: ['twitch-eventsub-message-id']},
	subjects: [['{event.broadcaster_user_name}', 'subscription.type']],
	challenge,
};
