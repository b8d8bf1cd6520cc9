import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase, chatName, matching, secretText} from '../settings.ts';

const fields = {
	access_token: secretText('Token of a system user', 'WHATSAPP_ACCESS_TOKEN'),
	phone_number_id: setting(
		matching(chatName, /^\d{5,25}$/, 'digits: it is not the number itself'),
		'Identifier of the number that sends; not the number',
		{to: String},
	),
	api_version: setting(
		matching(nonEmptyText, /^v\d{1,3}\.\d{1,2}$/, 'a version as v23.0'),
		'Version of the Graph API',
		{default: 'v23.0'},
	),
	api_base: apiBase('https://graph.facebook.com'),
};

export type WhatsappSettings = SettingsOf<typeof fields, 'accessToken' | 'phoneNumberId'>;

/** WhatsApp, by the Cloud API. @see manual/delivery-whatsapp.md, https://developers.facebook.com/docs/whatsapp/cloud-api */
export const whatsapp = definePlatform({
	kind: 'whatsapp',
	title: 'WhatsApp',
	fields,
	needs: ['accessToken', 'phoneNumberId'],
	chat: {form: /^\+?\d{7,15}$/, says: 'a phone number with its country code (+491701234567)'},
	reply: {
		form: /^wamid\.[\w+/=-]{1,200}$/,
		says: 'what WhatsApp calls a message (wamid.HBgL...)',
	},
	// One message per 6 s to a person.
	perMinute: 10,
	setUp: [
		'Make an app of the type Business at developers.facebook.com and add WhatsApp to it: "API Setup" shows the identifier of the number.',
		'Make a system user in the settings of the business, give it the app, and make a token that does not expire, with the permission whatsapp_business_messaging.',
		'The person must have written to that number within the last 24 hours: WhatsApp takes other texts as templates only.',
	],
	load: async () => import('./send.ts'),
});
