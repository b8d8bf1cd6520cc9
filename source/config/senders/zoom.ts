import {isJsonObject} from '../../core/json.ts';
import {lookUp} from '../../core/payload.ts';
import {hmacSha256, type Challenge, type SenderPreset} from './sender.ts';

const maxTokenLength = 1024;

/** Zoom also repeats this challenge every 72 hours. @see https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint */
const challenge: Challenge = (payload, sign) => {
	if (!isJsonObject(payload) || payload['event'] !== 'endpoint.url_validation') {
		return undefined;
	}

	const plainToken = lookUp(payload, ['payload', 'plainToken']);
	return typeof plainToken === 'string' && plainToken.length <= maxTokenLength
		? {body: {plainToken, encryptedToken: sign(plainToken)}}
		: undefined;
};

/** The secret is the secret token of the app. @see https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events */
export const zoom: SenderPreset = {
	description:
		'`X-Zm-Signature` with `X-Zm-Request-Timestamp`, 300 s; the event is `event` of the body; no identifier: set `dedupe_body: true`; `endpoint.url_validation` is answered',
	signature: hmacSha256('x-zm-signature', {
		prefix: 'v0=',
		timestampHeader: 'x-zm-request-timestamp',
		signed: 'v0:{timestamp}:{body}',
	}),
	names: {eventFields: ['event']},
	subjects: [['{payload.object.topic}', 'event_ts']],
	challenge,
};
