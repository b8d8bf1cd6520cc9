import {hmacSha256, type SenderPreset} from './sender.ts';

/**
 * Without a timestamp header: with one, a contact point signs other content.
 *
 * @see https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
export const grafana: SenderPreset = {
	description:
		'`X-Grafana-Alerting-Signature` of a contact point that sends no timestamp header; the event is `status` of the body (`firing`, `resolved`); no identifier: set `dedupe_body: true`',
	signature: hmacSha256('x-grafana-alerting-signature'),
	names: {eventFields: ['status']},
	subjects: [['{title}', 'orgId']],
};
