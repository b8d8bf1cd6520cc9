import {nonEmptyText, setting} from '../../../source/core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../../../source/platforms/platform.ts';
import {apiBase} from '../../../source/platforms/settings.ts';

const fields = {
	api_base: apiBase('https://pigeons.example'),
	token: setting(nonEmptyText, 'By which they are let out', {secret: true}),
};

export type PigeonSettings = SettingsOf<typeof fields, 'token'>;

/** A platform that nobody has: all that one costs is its folder, and a line in the list of kinds. `keyWindowMs`: how long it knows a key again. */
export const pigeon = (kind: string, window: {readonly keyWindowMs?: number} = {}) =>
	definePlatform({
		kind,
		title: 'Pigeons',
		fields,
		needs: ['token'],
		chat: {form: /^\S+$/, says: 'a city'},
		edits: 2,
		perMinute: 0,
		setUp: ['Feed it.'],
		...window,
		load: async () => {
			const {connectAs} = await import('./send.ts');
			return {connect: connectAs(kind)};
		},
	});
