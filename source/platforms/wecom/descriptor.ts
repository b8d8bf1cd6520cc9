import {defineWebhookPlatform} from '../platform.ts';

/** WeCom, by the message webhooks of groups. @see manual/delivery-wecom.md, https://developer.work.weixin.qq.com/document/path/91770 */
export const wecom = defineWebhookPlatform({
	kind: 'wecom',
	title: 'WeCom',
	perMinute: 20,
	setUp: [
		'In the settings of the group open Message Push (消息推送, earlier: group robots), add one, and copy the address of its webhook: it is the `url`.',
	],
	load: async () => import('./send.ts'),
});
