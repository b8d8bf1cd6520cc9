import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {secretText, serverAddress} from '../settings.ts';

const fields = {
	api_base: serverAddress('Address of the server, before `/api/v1`; `http:` for this machine only'),
	user_id: setting(nonEmptyText, 'Id of the user whose token it is'),
	auth_token: secretText('Personal access token', 'ROCKETCHAT_AUTH_TOKEN'),
};

export type RocketchatSettings = SettingsOf<typeof fields, 'apiBase' | 'authToken' | 'userId'>;

/** Whether a chat is `#channel` or `@user`; others are room ids. */
export const isRoomName = (chat: string): boolean => /^[#@]/.test(chat);

/** Rocket.Chat, by a user. @see manual/delivery-rocketchat.md, https://developer.rocket.chat/apidocs */
export const rocketchat = definePlatform({
	kind: 'rocketchat',
	title: 'Rocket.Chat',
	fields,
	needs: ['apiBase', 'userId', 'authToken'],
	chat: {
		form: /^(?:[A-Za-z0-9]{3,64}|[#@][\p{L}\p{N}._-]{1,120})$/u,
		says: 'the id of a room, #channel or @user',
	},
	thread: {form: /^[A-Za-z0-9]{3,64}$/, says: 'the id of the first message of a thread'},
	edits: Infinity,
	perMinute: 10,
	// A message with an id of ours is stored only once, at any time; messages to a name have none.
	keyWindowMs: chat => (isRoomName(chat) ? 0 : Infinity),
	setUp: [
		'Log in as the user that is to write; My Account > Personal Access Tokens gives the token and the id of the user. The token has to work without two-factor authentication.',
		'Add the user to the room. Writing to `@user` opens a conversation.',
	],
	load: async () => import('./send.ts'),
});
