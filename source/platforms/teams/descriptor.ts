import {definePlatform, type SettingsOf} from '../platform.ts';
import {webhooks} from '../settings.ts';

const fields = {webhooks};

export type TeamsSettings = SettingsOf<typeof fields, 'webhooks'>;

/** Microsoft Teams, by webhooks of Workflows. @see manual/delivery-teams.md, https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
export const teams = definePlatform({
	kind: 'teams',
	title: 'Microsoft Teams',
	fields,
	needs: ['webhooks'],
	chat: {hooks: true},
	perMinute: 240,
	setUp: [
		'In Teams, open the menu of the channel or chat, choose Workflows and add "Send webhook alerts to a channel" (or "to a chat"): it shows the address of its webhook.',
		'Give the workflow a second owner: it stops when its only owner leaves.',
	],
	load: async () => import('./send.ts'),
});
