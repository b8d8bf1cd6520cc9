import type {SenderPreset} from './sender.ts';

/** Cloud sends `X-Request-UUID`, Data Center `X-Request-Id`. @see https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/ */
export const bitbucket: SenderPreset = {
	description:
		'`X-Hub-Signature: sha256=…`; event and identifier come from `X-Event-Key` and `X-Request-UUID` (`X-Request-Id`), which are not signed',
	signature: {
		header: 'x-hub-signature',
		algorithm: 'sha256',
		prefix: 'sha256=',
		encoding: 'hex',
		signed: '{body}',
	},
	names: {eventHeaders: ['x-event-key'], idHeaders: ['x-request-uuid', 'x-request-id']},
};
