import {z} from 'zod';
import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase, matching, secureAddress, webhooks} from '../settings.ts';

/** The members of a service account's key that are used; its file has more. */
export const accountKey = z.looseObject({
	client_email: nonEmptyText,
	private_key: nonEmptyText,
	token_uri: secureAddress.nullish(),
});

const fields = {
	webhooks,
	service_account: setting(
		z.union([
			matching(nonEmptyText, /^\//, 'a mapping, or the absolute path of a JSON file'),
			accountKey,
		]),
		'The JSON key of a service account: the absolute path of its file, or its mapping (`client_email`, `private_key`, `token_uri`)',
	),
	api_base: apiBase('https://chat.googleapis.com'),
};

export type GooglechatSettings = SettingsOf<typeof fields>;

/** Google Chat, by webhooks or as an app. @see manual/delivery-googlechat.md, https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create */
export const googlechat = definePlatform({
	kind: 'googlechat',
	title: 'Google Chat',
	fields,
	needs: [],
	lacks: ({webhooks: hooks, serviceAccount}) =>
		hooks || serviceAccount ? undefined : '"webhooks" or "service_account"',
	chat: {
		hooks: true,
		form: /^spaces\/[\w-]{1,100}$/,
		says: 'a space of the service account (spaces/AAAA)',
	},
	thread: {
		form: /^(?:spaces\/[\w-]{1,100}\/threads\/[\w.-]{1,100}|(?!spaces\/)\P{Cc}{1,1000})$/u,
		says: 'the name of a thread (spaces/AAAA/threads/BBBB), or a key of your own for one',
	},
	edits: Infinity,
	perMinute: 60,
	// Documented without a limit.
	keyWindowMs: 3_600_000,
	setUp: [
		'In the space, open Apps & integrations, add a webhook and copy its address: that is enough for one space.',
		'Or as an app: in the Google Cloud console enable the Google Chat API, configure the app there, create a service account with a JSON key, and add the app to the space.',
	],
	load: async () => import('./send.ts'),
});
