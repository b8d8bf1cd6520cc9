import type {SenderPreset} from './sender.ts';

const challengeHeader = 'x-okta-verification-challenge';

/** The secret is the value of the authentication field of the hook; its name must be `Authorization`. @see https://developer.okta.com/docs/concepts/event-hooks/ */
export const okta: SenderPreset = {
	description:
		'`Authorization` with the secret itself; event and identifier are `data.events.0.eventType` and `eventId` of the body; the `GET` with `X-Okta-Verification-Challenge` [is answered](receiver.md#challenges)',
	signature: {header: 'authorization', token: true, prefix: ''},
	hasCommonHeader: true,
	names: {eventFields: ['data.events.0.eventType'], idFields: ['eventId']},
	subjects: [
		['{data.events.0.displayMessage}[ · {data.events.0.actor.alternateId}]', 'eventTypeVersion'],
	],
	greet({header}) {
		const text = header(challengeHeader);
		return text === undefined ? undefined : {text, member: 'verification'};
	},
};
