import {defineWebhookPlatform} from '../platform.ts';

/** DingTalk, by the custom robots of groups. @see manual/delivery-dingtalk.md, https://open.dingtalk.com/document/orgapp/custom-robot-access */
export const dingtalk = defineWebhookPlatform({
	kind: 'dingtalk',
	title: 'DingTalk',
	perMinute: 20,
	setUp: [
		'In the settings of the group open the group assistant (or Bots), and add a custom robot.',
		'Choose "Sign" (加签) as its security setting: what begins with SEC is the `secret`. The address of its webhook, with the access token, is the `url`.',
	],
	load: async () => import('./send.ts'),
});
