import {defineWebhookPlatform} from '../platform.ts';

/** Microsoft Teams, by webhooks of Workflows. @see manual/delivery-teams.md, https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
export const teams = defineWebhookPlatform({
	kind: 'teams',
	title: 'Microsoft Teams',
	perMinute: 240,
	setUp: [
		'In Teams, open the menu of the channel or chat, choose Workflows and add "Send webhook alerts to a channel" (or "to a chat"): it shows the address of its webhook.',
		'Give the workflow a second owner: it stops when its only owner leaves.',
	],
	load: async () => import('./send.ts'),
});
