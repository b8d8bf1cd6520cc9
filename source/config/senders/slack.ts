import type {SenderPreset} from './sender.ts';

/** @see https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slack: SenderPreset = {
	description:
		'`X-Slack-Signature` with `X-Slack-Request-Timestamp`, 300 s; the identifier is `event_id` of the body',
	signature: {
		header: 'x-slack-signature',
		algorithm: 'sha256',
		prefix: 'v0=',
		encoding: 'hex',
		timestampHeader: 'x-slack-request-timestamp',
		signed: 'v0:{timestamp}:{body}',
	},
	names: {idFields: ['event_id']},
};
