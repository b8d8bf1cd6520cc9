import {hmacSha256, type SenderPreset} from './sender.ts';

/** The secret is the client secret of the integration. @see https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
export const sentry: SenderPreset = {
	description:
		'`Sentry-Hook-Signature`; event and identifier come from `Sentry-Hook-Resource` and `Request-ID`, which are unsigned',
	signature: hmacSha256('sentry-hook-signature'),
	names: {eventHeaders: ['sentry-hook-resource'], idHeaders: ['request-id']},
	subjects: [
		{text: '{data.issue.shortId} {action}', more: [' · {data.issue.title}']},
		{text: '{data.triggered_rule}', more: [' · {data.event.title}']},
		{text: '{data.metric_alert.title} {action}', more: [' · {data.description_text}']},
		{text: '{data.error.title}', more: [' · {data.error.culprit}']},
		{text: '{data.event.title}', more: [' · {data.event.culprit}'], needs: 'installation'},
	],
};
