import {hmacSha256, type SenderPreset} from './sender.ts';

/** The secret is the app secret. @see https://www.dropbox.com/developers/reference/webhooks */
export const dropbox: SenderPreset = {
	description:
		'`X-Dropbox-Signature`; the event is the name of the first key of the body (`list_folder`); no identifier, and equal bodies are different events; the `GET` with a `challenge` [is answered](receiver.md#challenges)',
	signature: hmacSha256('x-dropbox-signature'),
	names: {eventIn: body => Object.keys(body)[0]},
	subjects: ['{list_folder.accounts.0}'],
	greet({query}) {
		const text = query.get('challenge');
		return text === null ? undefined : {text};
	},
};
