import {conversing} from '../conversing.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {secretText, serverAddress} from '../settings.ts';

const fields = {
	homeserver: serverAddress('Address of the homeserver: `https://matrix.example.org`'),
	access_token: secretText('Access token of the account that sends', 'MATRIX_ACCESS_TOKEN'),
	...conversing,
};

export type MatrixSettings = SettingsOf<typeof fields, 'accessToken' | 'homeserver'>;

/** Matrix, by an account of its own. @see manual/delivery-matrix.md, https://spec.matrix.org/latest/client-server-api/ */
export const matrix = definePlatform({
	kind: 'matrix',
	title: 'Matrix',
	fields,
	needs: ['homeserver', 'accessToken'],
	chat: {
		// Since room version 12 an id may have no server.
		form: /^(?:!\S{1,254}|#[^\s:]{1,250}:\S{1,250})$/,
		says: 'the id (!abc:example.org) or an alias (#ops:example.org) of a room',
	},
	thread: {form: /^\$\S{1,254}$/, says: 'the id of an event ($abc)'},
	reply: {form: /^\$\S{1,254}$/, says: 'the id of an event ($abc)'},
	edits: Infinity,
	perMinute: 0,
	// The time is not specified; servers that forget transactions do so after half an hour or later.
	keyWindowMs: 1_800_000,
	setUp: [
		'Make an account for the gateway on the homeserver, invite it into the room and join with it.',
		'In Element its access token is in Settings, Help & About; or ask POST /_matrix/client/v3/login for one. Do not log out there: that ends the token.',
	],
	load: async () => import('./send.ts'),
	listens: {
		person: {form: /^@\S+:\S+$/, says: 'the id of a user (@ann:example.org)'},
		chat: {form: /^!/, says: 'the id of the room (!abc:example.org)'},
		load: async () => import('./listen.ts'),
	},
});
