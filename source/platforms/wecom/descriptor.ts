import {definePlatform, type SettingsOf} from '../platform.ts';
import {webhooks} from '../settings.ts';

const fields = {webhooks};

export type WecomSettings = SettingsOf<typeof fields, 'webhooks'>;

/** WeCom, by the message webhooks of groups. @see manual/delivery-wecom.md, https://developer.work.weixin.qq.com/document/path/91770 */
export const wecom = definePlatform({
	kind: 'wecom',
	title: 'WeCom',
	fields,
	needs: ['webhooks'],
	chat: {hooks: true},
	perMinute: 20,
	setUp: [
		'In the settings of the group open Message Push (消息推送, earlier: group robots), add one, and copy the address of its webhook: it is the `url`.',
	],
	load: async () => import('./send.ts'),
});
