import {isJsonObject} from '../../core/json.ts';
import {hmacSha256, type Challenge, type SenderPreset} from './sender.ts';

const maxChallengeLength = 1024;

/** @see https://docs.slack.dev/reference/events/url_verification */
const challenge: Challenge = payload => {
	if (!isJsonObject(payload) || payload['type'] !== 'url_verification') {
		return undefined;
	}

	const text = payload['challenge'];
	return typeof text === 'string' && text.length <= maxChallengeLength
		? {body: {challenge: text}}
		: undefined;
};

/**
 * A slash command is answered with a sentence; a button, menu or form with an empty body, since Slack would take a text for an instruction to the form. Events are answered
 * as those of other senders.
 *
 * @see https://docs.slack.dev/interactivity/implementing-slash-commands, https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response
 */
const acknowledge: SenderPreset['acknowledge'] = (payload, said) => {
	if (!isJsonObject(payload) || Object.hasOwn(payload, 'type')) {
		return undefined;
	}

	if (typeof payload['command'] === 'string') {
		return {body: {response_type: 'ephemeral', text: said}};
	}

	return isJsonObject(payload['payload'] ?? null) ? {} : undefined;
};

/** @see https://docs.slack.dev/authentication/verifying-requests-from-slack, https://docs.slack.dev/interactivity/handling-user-interaction */
export const slack: SenderPreset = {
	description:
		'`X-Slack-Signature` with `X-Slack-Request-Timestamp`, 300 s; event and identifier are `type` and `event_id` of the body (slash command: `command` and `trigger_id`; button, menu or form: `payload.type` and `payload.trigger_id`); `url_verification` and [commands](receiver.md#people-who-wait) are answered',
	signature: hmacSha256('x-slack-signature', {
		prefix: 'v0=',
		timestampHeader: 'x-slack-request-timestamp',
		signed: 'v0:{timestamp}:{body}',
	}),
	// Slash commands are forms; so are interactions, whose only field `payload` is JSON.
	names: {
		eventFields: ['type', 'command', 'payload.type'],
		idFields: ['event_id', 'trigger_id', 'payload.trigger_id'],
	},
	subjects: [
		['{event.channel} {event.user}[ · {event.text}]', 'team_id'],
		['{command}[ {text}][ · {user_name}]', 'response_url'],
		[
			'{payload.type}[ {payload.actions.0.action_id}][ · {payload.user.username}]',
			'payload.trigger_id',
		],
		['{event.type}[ {event.user}][ {event.channel}]', 'event_id'],
	],
	challenge,
	acknowledge,
};
