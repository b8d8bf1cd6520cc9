import {hmacSha256, type SenderPreset} from './sender.ts';

/** The secret is the client secret of the integration. @see https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
export const sentry: SenderPreset = {
	description:
		'`Sentry-Hook-Signature`; event and identifier come from `Sentry-Hook-Resource` and `Request-ID`, which are unsigned',
	signature: hmacSha256('sentry-hook-signature'),
	names: {eventHeaders: ['sentry-hook-resource'], idHeaders: ['request-id']},
	subjects: [
		'{data.issue.shortId} {action}[ · {data.issue.title}]',
		'{data.triggered_rule}[ · {data.event.title}]',
		'{data.metric_alert.title} {action}[ · {data.description_text}]',
		'{data.error.title}[ · {data.error.culprit}]',
		['{data.event.title}[ · {data.event.culprit}]', 'installation'],
	],
};
